// Facts about a case by the keys that lines of known failures use: "op", "axis", "class".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/settings.hpp"
#include "jobs/jobs.hpp"

namespace tensorop {

// Values by their keys; a key may have several.
using CaseFacts = std::multimap<std::string, std::string, std::less<>>;

// The work that a fact takes: none, opening the operands, or reading them.
enum class FactDepth : std::uint8_t { given, opened, read };
// The depth of the facts of a key.
[[nodiscard]] FactDepth depth_of(std::string_view key);
// The keys that every case has, then attributes.
[[nodiscard]] const std::vector<std::string>& fact_keys();
// The values of "class": "empty", an operand or the result has no element; "negative-index";
// "duplicate-index", two indices select one row of the data.
[[nodiscard]] const std::vector<std::string>& case_classes();

// Returns the facts up to this depth: name, op, spec (as the case has it), rule (of an expected error, by any
// of its ids); opened: dtype and rank of the first operand, attributes, defaults too; read: class. A case
// that cannot be opened by itself has the given attributes alone.
[[nodiscard]] CaseFacts facts_of(const Job& job, FactDepth depth, const Settings& settings);

}  // namespace tensorop
