// An NPZ archive. Whatever its directory says, each member is an array or is refused, and its header says
// what the array is; names are found.
#include <string>

#include "base/files/input_file.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/memory_system.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"

namespace tensorop::fuzz {
namespace {

void check(const Archive& archive) {
  (void)attempt([&] { return archive.only_array(); });
  (void)attempt([&] { return archive.find("arr_0"); });
  for (std::size_t member = 0; member < archive.size(); ++member) {
    const std::size_t found = archive.find(archive.name(member));
    // "a.npy" stands before a member that is called just "a".
    require(archive.name(found) == archive.name(member), "a name finds another member");
    const auto header = attempt([&] { return archive.readable(archive.entry(member)); });
    const auto whole = attempt([&] { return archive.read(archive.readable(archive.entry(member)), {}); });
    const auto in_blocks = attempt(
        [&] { return archive.read(archive.readable(archive.entry(member)), {.threads = Threads(2)}); });
    require(whole.has_value() == in_blocks.has_value() && (!whole || same(*whole, *in_blocks)),
            "two threads read another array than one");
    if (!whole) continue;
    require(header && header->dtype == whole->dtype() && header->shape == whole->shape(),
            "the header is of another array");
    require_round_trip(*whole);
  }
}

}  // namespace

static int run_npz(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  MemorySystem memory;
  memory.put("a.npz", std::string(text_of(data, size)));
  const ScopedSystem scope(memory);
  InputFile file = InputFile::open("a.npz");
  const auto archive = attempt([&] { return kNpzFormat.open(file); });
  if (archive) check(**archive);
  return 0;
}

const NamedTarget kNpzTarget("npz", run_npz);

}  // namespace tensorop::fuzz
