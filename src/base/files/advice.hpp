// Advice to the system about memory that will be read (madvise): mapped files, whose pages the system reads
// ahead and drops. Advice never fails and never changes a byte; for other memory it has no effect.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensorop {

// These bytes will be read soon: the system starts to read their pages now.
void will_need(const std::byte* begin, std::int64_t bytes);

// These bytes will be read in random order: the system reads only the missing page, without read-ahead.
void expect_random(const std::byte* begin, std::int64_t bytes);

// These bytes of a mapped file will not be read again: pages that lie completely within them leave the memory
// of this process, but not the page cache. Only for mapped files: private memory would become zero.
void done_with(const std::byte* begin, std::int64_t bytes);

// This private memory is large and is accessed in random order: the system should use large pages.
void prefer_large_pages(const std::byte* begin, std::int64_t bytes);

}  // namespace tensorop
