#include "io/archive_cache.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.hpp"

namespace tensorop {
namespace {

// About what an archive takes: its names, and what is known of each member.
std::int64_t bytes_of(const Archive& archive) {
  constexpr std::int64_t kMemberBytes = 256;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < archive.size(); ++i) bytes += kMemberBytes + to_int64(archive.name(i).size());
  return bytes;
}

}  // namespace

ArchiveCache::Opened ArchiveCache::open(OpenedFile& opened) {
  const auto& mapping = opened.file.mapping();
  if (mapping == nullptr) return {open_archive(opened), nullptr};
  // Others wait while an archive is parsed: most often it is the one that they want.
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.opened.mapping->is_same_file(*mapping); });
  if (known != entries_.end()) {
    if (known->opened.mapping->has_content_of(*mapping)) {
      std::rotate(known, known + 1, entries_.end());
      return entries_.back().opened;
    }
    entries_.erase(known);
  }
  Opened found = {open_archive(opened), mapping};
  entries_.push_back({found, bytes_of(*found.archive)});
  std::int64_t bytes =
      std::accumulate(entries_.begin(), entries_.end(), std::int64_t{0},
                      [](std::int64_t sum, const Entry& entry) { return sum + entry.bytes; });
  for (; bytes > memory_; entries_.erase(entries_.begin())) bytes -= entries_.front().bytes;
  return found;
}

}  // namespace tensorop
