#include "ops/call.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

void Call::lack(const std::string& what) {
  if (!missing) missing.emplace(cat(what, kNotHere), kMissingRule);
}

const Attribute* Call::find(std::string_view attribute) const {
  const AttributeSpec* const spec = find_attribute(*op, attribute);
  return spec == nullptr ? nullptr : &attributes[to_size(spec - op->attributes.data())];
}

std::string Call::operand_name(std::size_t i) const {
  if (i < op->operands.size()) return std::string(op->operands[i].name);
  return cat("operand ", i + 1);
}

std::string Call::operand_label(std::size_t i) const {
  const bool has_file = operands.size() > op->operands.size() && i < files.size() && !files[i].empty();
  return has_file ? files[i] : operand_name(i);
}

const OperandSpec& Call::operand_spec(std::size_t i) const {
  return op->operands[std::min(i, op->operands.size() - 1)];
}

bool Call::leaves_open(OpenReason reason) const {
  return std::ranges::any_of(
      op->open, [&](const OpenRow& row) { return row.concerns(*version) && row.reason == reason; });
}

std::string Call::option(std::string_view of) const {
  if (from_job) return cat('"', of, '"');
  std::string out = cat("--", of);
  std::ranges::replace(out, '_', '-');
  return out;
}

OutputInfo checked_output(DType dtype, Shape shape) {
  require_fits(shape, element_size(dtype));
  if (shape.size() > kMaxRank) {
    throw Error(cat("the result would have rank ", shape.size(), " (at most ", kMaxRank, ")"), "G-2");
  }
  return {dtype, std::move(shape)};
}

}  // namespace tensorop
