// The reason why a call is refused, as data: the faulty index, and the versions that accept the call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text/error.hpp"
#include "explain/verdicts.hpp"
#include "explain/why.hpp"

namespace tensorop {

struct Refusal {
  Failure error;
  const Operator* op = nullptr;
  const Version* version = nullptr;  // the version that refuses it; null: the operator has none
  // Set for a call that only its elements make invalid; else null.
  std::shared_ptr<const Explainer> explainer = nullptr;
  std::optional<ChosenIndex> index = std::nullopt;  // the index out of range
  std::int64_t index_end = 0;                       // valid indices are below it; FaultFacts::kNoEnd: any
  bool allows_negative = true;                      // whether that version allows negative indices
  // From verdicts_on(). Empty if the call breaks no rule (a missing file, for example), or if an operand that
  // is needed can be read only once.
  std::vector<VersionVerdict> versions = {};
};

// Returns the call with its operands as tensors, because standard input can be read only once; unchanged if
// they cannot be opened.
[[nodiscard]] Request with_operands(Request request, const Settings& settings);
[[nodiscard]] bool reads_standard_input(const Request& request);

// `error` is the error of the call. Opens the operands again. Reads only elements that the versions need: a
// version that refuses dtypes, shapes or the faulty index reads no others.
[[nodiscard]] Refusal why_refused(const Request& request, const Settings& settings, const Failure& error);

}  // namespace tensorop
