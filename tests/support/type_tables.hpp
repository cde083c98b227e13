// The dtypes that every version and the default semantics allow, read from testdata/spec/versions.txt.
// The descriptions are compared with them, and the naive reference takes its dtypes from them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.hpp"

namespace tensorop {

// The version and the type variable that a set of dtypes is for.
struct TypeKey {
  std::string framework;  // "onnx", "openvino", "mdf"; "default": the default semantics
  int since = 0;
  std::string name;  // the publisher's, in small letters: "scatterelementsupdate"
  std::string
      variable;  // "data", "indices"; "exponent" of pow; "shape" and "axes_mapping", which are attributes

  auto operator<=>(const TypeKey&) const = default;
};

// The cells of the rows of a section of testdata/spec/versions.txt, the one table of versions in the tests.
[[nodiscard]] std::vector<std::vector<std::string>> version_rows(std::string_view section);

[[nodiscard]] const std::map<TypeKey, DTypeSet>& type_tables();

// The set of `key`; empty where the tables have none.
[[nodiscard]] DTypeSet types_not_here(const TypeKey& key);
[[nodiscard]] DTypeSet published_types(const TypeKey& key);

}  // namespace tensorop
