#include "tensor/dtype.hpp"

namespace tensorop {
std::optional<DType> parse_dtype(std::string_view name) {
  for (const DTypeInfo& row : kDTypes) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::string DTypeSet::names() const {
  std::string out;
  for (const DTypeInfo& row : kDTypes) {
    if (!contains(row.dtype)) continue;
    if (!out.empty()) out += ", ";
    out += row.name;
  }
  return out;
}

}  // namespace tensorop
