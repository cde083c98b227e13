// Runs one call under all published versions of its operator: which accept it, and which results are equal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/bind.hpp"
#include "explain/verdicts.hpp"

namespace tensorop {

// Versions with equal results: same dtype, shape and bits, but NaN equals NaN.
struct ResultClass {
  static constexpr std::int64_t kMostKept = 64;

  OutputInfo output;
  std::uint64_t checksum = 0;           // 0 without elements
  std::optional<Tensor> elements = {};  // at most kMostKept
  // The first position at which this result differs from the result of the first class, and both elements.
  // Both results have the same dtype and shape.
  std::optional<std::int64_t> differs_at = {};
  Tensor first_value = {};
  Tensor own_value = {};
};

struct Portability {
  OpenedCall opened;         // strings of results point into it
  bool dry_run = false;      // classes compare only dtypes and shapes
  std::string written = {};  // defaults that are written into the call: written_defaults()
  std::vector<ResultClass> classes;
  std::vector<VersionVerdict> versions;  // in the order of the operator's table

  // Whether all versions accept the call, with the same result.
  [[nodiscard]] bool is_portable() const;
  // 0: portable; 1: not portable; 2: no version has a result.
  [[nodiscard]] int exit_status() const;
};

// Whether a text of --spec means several versions: "all", or a publisher without an opset.
[[nodiscard]] bool names_several(std::string_view spec);
// Returns the publishers that such a text means; none means all.
[[nodiscard]] std::vector<Framework> publishers_of(const std::string& spec);
// Reads a list of publishers, such as "onnx,default". Throws Error for other words.
[[nodiscard]] std::vector<Framework> read_publishers(const std::string& list);

// request.spec names several versions; `only` limits them to these publishers, unless it is empty. Computes
// each behaviour once for all versions that share it, and keeps at most two results. Throws Error if the call
// cannot be read, or no version has the operator.
[[nodiscard]] Portability find_portability(const Request& request, const std::vector<Framework>& only,
                                           const Settings& settings);

}  // namespace tensorop
