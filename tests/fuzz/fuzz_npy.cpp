// An NPY file. The header says what the array is; as the beginning of a stream it is not refused; and it
// comes back after it was written.
#include <algorithm>
#include <vector>

#include "base/files/input_file.hpp"
#include "base/text/text.hpp"
#include "fuzz/fuzz.hpp"
#include "io/array/stored_array.hpp"
#include "io/format.hpp"
#include "io/npy/npy.hpp"

namespace tensorop::fuzz {
namespace {

using Bytes = std::span<const std::byte>;

void check(Bytes file) {
  const auto owner = std::make_shared<MappedFile>(file, nullptr);
  const auto header = attempt([&] { return npy_entry(file, owner); });
  const auto whole = header ? attempt([&] { return read_stored(*header, {}); }) : std::nullopt;
  const std::int64_t enough = kNpyFormat.enough_bytes(bytes_text(file));
  require(!whole || enough >= static_cast<std::int64_t>(file.size()), "an array is refused by its beginning");
  if (!whole) return;
  require(header->dtype == whole->dtype() && header->shape == whole->shape(),
          "the header is of another array");
  require_round_trip(*whole);
}

}  // namespace

static int run_npy(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  // Anything else is refused at once.
  std::vector<std::byte> file(std::max(size, kNpyMagic.size()));
  std::transform(data, data + size, file.begin(), [](std::uint8_t byte) { return std::byte{byte}; });
  std::ranges::copy(std::as_bytes(std::span(kNpyMagic)), file.begin());
  check(file);
  return 0;
}

const NamedTarget kNpyTarget("npy", run_npy);

}  // namespace tensorop::fuzz
