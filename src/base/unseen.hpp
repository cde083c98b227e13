// Input that a command was given but does not examine. Every report has a number for each kind of it, because
// the verdict covers the rest alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

struct Unseen {
  std::string what;  // in the singular, its noun first: "file of an unknown format"
  std::int64_t count = 0;
  std::vector<std::string> names = {};  // the first ones, or what they are in; may be fewer than `count`
};

// Adds `entry` to the entry of the same kind, or as a new one.
void add_unseen(std::vector<Unseen>& all, const Unseen& entry);
void add_unseen(std::vector<Unseen>& all, const std::vector<Unseen>& entries);

// "2 files of an unknown format (a.txt, b.bin)".
[[nodiscard]] std::string unseen_text(const Unseen& entry);

}  // namespace tensorop
