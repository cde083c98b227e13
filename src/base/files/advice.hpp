// What the system is told about memory that will be read: mapped files, whose pages it reads ahead and drops
// as told. Advice never fails and never changes a byte; for other memory it has no effect.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensorop {

// These bytes will be read soon: the system starts to read their pages now.
void will_need(const std::byte* begin, std::int64_t bytes);

// These bytes will be read here and there: a missing page is read alone.
void expect_random(const std::byte* begin, std::int64_t bytes);

// These bytes of a mapped file will not be read again: pages that lie in them whole leave the memory of this
// process, not the page cache. Only for mapped files: private memory would become zero.
void done_with(const std::byte* begin, std::int64_t bytes);

// This private memory is large, and is read and written all over: large pages are better for it than many
// small ones.
void prefer_large_pages(const std::byte* begin, std::int64_t bytes);

}  // namespace tensorop
