// The names of files and folders that are on the way to their destination, and what kill -9 leaves of them.
#pragma once

#include <string>

#include "base/pending_names.hpp"

namespace tensorop {

// How many names are tried where others are taken.
inline constexpr int kMostTemporaryNames = 100;

// The name to try for what is to become `destination`: .tensorop-XXXXXX.tmp in the same folder. The first
// attempts have a name derived from that of the destination, so that the next process finds what a killed one
// left; later ones have any.
[[nodiscard]] std::string temporary_name(const std::string& destination, int attempt);

// Removes the file, or the folder and what is in it, that another process left under this name. What is of
// another kind, or locked because a process still writes it, stays.
void remove_leftover(const PendingName& name);

}  // namespace tensorop
