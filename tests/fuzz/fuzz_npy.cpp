// An NPY file. In memory and as a stream, of known and unknown length, it is the same array or is refused all
// the same; the header says what the array is; and it comes back after it was written.
#include <algorithm>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "io/npy/npy.hpp"

namespace tensorop::fuzz {
namespace {

using Bytes = std::span<const std::byte>;

// The bytes from front to end.
class Stream {
 public:
  explicit Stream(Bytes bytes) : rest_(bytes) {}
  ByteSource as(std::optional<std::int64_t> length) {
    return {[this](std::span<std::byte> buffer) {
              const std::size_t count = std::min(buffer.size(), rest_.size());
              std::copy_n(rest_.begin(), count, buffer.begin());
              rest_ = rest_.subspan(count);
              return count;
            },
            length};
  }

 private:
  Bytes rest_;
};

void check(Bytes file) {
  const auto header = attempt([&] { return read_npy({.memory = file}, {.header_only = true}); });
  const auto whole = attempt([&] { return read_npy({.memory = file}, {}); });
  const auto streamed = attempt([&] { return read_npy(Stream(file).as(std::nullopt), {}); });
  const auto length = static_cast<std::int64_t>(file.size());
  const auto known = attempt([&] { return read_npy(Stream(file).as(length), {}); });
  require(whole.has_value() == streamed.has_value() && whole.has_value() == known.has_value(),
          "a stream is refused where the file is not, or the other way round");
  if (!whole) return;
  require(same(*whole, *streamed) && same(*whole, *known), "a stream is another array than the file");
  require(header && header->dtype() == whole->dtype() && header->shape() == whole->shape(),
          "the header is of another array");
  require_round_trip(*whole);
}

}  // namespace

int run_npy(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  // Anything else is refused at once.
  std::vector<std::byte> file(std::max(size, kNpyMagic.size()));
  std::transform(data, data + size, file.begin(), [](std::uint8_t byte) { return std::byte{byte}; });
  std::ranges::copy(std::as_bytes(std::span(kNpyMagic)), file.begin());
  check(file);
  return 0;
}

}  // namespace tensorop::fuzz
