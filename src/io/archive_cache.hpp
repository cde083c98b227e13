// Archives that several calls read.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "io/archive.hpp"
#include "io/opened_file.hpp"

namespace tensorop {

// Keeps archives that are mapped files open, so that the directory of a large one is parsed once and not by
// each job of a batch. Any thread. Archives that take more than `memory` bytes are not kept, nor are those
// whose file has changed.
class ArchiveCache {
 public:
  explicit ArchiveCache(std::int64_t memory) : memory_(memory) {}

  struct Opened {
    std::shared_ptr<const Archive> archive;
    std::shared_ptr<const MappedFile> mapping;  // what its arrays lie in; null for a stream
  };
  // The archive of `opened`, or that of the same file as it was opened before. Throws Error as open_archive()
  // does.
  [[nodiscard]] Opened open(OpenedFile& opened);

 private:
  struct Entry {
    Opened opened;
    std::int64_t bytes;
  };

  std::int64_t memory_;
  std::mutex mutex_;
  std::vector<Entry> entries_;  // the least recently used one first
};

}  // namespace tensorop
