#include "ops/call.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tensorop {

bool Call::is_given(std::string_view name) const {
  return std::ranges::find(given, name) != given.end();
}

std::int64_t Call::integer(std::string_view name) const {
  return std::get<std::int64_t>(attributes.find(name)->second);
}
bool Call::boolean(std::string_view name) const {
  return std::get<bool>(attributes.find(name)->second);
}
const std::string& Call::choice(std::string_view name) const {
  return std::get<std::string>(attributes.find(name)->second);
}
const std::vector<std::int64_t>& Call::integers(std::string_view name) const {
  return std::get<std::vector<std::int64_t>>(attributes.find(name)->second);
}

std::string Call::operand_name(std::size_t i) const {
  if (i < op->operands.size()) return std::string(op->operands[i].name);
  return cat("operand ", i + 1);
}

std::string Call::version_name() const {
  switch (version->framework) {
    case Framework::standard:
      return "the default semantics";
    case Framework::onnx:
      return cat("onnx ", version->published, "-", version->since);
    case Framework::openvino:
      return cat("openvino ", version->published, "-", version->since);
    case Framework::mdf:
      return "mdf";
  }
  __builtin_unreachable();
}

}  // namespace tensorop
