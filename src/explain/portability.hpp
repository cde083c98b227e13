// One call under every published version of its operator: who accepts it, and whose results are equal.
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

// Results that are equal: dtype, shape, and bits; NaN equals NaN.
struct ResultClass {
  static constexpr std::int64_t kMostKept = 64;

  OutputInfo output;
  std::uint64_t checksum = 0;           // 0 without elements
  std::optional<Tensor> elements = {};  // at most kMostKept
  // Where it first differs from the first class, of the same dtype and shape, and both elements.
  std::optional<std::int64_t> differs_at = {};
  Tensor first_value = {};
  Tensor own_value = {};
};

struct Portability {
  OpenedCall opened;         // which strings of results point into
  bool dry_run = false;      // classes are of dtypes and shapes
  std::string written = {};  // defaults that the call is written with: written_defaults()
  std::vector<ResultClass> classes;
  std::vector<VersionVerdict> versions;  // in the order of the operator's table

  // All versions accept the call, with one result.
  [[nodiscard]] bool is_portable() const;
  // 0: portable; 1: not; 2: all versions refuse it.
  [[nodiscard]] int exit_status() const;
};

// Whether a text of --spec means several versions: "all", or a publisher without an opset.
[[nodiscard]] bool names_several(std::string_view spec);
// Those of such a text; none: all.
[[nodiscard]] std::vector<Framework> publishers_of(const std::string& spec);
// The publishers of "onnx,default": their words, and that of the default semantics. Throws Error for others.
[[nodiscard]] std::vector<Framework> read_publishers(const std::string& list);

// request.spec is such a text; `only`: of these publishers alone, if there are any. Computes each behaviour
// once, however many versions have it, and keeps two results at most. Throws Error where the call cannot be
// read, or no version has the operator.
[[nodiscard]] Portability find_portability(const Request& request, const std::vector<Framework>& only,
                                           const Settings& settings);

}  // namespace tensorop
