#include "io/npz/block_index.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "io/little_endian.hpp"
#include "io/npz/deflate_queue.hpp"

namespace tensorop {
namespace {

// All extra fields of a member together have at most 65535 bytes.
constexpr std::int64_t kMostSegments = 8192;
// A reader holds some segments in memory.
constexpr std::int64_t kLargestSegment = std::int64_t{16} << 20;
constexpr std::size_t kNumber = 4;  // bytes

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t offset, std::size_t width) {
  return static_cast<std::uint32_t>(little_endian(bytes.subspan(offset, width)));
}

// The content of the field, or nothing.
std::span<const std::byte> find_field(std::span<const std::byte> fields) {
  constexpr std::size_t kHead = 4;
  while (fields.size() >= kHead) {
    const std::uint32_t id = number_at(fields, 0, 2);
    const std::size_t size = number_at(fields, 2, 2);
    fields = fields.subspan(kHead);
    if (size > fields.size()) return {};
    if (id == kBlockIndexField) return fields.first(size);
    fields = fields.subspan(size);
  }
  return {};
}

}  // namespace

std::string block_index(std::span<const std::uint32_t> packed) {
  const std::int64_t blocks = to_int64(packed.size());
  const std::int64_t together = ceil_div(blocks, kMostSegments);  // blocks of a segment
  if (blocks <= 1 || together * kDeflateBlock > kLargestSegment) return {};
  const std::int64_t segments = ceil_div(blocks, together);
  std::string out;
  append_little_endian(out, kBlockIndexField, 2);
  append_little_endian(out, kNumber * to_size(1 + segments), 2);
  append_little_endian(out, to_size(together * kDeflateBlock), kNumber);
  for (std::int64_t first = 0; first < blocks; first += together) {
    std::uint64_t bytes = 0;
    for (const std::uint32_t size :
         packed.subspan(to_size(first), to_size(std::min(together, blocks - first))))
      bytes += size;
    append_little_endian(out, bytes, kNumber);
  }
  return out;
}

std::optional<Segments> read_block_index(std::span<const std::byte> fields, std::int64_t packed_bytes,
                                         std::int64_t bytes) {
  const auto content = find_field(fields);
  if (content.size() % kNumber != 0 || content.size() < 3 * kNumber) return std::nullopt;
  Segments segments;
  segments.bytes = number_at(content, 0, kNumber);
  // Smaller ones would cost more than they save.
  constexpr std::int64_t kSmallestSegment = std::int64_t{1} << 16;
  const std::int64_t count = to_int64(content.size() / kNumber) - 1;
  if (segments.bytes < kSmallestSegment || segments.bytes > kLargestSegment ||
      count != ceil_div(bytes, segments.bytes)) {
    return std::nullopt;
  }
  segments.begins.push_back(0);
  for (std::size_t at = kNumber; at < content.size(); at += kNumber) {
    segments.begins.push_back(segments.begins.back() + number_at(content, at, kNumber));
  }
  if (segments.begins.back() != packed_bytes) return std::nullopt;
  return segments;
}

}  // namespace tensorop
