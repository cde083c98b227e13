// Renames the tensors of sets, for programs that name the same tensors differently.
#pragma once

#include <string>
#include <vector>

#include "io/tensor_set.hpp"

namespace tensorop {

// Changes names by expressions "FROM=TO" (up to the first '='), each applied to the names that the one before
// it leaves: every match of the POSIX extended regular expression FROM becomes TO, in which \1 to \9 are its
// groups and \0 is all of it. Throws Error if an expression is malformed, would take long, or matches no
// name; `where` says in the message what holds the names.
void rename_all(const std::vector<std::string>& expressions, const std::string& where,
                std::vector<std::string>& names);

// Does the same for the members of a set, for pairing alone. Throws Error also if two would have one name.
void rename_members(const std::vector<std::string>& expressions, TensorSet& set);

}  // namespace tensorop
