#include "base/text/unseen.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {

void add_unseen(std::vector<Unseen>& all, const Unseen& entry) {
  constexpr std::size_t kMostNames = 5;
  if (entry.count == 0) return;
  auto same = std::ranges::find(all, entry.what, &Unseen::what);
  if (same == all.end()) same = all.insert(all.end(), {.what = entry.what});
  same->count += entry.count;
  for (const std::string& name : entry.names) {
    if (same->names.size() < kMostNames) same->names.push_back(name);
  }
}

void add_unseen(std::vector<Unseen>& all, const std::vector<Unseen>& entries) {
  for (const Unseen& entry : entries) add_unseen(all, entry);
}

std::string unseen_text(const Unseen& entry) {
  constexpr std::size_t kMostShown = 3;
  const std::size_t noun = std::min(entry.what.find(' '), entry.what.size());
  std::string text = cat(counted(entry.count, entry.what.substr(0, noun)), entry.what.substr(noun));
  if (entry.names.empty()) return text;
  std::vector<std::string> shown;
  for (const std::string& name : entry.names) {
    if (shown.size() < kMostShown) shown.push_back(printable(name));
  }
  if (to_int64(shown.size()) < entry.count) shown.emplace_back("...");
  return cat(text, " (", join(shown), ")");
}

}  // namespace tensorop
