// Input that a command was given but does not examine. Every report counts it by kind, because the verdict
// covers only the examined input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

struct Unseen {
  std::string what;  // in the singular, noun first: "file of an unknown format"
  std::int64_t count = 0;
  std::vector<std::string> names = {};  // the first names, or places of them; may be fewer than `count`
};

// Adds the count of `entry` to the entry of the same kind, or appends a new entry.
void add_unseen(std::vector<Unseen>& all, const Unseen& entry);
void add_unseen(std::vector<Unseen>& all, const std::vector<Unseen>& entries);

// "2 files of an unknown format (a.txt, b.bin)".
[[nodiscard]] std::string unseen_text(const Unseen& entry);

}  // namespace tensorop
