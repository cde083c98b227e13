// The cases of one operator, one after the other: the same seed makes the same cases on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/settings.hpp"
#include "generate/coverage.hpp"
#include "generate/drawing.hpp"
#include "generate/reduction_bound.hpp"
#include "ops/rule.hpp"
#include "tensor/tensor.hpp"

namespace tensorop {

// Raise this number if a seed makes other cases than before.
inline constexpr int kGeneratorVersion = 6;

struct GeneratedCase {
  Request request;
  std::optional<Tensor> result = {};  // of a valid call
  // The bound of a call of a published version, which leaves the order of updates open.
  std::optional<ReductionBound> bound = {};
  std::string_view rule = {};  // that an invalid call breaks
};

class Generator {
 public:
  // `candidates` calls are drawn for each case; the one that adds most to the coverage becomes the case.
  static constexpr int kCandidates = 24;
  Generator(Subject subject, std::uint64_t seed, int candidates = kCandidates);

  // Throws Error where none is found.
  [[nodiscard]] GeneratedCase next_valid();
  // A valid call in which one thing is changed, so that one rule is broken: rules that are not met yet first.
  [[nodiscard]] GeneratedCase next_invalid();

  [[nodiscard]] const Subject& subject() const { return subject_; }
  [[nodiscard]] const Coverage& coverage() const { return coverage_; }
  // The rules of the operator, with the number of cases that break each.
  [[nodiscard]] const std::map<std::string_view, std::int64_t>& rules() const { return rules_; }

 private:
  struct Candidate {
    Request request;
    std::vector<Coverage::Level> levels;
    std::optional<Coverage::Pair> goal;
    std::int64_t gain = 0;
  };
  [[nodiscard]] std::vector<Candidate> draw(Random& random);
  // Returns nothing if the call is an error or cannot be a case of a suite: it is too small or too large, or
  // no element of its result can be compared.
  [[nodiscard]] std::optional<GeneratedCase> valid_case(const Request& request) const;
  // The cases that break a rule, by the share of cases that it is to have.
  [[nodiscard]] std::int64_t uses(std::string_view rule) const;
  [[nodiscard]] std::string_view broken_rule(const Request& request) const;

  Subject subject_;
  std::uint64_t seed_;
  int candidates_;
  Settings settings_;
  Coverage coverage_;
  bool is_complete_ = false;  // no pair is open
  std::map<std::string_view, std::int64_t> rules_;
  bool has_all_rules_ = false;  // many attempts did not meet the others
  std::uint64_t drawn_ = 0;
};

// The valid call with one thing changed: the shape, dtype or a value of an operand, an attribute, or the
// number of operands. The result may be valid.
[[nodiscard]] Request changed_call(const Subject& subject, Random& random, Request request);

}  // namespace tensorop
