// What other libraries call the operators, and what to type instead: for hints, and for the page of the docs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tensorop {

struct ForeignCall {
  std::string_view library;  // "NumPy"
  std::string_view names;    // words that lead here, between blanks; empty: none
  std::string_view call;     // in that library
  std::string_view command;  // after "tensorop "; may go on with a remark after ';'
};

// In the order of the docs. A word leads to the first row that has it.
[[nodiscard]] std::span<const ForeignCall> foreign_calls();

// What to type in place of a name that tensorop does not have, or that it is outside its scope; empty for a
// name that no library has. '-', '_', case and what stands before the last dot ("np.take") are ignored.
[[nodiscard]] std::string foreign_hint(std::string_view name);

}  // namespace tensorop
