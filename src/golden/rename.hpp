// Other names for tensors that are compared, where two programs name the same ones differently.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/tensor_set.hpp"

namespace tensorop {

struct RenameRules {
  // Each line a name and the new one, or a JSON object of both; empty: none.
  std::string file = {};
  // "FROM=TO" up to the first '=': every match of the POSIX extended regular expression FROM becomes TO, in
  // which \1 to \9 are its groups and \0 is all of it. In their order, after the file.
  std::vector<std::string> expressions = {};
};

// Renames the members of a set, for pairing alone. Throws Error where a rule is malformed or is for no
// member, and where two members would have one name.
void rename_members(const RenameRules& rules, TensorSet& set);

}  // namespace tensorop
