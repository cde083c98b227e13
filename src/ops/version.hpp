// One published version of an operator: the dtypes and attributes that it has, and what it does otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>

#include "kernels/index/index.hpp"
#include "kernels/rows/plan.hpp"
#include "ops/publisher.hpp"
#include "ops/word_list.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {

// An attribute of a version, with its own choices if it has fewer, and its own default if that differs.
struct AttributeRow {
  std::string_view name;
  WordList choices = {};
  std::string_view default_text = {};
  bool non_negative = false;  // integers only: AX-3
  WordList missing = {};      // choices of the publisher that tensorop does not compute (kMissingRule)
  bool required = false;      // the version has no default, unlike the operator
};

// The dtypes that a version allows for a type variable.
struct TypeRow {
  std::string_view type;
  DTypeSet allowed;
  DTypeSet missing = {};  // dtypes that the publisher allows too but tensorop does not compute (kMissingRule)
};

// The rows of all type variables of a version.
class TypeRows {
 public:
  constexpr TypeRows() = default;
  constexpr TypeRows(DTypeSet allowed) : TypeRows({{"T", allowed}}) {}
  constexpr TypeRows(DType allowed) : TypeRows(DTypeSet(allowed)) {}
  constexpr TypeRows(std::initializer_list<TypeRow> rows) : count_(rows.size()) {
    std::ranges::copy(rows, rows_.begin());
  }

  [[nodiscard]] constexpr const TypeRow* begin() const { return rows_.data(); }
  [[nodiscard]] constexpr const TypeRow* end() const { return rows_.data() + count_; }

 private:
  std::array<TypeRow, 3> rows_ = {};
  std::size_t count_ = 0;
};

// A version's rules for index values. For every publisher, the rule for negative values applies first, then
// the rule for the range.
struct IndexRule {
  Negative negative = Negative::count;             // refuse: IX-2
  OutOfBounds out_of_bounds = OutOfBounds::error;  // error: IX-1
  bool clips_raw = false;  // modes that clip do not count negative indices from the end, but clip them to 0
};
inline constexpr IndexRule kNonNegative = {.negative = Negative::refuse};
inline constexpr IndexRule kNearest = {.out_of_bounds = OutOfBounds::clip};

// A rule that only the code of one operator interprets. Compared by address: each trait is a constant with
// static storage duration.
struct Trait {
  std::string_view meaning;  // "batch_dims may be negative (GN-2)"
};

// The traits of a version.
class Traits {
 public:
  constexpr Traits() = default;
  constexpr Traits(const Trait& trait) : traits_{&trait}, count_(1) {}
  Traits(const Trait&&) = delete;

  [[nodiscard]] constexpr bool has(const Trait& trait) const {
    return std::ranges::find(*this, &trait) != end();
  }
  [[nodiscard]] constexpr const Trait* const* begin() const { return traits_.data(); }
  [[nodiscard]] constexpr const Trait* const* end() const { return begin() + count_; }

  // The traits of both.
  friend constexpr Traits operator|(Traits some, const Traits& others) {
    for (const Trait* const trait : others) {
      if (!some.has(*trait)) some.traits_.at(some.count_++) = trait;
    }
    return some;
  }

 private:
  std::array<const Trait*, 4> traits_ = {};
  std::size_t count_ = 0;
};
// Two traits are no Traits yet, in which the operator above would be found.
[[nodiscard]] constexpr Traits operator|(const Trait& some, const Trait& other) {
  return Traits(some) | Traits(other);
}

// The rules of a version, each with the default that most versions have.
struct VersionRules {
  IndexRule index = {};
  Traits traits = {};
  bool deprecated = false;
  std::uint8_t operands = 0;  // of a variadic operator: the exact number; 0: any number from 1 on
  // The rule id for a call that the publisher accepts, but whose result tensorop does not compute.
  std::string_view missing_rule = {};
  bool converts = false;  // operands of one type variable may differ: the publisher converts them
};

// One published version, or the default semantics.
struct Version {
  Framework framework;
  int since;                   // the publisher's number of the first release with it; 0 without numbers
  std::string_view published;  // the publisher's name: "ScatterElementsUpdate"
  TypeRows types;
  std::span<const AttributeRow> attributes;
  VersionRules rules = {};
};

// A reason for which the versions of a publisher leave elements unspecified.
struct OpenRow {
  Framework framework;
  OpenReason reason;
  int before = std::numeric_limits<int>::max();  // Version::since of the first that defines them
  std::string_view published = {};               // the publisher's operator that this concerns; empty: all

  [[nodiscard]] constexpr bool is_for_all() const { return before == std::numeric_limits<int>::max(); }
  [[nodiscard]] constexpr bool concerns(const Version& version) const {
    // MDF uses the operators of ONNX.
    const bool is_of = version.framework == framework ||
                       (framework == Framework::onnx && version.framework == Framework::mdf);
    return is_of && version.since < before && (published.empty() || version.published == published);
  }
};

// Adds a version of MDF, which uses the operators of ONNX's opset 15 by their names.
template <std::size_t kCount>
[[nodiscard]] constexpr std::array<Version, kCount + 1> and_mdf(const std::array<Version, kCount>& versions) {
  std::array<Version, kCount + 1> out{};
  auto end = std::ranges::copy(versions, out.begin()).out;
  Version mdf{};
  for (const Version& version : versions) {
    if (version.framework == Framework::onnx && version.since <= 15) mdf = version;
  }
  mdf.framework = Framework::mdf;
  mdf.since = 0;
  const auto at = std::ranges::upper_bound(out.begin(), end, mdf.framework, {}, &Version::framework);
  std::ranges::move_backward(at, end, end + 1);
  *at = mdf;
  return out;
}

}  // namespace tensorop
