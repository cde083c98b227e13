#include "convert/convert.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "convert/convert_input.hpp"
#include "engine/execute.hpp"
#include "io/archive.hpp"

namespace tensorop {
namespace {

void convert_one(const Operand& operand, const Destination& destination, const InputReading& reading) {
  // An array that does not fit in memory is written to the destination block by block, if possible.
  std::unique_ptr<Sink> sink;
  bool is_written = false;
  const auto direct = [&](DType dtype, const Shape& shape) -> WriteBytes {
    const bool is_cast =
        reading.dtype && (*reading.dtype != dtype || saturates_itself(dtype, reading.overflow));
    if (reading.view || is_cast) return nullptr;
    sink = open_sink(destination, dtype, shape, 0, reading.settings.warn);
    is_written = sink->elements() != nullptr;
    if (!is_written) return nullptr;
    return [elements = sink->elements(), width = element_size(dtype)](std::int64_t offset,
                                                                      std::span<const std::byte> bytes) {
      elements->write(offset / width, bytes.data(), to_int64(bytes.size()));
    };
  };
  const CastInput input = cast_input(Source::open(operand, options_of(reading, {.direct = direct})), reading);
  if (is_written) {
    sink->commit();
  } else if (sink) {
    write_tensor(input.tensor, input.inputs, *sink, reading.settings.threads);
  } else if (!input.is_cast()) {
    write_tensor(input.tensor, input.inputs, destination, reading.settings);
  } else {
    input.explain([&] { Execution(input.planned(), input.inputs, reading.settings).write(destination); });
  }
  warn_of_unnamed(destination, input.dtype, reading.settings);
}

// Converts to a format whose files contain the name of their array, which NAME=OPERAND gives.
void convert_named(const std::string& text, const Destination& destination, const InputReading& reading) {
  const auto named = split_name(text);
  if (!named) return convert_one(text, destination, reading);
  if (!is_utf8(named->name)) throw Error(cat("the name ", in_quotes(named->name), " is not valid UTF-8"));
  Destination with_name = destination;
  with_name.array = named->name;
  convert_one(named->given, with_name, reading);
}

}  // namespace

void convert(const Conversion& given, const Settings& settings) {
  const Format& format = format_of(given.destination);
  Conversion conversion = given;
  conversion.destination = hold_archive(given.destination);
  const bool to_archive = format.is_archive() && !conversion.destination.is_member;
  if (conversion.compress && !(to_archive && format.can_compress)) {
    const auto can = format_titles([](const Format& other) { return other.can_compress; });
    throw Error(cat("--compress is only for ", join_words(can, "and"), " archives"));
  }
  if (!to_archive && conversion.inputs.size() > 1) {
    throw Error(
        cat("unexpected operand ", in_quotes(conversion.inputs[1]),
            conversion.destination.is_member ? ": one array takes one input" : ": one file takes one input"),
        "",
        cat("an archive takes several: -o FILE",
            join(format_endings([](const Format& other) { return other.is_archive(); }), ", -o FILE")));
  }
  std::optional<DType> dtype;
  std::optional<DType> view;
  std::vector<NamedCast> casts;
  for (const std::string& text : conversion.dtypes) {
    const std::size_t equals = text.rfind('=');
    if (equals != std::string::npos) {
      const std::string names = text.substr(0, equals);
      casts.push_back({names, read_dtype(text.substr(equals + 1)), parse_dtype(names)});
      continue;
    }
    if (dtype) throw Error("--dtype is given twice");
    dtype = read_dtype(text);
  }
  const auto only_for_archives = [&](std::string_view option, bool is_given) {
    if (is_given && !to_archive) throw Error(cat(option, " is only for whole archives"));
  };
  only_for_archives("--dtype NAME=DTYPE", !casts.empty());
  only_for_archives("--replace", conversion.replace);
  only_for_archives("--filter or --exclude", conversion.choose != nullptr);
  only_for_archives("--rename-regex", !conversion.renames.empty());
  only_for_archives("--dry-run", conversion.dry_run != nullptr);
  only_for_archives("--metadata", !conversion.metadata.empty());
  only_for_archives("--metadata-from", conversion.metadata_from.has_value());
  if (conversion.view) view = read_dtype(*conversion.view);
  const bool is_nan = conversion.overflow == Overflow::nan;
  const DTypeSet can = is_nan ? kSmallFloatTypes : kNumericTypes | kComplexTypes | kSmallTypes;
  const bool is_used =
      (dtype && can.contains(*dtype)) ||
      std::ranges::any_of(casts, [&](const NamedCast& cast) { return can.contains(cast.dtype); });
  if (conversion.overflow != Overflow::error && !is_used)
    throw Error(cat("--overflow ", is_nan ? "nan" : "saturate", " is only for --dtype ",
                    is_nan ? can.names() : "with a dtype of numbers"));
  InputReading reading{dtype, view, conversion.overflow, conversion.text_format, settings};
  ArchiveCache archives;
  if (reading.settings.archives == nullptr) reading.settings.archives = &archives;
  if (conversion.destination.path != "-") reading.settings.scratch_beside = conversion.destination.path;
  if (to_archive) return convert_to_archive(conversion, casts, format, reading);
  if (format.names_array) return convert_named(conversion.inputs[0], conversion.destination, reading);
  convert_one(conversion.inputs[0], conversion.destination, reading);
}

}  // namespace tensorop
