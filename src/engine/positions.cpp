#include "engine/positions.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "engine/execute.hpp"
#include "engine/operands.hpp"
#include "io/json/json_writer.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"
#include "kernels/index/true_positions.hpp"

namespace tensorop {
namespace {

void check_dtype(std::string_view role, DType dtype) {
  if (kLookupTypes.contains(dtype)) return;
  throw Error(cat(role, " is ", name(dtype), " (allowed: ", kLookupTypes.names(), ")"));
}

void check_lookup(const Tensor& keys, const Tensor& ids) {
  check_dtype("keys", keys.dtype());
  check_dtype("ids", ids.dtype());
  if ((keys.dtype() == DType::string) != (ids.dtype() == DType::string)) {
    throw Error(cat("keys is ", name(keys.dtype()), " and ids is ", name(ids.dtype()),
                    "; both must be integers, or both string"),
                "", "--dtype string reads numbers of a text table as strings");
  }
  if (keys.rank() != 1) throw Error(cat("keys has shape ", to_string(keys.shape()), "; its rank must be 1"));
}

// "ids.npy: ids[1] = 1007".
std::string id_text(std::int64_t position, const Source& ids) {
  const Tensor& tensor = *ids.tensor();
  return cat(ids.name(), ids.name().empty() ? "" : ": ", element_name("ids", position, tensor.shape()), " = ",
             printable(json_element(tensor, position)));
}

// "keys (keys.npy)".
std::string keys_text(const Source& keys) {
  return keys.name().empty() ? "keys" : cat("keys (", keys.name(), ")");
}

Error fault_error(const LookupFault& fault, const Source& keys, const Source& ids) {
  const std::string id = id_text(fault.position, ids);
  if (fault.is_missing)
    return Error(cat(id, " is not among ", keys_text(keys)), "",
                 "--missing drop leaves such ids out, --missing none gives them a position out of range");
  return Error(cat(id, " is duplicated in ", keys_text(keys), ": keys[", fault.first, "] and keys[",
                   fault.second, "]"),
               "", "--duplicates first takes the first position");
}

// The positions that are not -1, of rank 1. Warns of the ids of the others.
Tensor without_missing(const Tensor& positions, const Source& keys, const Source& ids, const Warn& warn) {
  constexpr std::int64_t kMostListed = 20;
  const auto storage = std::make_shared<Storage>(positions.bytes(), "the positions");
  auto* const found = reinterpret_cast<std::int64_t*>(storage->data());
  std::int64_t count = 0;
  for (std::int64_t id = 0; id < positions.size(); ++id) {
    const std::int64_t position = positions.as<std::int64_t>()[id];
    if (position >= 0) {
      found[count++] = position;
    } else if (warn && id - count < kMostListed) {
      warn(cat(id_text(id, ids), " is not among ", keys_text(keys)));
    }
  }
  const std::int64_t more = positions.size() - count - kMostListed;
  if (warn && more > 0) {
    warn(cat(ids.name(), ids.name().empty() ? "" : ": ", counted(more, "more id"), more == 1 ? " is" : " are",
             " not among ", keys_text(keys)));
  }
  return {DType::int64, {count}, storage};
}

// The first line of a file of strings may be a header, which is a key and an id, in both files and only once.
void warn_of_header(const Source& keys, const Source& ids, const Warn& warn) {
  const Tensor& a = *keys.tensor();
  const Tensor& b = *ids.tensor();
  const bool are_lines = keys.is_table() && ids.is_table() && a.dtype() == DType::string &&
                         b.dtype() == DType::string && a.size() != 0 && b.size() != 0;
  if (!warn || !are_lines || a.strings()[0].view() != b.strings()[0].view()) return;
  const auto is_first = [&](const StringRef& id) { return id.view() == a.strings()[0].view(); };
  if (std::ranges::count_if(b.strings(), is_first) != 1) return;
  const std::string line = in_quotes(a.strings()[0].view());
  warn(cat(keys.name(), " and ", ids.name(), " begin with the line ", line, ": if it is a header, --column ",
           line, " takes the column below it"));
}

}  // namespace

void write_lookup(const Lookup& lookup, const Destination& destination, const Settings& settings) {
  // A destination without a known format is reported before any work.
  (void)format_of(destination);
  if (lookup.keys.is_standard_input() && lookup.ids.is_standard_input())
    throw Error("standard input can be read only once");
  const auto open = [&](std::string_view role, const Operand& operand) {
    return with_context(role, [&] {
      return open_operand(operand,
                          {.read_later = true, .text_format = lookup.text_format, .column = lookup.column},
                          settings);
    });
  };
  Source keys = open("keys", lookup.keys);
  Source ids = open("ids", lookup.ids);
  if (lookup.column && !keys.is_table() && !ids.is_table())
    throw Error("--column is only for text tables with a header line");
  std::optional<DType> dtype;
  if (lookup.dtype) dtype = read_dtype(*lookup.dtype);
  std::pair<std::string_view, Source> texts[] = {{"keys", keys}, {"ids", ids}};
  resolve_dtypes({{.source = &keys, .name = "keys", .type = "T", .named = dtype},
                  {.source = &ids, .name = "ids", .type = "T", .named = dtype}},
                 Unfit::own_dtype);
  if (!dtype && keys.tensor()->dtype() == DType::float64) {
    // An untyped number with a point or an exponent made both float64: its error names it.
    for (auto& [role, text] : texts)
      with_context(role, [&, &text = text] {
        if (text.tensor() == nullptr) text.resolve(DType::int64);
      });
  }
  for (const auto& [role, text] : texts) {
    const auto own = text.tensor() == nullptr ? text.peek().dtype : text.tensor()->dtype();
    if (own) check_dtype(role, *own);  // the other operand may have taken its dtype
  }
  check_lookup(*keys.tensor(), *ids.tensor());
  if (!lookup.column) warn_of_header(keys, ids, settings.warn);
  Inputs inputs;
  inputs.add(keys.mapping());
  inputs.add(ids.mapping());
  const LookupRules rules{.missing = lookup.missing == Lookup::Missing::error,
                          .duplicates = lookup.refuses_duplicates,
                          .none = lookup.missing == Lookup::Missing::none ? kNoPosition : -1};
  try {
    Tensor positions =
        find_positions(*keys.tensor(), *ids.tensor(), rules, memory_of(settings), settings.threads);
    if (lookup.missing == Lookup::Missing::drop)
      positions = without_missing(positions, keys, ids, settings.warn);
    write_tensor(positions, inputs, destination, settings);
  } catch (const LookupFault& fault) {
    inputs.require_unchanged();
    throw fault_error(fault, keys, ids);
  }
}

void write_nonzero(const Operand& operand, const Format* text_format, const Destination& destination,
                   const Settings& settings) {
  // A destination without a known format is reported before any work.
  (void)format_of(destination);
  Source source = Source::open(operand, with_settings({.text_format = text_format}, settings));
  if (source.tensor() == nullptr) source.resolve(source.natural_dtype());
  const Tensor& tensor = *source.tensor();
  if (tensor.rank() == 0) throw Error("the operand is a scalar; its rank must be at least 1");
  Inputs inputs;
  inputs.add(source.mapping());
  Tensor positions = true_positions(tensor, settings.threads);
  if (tensor.rank() > 1) positions = coordinates_of(positions, tensor.shape(), settings.threads);
  write_tensor(positions, inputs, destination, settings);
}

}  // namespace tensorop
