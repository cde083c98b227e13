// Other names for the tensors of sets, where two programs name the same ones differently.
#pragma once

#include <string>
#include <vector>

#include "io/tensor_set.hpp"

namespace tensorop {

// Changes names by expressions "FROM=TO" (up to the first '='), each applied to the names that the one before
// it leaves: every match of the POSIX extended regular expression FROM becomes TO, in which \1 to \9 are its
// groups and \0 is all of it. Throws Error where an expression is malformed, would take long, or matches no
// name, which are those of `where`.
void rename_all(const std::vector<std::string>& expressions, const std::string& where,
                std::vector<std::string>& names);

// The same of the members of a set, for pairing alone. Throws Error also where two would have one name.
void rename_members(const std::vector<std::string>& expressions, TensorSet& set);

}  // namespace tensorop
