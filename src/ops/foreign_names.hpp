// The names of the operators in other libraries, and the tensorop command for each: for hints and the docs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tensorop {

struct ForeignCall {
  std::string_view library;  // "NumPy"
  std::string_view names;    // names that lead to this row, between blanks; empty: none
  std::string_view call;     // in that library
  std::string_view command;  // text after "tensorop "; may end with a remark after ';'
};

// The rows in the order of the docs. A name leads to the first row that has it.
[[nodiscard]] std::span<const ForeignCall> foreign_calls();

// Returns the command for a foreign name, or says that the name is outside the scope of tensorop; empty if no
// library has the name. Ignores '-', '_', case and everything up to the last dot ("np.take").
[[nodiscard]] std::string foreign_hint(std::string_view name);

}  // namespace tensorop
