// Why a call is refused, as data: the index that is at fault, and which versions of the operator accept it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "explain/verdicts.hpp"
#include "explain/why.hpp"

namespace tensorop {

struct Refusal {
  Failure error;
  const Operator* op = nullptr;
  const Version* version = nullptr;  // that refuses it; null: none of the operator's was found
  // Of a call that only its elements refuse; else null.
  std::shared_ptr<const Explainer> explainer = nullptr;
  std::optional<ChosenIndex> index = std::nullopt;  // that is out of range
  std::int64_t index_end = 0;                       // valid ones are below it; FaultFacts::kNoEnd: any
  bool allows_negative = true;                      // indices, in that version
  // As verdicts_on() has them; empty if the call breaks no rule, but a file is missing, say, or if an operand
  // that decides can be read only once.
  std::vector<VersionVerdict> versions = {};
};

// The same call with its operands as tensors, which standard input gives once; as it is where they cannot be
// opened.
[[nodiscard]] Request with_operands(Request request, const Settings& settings);
[[nodiscard]] bool reads_standard_input(const Request& request);

// `error` is what the call failed with. Opens the operands once more. Of elements it reads what the versions
// need to be judged: no version that refuses dtypes or shapes, or the index at fault, reads others.
[[nodiscard]] Refusal why_refused(const Request& request, const Settings& settings, const Failure& error);

}  // namespace tensorop
