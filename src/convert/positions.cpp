#include "convert/positions.hpp"

#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/execute.hpp"
#include "engine/operands.hpp"
#include "io/json/json_writer.hpp"
#include "io/opened_file.hpp"
#include "io/source.hpp"
#include "kernels/index/true_positions.hpp"

namespace tensorop {
namespace {

void check_lookup(const Tensor& keys, const Tensor& ids) {
  const auto check_dtype = [](std::string_view role, DType dtype) {
    if (kLookupTypes.contains(dtype)) return;
    throw Error(cat(role, " is ", name(dtype), " (allowed: ", kLookupTypes.names(), ")"));
  };
  check_dtype("keys", keys.dtype());
  check_dtype("ids", ids.dtype());
  if ((keys.dtype() == DType::string) != (ids.dtype() == DType::string)) {
    throw Error(cat("keys is ", name(keys.dtype()), " and ids is ", name(ids.dtype()),
                    "; both must be integers, or both string"));
  }
  if (keys.rank() != 1) throw Error(cat("keys has shape ", to_string(keys.shape()), "; its rank must be 1"));
}

// "ids.npy: ids[1] = 1007 is not among keys (keys.npy)".
Error fault_error(const LookupFault& fault, const Source& keys, const Source& ids) {
  const Tensor& tensor = *ids.tensor();
  const std::string element = cat(element_name("ids", fault.position, tensor.shape()), " = ",
                                  printable(json_element(tensor, fault.position)));
  const std::string file = keys.name().empty() ? "" : cat(" (", keys.name(), ")");
  Error error(fault.is_missing ? cat(element, " is not among keys", file)
                               : cat(element, " is duplicated in keys", file, ": keys[", fault.first,
                                     "] and keys[", fault.second, "]"),
              "",
              fault.is_missing ? "--missing -1 gives such an id the position -1"
                               : "--duplicates first takes the first position");
  if (!ids.name().empty()) error.add_context(ids.name());
  return error;
}

}  // namespace

void write_lookup(const Lookup& lookup, const Destination& destination, const Settings& settings) {
  // A destination without a known format is reported before any work.
  (void)format_of(destination);
  if (is_standard_input(lookup.keys) && is_standard_input(lookup.ids))
    throw Error("standard input can be read only once");
  const auto open = [&](std::string_view role, const std::string& text) {
    return with_context(role, [&] {
      return open_operand(text, {.read_later = true, .text_format = lookup.text_format}, settings);
    });
  };
  Source keys = open("keys", lookup.keys);
  Source ids = open("ids", lookup.ids);
  resolve_dtypes(
      {{.source = &keys, .name = "keys", .type = "T"}, {.source = &ids, .name = "ids", .type = "T"}},
      Unfit::own_dtype);
  check_lookup(*keys.tensor(), *ids.tensor());
  Inputs inputs;
  inputs.add(keys.mapping());
  inputs.add(ids.mapping());
  try {
    const Tensor positions =
        find_positions(*keys.tensor(), *ids.tensor(), lookup.rules, memory_of(settings), settings.threads);
    write_tensor(positions, inputs, destination, settings);
  } catch (const LookupFault& fault) {
    inputs.require_unchanged();
    throw fault_error(fault, keys, ids);
  }
}

void write_nonzero(const std::string& operand, const Format* text_format, const Destination& destination,
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
