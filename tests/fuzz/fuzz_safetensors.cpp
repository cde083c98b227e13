// A safetensors file. Whatever its header says, arrays lie within the data, each is found by its name, and
//  that is read is written
// again as the same arrays.
#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "base/files/input_file.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/memory_system.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"
#include "io/safetensors/safetensors_header.hpp"

namespace tensorop::fuzz {
namespace {

// Offsets as they are in a file, one after the other.
void check_header(const SafetensorsHeader& header) {
  std::int64_t bytes = 0;
  for (const SafetensorsArray& array : header.arrays) {
    require(array.begin >= 0 && array.begin <= array.end && array.end <= header.data_bytes,
            "an array is outside");
    bytes += array.end - array.begin;
  }
  require(bytes == header.data_bytes, "arrays overlap");
  const auto text = attempt([&] { return safetensors_header(header.arrays, header.metadata); });
  if (!text) return;
  const auto again = attempt([&] {
    return parse_safetensors_header(std::string_view(*text).substr(to_size(kSafetensorsPrefix)),
                                    header.data_bytes);
  });
  require(again.has_value(), "a header that was written is refused");
  require(again->metadata == header.metadata, "metadata has changed");
  require(std::ranges::equal(again->arrays, header.arrays,
                             [](const SafetensorsArray& a, const SafetensorsArray& b) {
                               return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
                                      a.begin == b.begin && a.end == b.end;
                             }),
          "arrays have changed");
}

}  // namespace

static int run_safetensors(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  const std::string_view text = text_of(data, size);
  // The JSON alone, so that lengths that lie hide nothing.
  const auto header = attempt([&] { return parse_safetensors_header(text, std::nullopt); });
  if (header) check_header(*header);
  MemorySystem memory;
  memory.put("a", std::string(text));
  const ScopedSystem scope(memory);
  InputFile file = InputFile::open("a");
  const auto archive = attempt([&] { return kSafetensorsFormat.open(file); });
  if (archive) check_archive(**archive);
  return 0;
}

const NamedTarget kSafetensorsTarget("safetensors", run_safetensors);

}  // namespace tensorop::fuzz
