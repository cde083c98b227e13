// Renames the tensors of sets, for programs that name the same tensors differently.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/tensor_set.hpp"

namespace tensorop {

// Changes names by expressions "FROM=TO" (up to the first '='), each applied to the results of the previous
// one: every match of the POSIX extended regular expression FROM becomes TO, in which \1 to \9 are its
// groups, \0 is all of it and \\ a backslash. Throws Error if an expression is malformed or undefined in
// POSIX, would take long, or matches no name; for messages, `what` introduces an expression, and `where` is
// the place of the names.
void rename_all(const std::vector<std::string>& expressions, std::string_view what, const std::string& where,
                std::vector<std::string>& names);

// Renames the members of a set in the same way, for pairing only. Also throws Error if two get one name.
void rename_members(const std::vector<std::string>& expressions, std::string_view what, TensorSet& set);

}  // namespace tensorop
