#include "jobs/loaded_call.hpp"

#include "base/text/text.hpp"
#include "jobs/call_text.hpp"

namespace tensorop {
namespace {

std::optional<std::string> in_lower_case(const std::optional<std::string>& word) {
  return word ? std::optional(lower(*word)) : std::nullopt;
}

}  // namespace

LoadedCall load(const Request& request, const OpenedCall& opened) {
  LoadedCall out{.op = {opened.call.op, opened.call.name},
                 .spec = in_lower_case(request.spec),
                 .oob = in_lower_case(request.oob),
                 .duplicates = in_lower_case(request.duplicates),
                 .operands = {},
                 .attributes = opened.call.attributes};
  for (const GivenOperand& operand : opened.given) {
    if (opened.call.left_out != operand.place)
      out.operands.push_back({operand.name, operand.role, operand.tensor});
  }
  return out;
}

LoadedCall load(const Request& request, const Settings& settings) {
  return load(request, open_call(request, settings));
}

Request request_of(const LoadedCall& call) {
  Request out;
  out.op = call.op;
  out.spec = call.spec;
  out.oob = call.oob;
  out.duplicates = call.duplicates;
  out.from_job = true;
  const bool is_list = call.op.op->operands.back().variadic || call.op.name->takes_arrays;
  for (const LoadedOperand& operand : call.operands) {
    if (is_list) {
      out.positional.emplace_back(operand.tensor);
    } else {
      out.named.emplace_back(operand.name, operand.tensor);
    }
  }
  for (std::size_t i = 0; i < call.attributes.size(); ++i) {
    if (!call.attributes[i].is_given) continue;
    const AttributeSpec& spec = call.op.op->attributes[i];
    out.attributes.emplace_back(std::string(spec.name), value_text(call.attributes[i], spec));
  }
  return out;
}

}  // namespace tensorop
