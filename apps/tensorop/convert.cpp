// `convert`: the same tensor in another format or dtype. `nonzero`: where it is not zero. `lookup`: the
// positions of ids among keys.
#include "convert/convert.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/files/output_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "engine/positions.hpp"
#include "report_options.hpp"

namespace tensorop {
namespace {

Overflow read_overflow(const Arguments& arguments) {
  const std::string word = arguments.value_or_default("--overflow").value();
  if (word == "error") return Overflow::error;
  return word == "nan" ? Overflow::nan : Overflow::saturate;
}

int run_convert(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no input given");
  Conversion conversion{.inputs = arguments.operands,
                        .dtypes = arguments.values("--dtype"),
                        .view = arguments.value("--view"),
                        .overflow = read_overflow(arguments),
                        .text_format = read_input_format(arguments),
                        .destination = read_destination(arguments),
                        .compress = arguments.has("--compress"),
                        .replace = arguments.has("--replace"),
                        .metadata = arguments.values("--metadata"),
                        .metadata_from = arguments.value("--metadata-from"),
                        .renames = arguments.values("--rename-regex")};
  const Filter filter(arguments, "array");
  if (filter.is_given())
    conversion.choose = [&](const std::vector<std::string>& names) { return filter.only_among(names); };
  if (arguments.has("--dry-run"))
    conversion.dry_run = [](const std::string& line) { print(cat(line, "\n")); };
  const MeteredSettings settings(arguments, conversion.destination.path);
  convert(conversion, settings.get());
  return 0;
}

int run_nonzero(const Arguments& arguments) {
  if (arguments.operands.empty()) throw Error("no operand given");
  arguments.refuse_operands_after(1, "nonzero takes 1");
  const Destination destination = read_destination(arguments);
  const MeteredSettings settings(arguments, destination.path);
  write_nonzero(arguments.operands[0], read_input_format(arguments), destination, settings.get());
  return 0;
}

int run_lookup(const Arguments& arguments) {
  const Words& operands = arguments.operands;
  arguments.refuse_operands_after(2, "lookup takes 2");
  if (operands.size() < 2) throw Error(cat("operand ", operands.empty() ? "keys" : "ids", " is missing"));
  using enum Lookup::Missing;
  const std::string missing = arguments.value_or_default("--missing").value();
  const Destination destination = read_destination(arguments);
  const MeteredSettings settings(arguments, destination.path);
  write_lookup({.keys = operands[0],
                .ids = operands[1],
                .missing = missing == "error"  ? error
                           : missing == "-1"   ? last
                           : missing == "drop" ? drop
                                               : none,
                .refuses_duplicates = arguments.value_or_default("--duplicates") == "error",
                .dtype = arguments.value("--dtype"),
                .text_format = read_input_format(arguments),
                .column = arguments.value("--column")},
               destination, settings.get());
  return 0;
}

std::vector<Option> convert_options() {
  const std::vector<Option> own = {
      {"--dtype", Heading::reading, "DTYPE|NAME=DTYPE|DTYPE=DTYPE",
       "cast to this dtype; NAME=DTYPE only the arrays of the result whose names match NAME, where * "
       "stands for any text; DTYPE=DTYPE only those of the first dtype; it also names the small dtype of NPY "
       "data that does not say it (V1)",
       OptionRules{.repeats = true}},
      {"--overflow", Heading::reading, "error|saturate|nan",
       "what becomes of a number beyond the range of --dtype; error: an error; saturate: the nearest value; "
       "nan, "
       "of float8 and float4: infinity, or NaN where there is none; float4 saturates in both",
       OptionRules{.kind = OptionKind::choice, .by_default = "error"}},
      {"--view", Heading::reading, "DTYPE",
       "use the bits of the elements as those of this dtype, which has as many bits; --dtype casts "
       "after it"},
      input_option(),
      {"--compress", Heading::result, "", "deflate the arrays of an NPZ archive"},
      {"--replace", Heading::result, "",
       "of several arrays of one name write the last one; take out of FILE what is left out of it as an "
       "input"},
      {"--metadata", Heading::result, "KEY=VALUE", "metadata of a safetensors file",
       OptionRules{.repeats = true}},
      {"--metadata-from", Heading::result, "FILE",
       "an archive whose metadata is taken; default: archives that are inputs as a whole"},
      rename_option("arrays of input archives"),
      {"--dry-run", Heading::result, "",
       "print what each array of the archive would be, and what is left out; read only headers"},
  };
  return joined({filter_options("arrays of input archives"), own, output_options()});
}

std::vector<Option> lookup_options() {
  const std::vector<Option> own = {
      {"--missing", Heading::others, "error|-1|drop|none",
       "what an id is that is not among the keys: an error, position -1, left out with a warning, or the "
       "largest "
       "int64, on which --oob zero, drop and fill act",
       OptionRules{.kind = OptionKind::choice, .by_default = "error"}},
      {"--duplicates", Heading::semantics, "error|first",
       "what an id is whose key is duplicated: an error, or the first position",
       OptionRules{.kind = OptionKind::choice, .by_default = "error"}},
      {"--dtype", Heading::reading, "DTYPE", "dtype of operands that are untyped JSON or text tables"},
      {"--column", Heading::reading, "NAME",
       "take this column of operands that are CSV files with a header line"},
      input_option(),
  };
  return joined({own, output_options()});
}

}  // namespace

Command nonzero_command() {
  return {"nonzero",
          {"nonzero OPERAND [-o FILE]"},
          "Prints the positions of the elements that are not zero, as indices. They have rank 1 for an "
          "operand of "
          "rank 1, else there is one index tuple in each row",
          {"tensorop nonzero '[true,false,true]'", "tensorop nonzero mask.npy -o positions.npy"},
          joined({{input_option()}, output_options()}),
          run_nonzero};
}

Command convert_command() {
  return {
      "convert",
      {"convert OPERAND [--view DTYPE] [--dtype DTYPE] [--overflow MODE] [-o FILE]",
       "convert [NAME=]OPERAND... -o FILE.npz|FILE.safetensors [OPTION]...",
       "convert NAME=OPERAND -o FILE.pb [OPTION]..."},
      "Rewrites tensors in another format or dtype, or into one archive. NAME= names an array",
      {"tensorop convert a.json -o a.npy", "tensorop convert a.npy",
       "tensorop convert a.npy --dtype float16 -o half.npy", "tensorop convert a.npy bias=b.npy -o ab.npz",
       "tensorop convert a.npy bias=b.npy -o ab.safetensors",
       "tensorop convert a.npy --dtype float8_e4m3fn --overflow saturate -o a.pb"},
      convert_options(),
      run_convert};
}

Command lookup_command() {
  return {
      "lookup",
      {"lookup KEYS IDS [--column NAME] [--missing error|-1|drop|none] [--duplicates error|first] [-o FILE]"},
      "Prints the position of each id among keys, in the shape of IDS. Ids are integers, by value "
      "whatever their "
      "dtypes, or strings; KEYS has rank 1 and any order",
      {"tensorop lookup '[1001,1003,1007]' '[1007,1003]'",
       "tensorop lookup keys.npy ids.npy --missing -1 -o positions.npy",
       "tensorop lookup users.csv wanted.csv --column id --missing none -o positions.npy"},
      lookup_options(),
      run_lookup};
}

}  // namespace tensorop
