// The index of a model in several safetensors files, beside two such files, which may be what the input adds
// to it. Whatever it says, its arrays are those of the files, or it is refused.
#include "base/files/input_file.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/memory_system.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"

namespace {

// A file of the arrays "a" and "b", or "c", of two bytes each.
std::string shard(std::string_view json) {
  std::string file(8, '\0');
  file[0] = static_cast<char>(json.size());
  return file.append(json)
      .append("12345678")
      .substr(0, 8 + json.size() + (json.find("\"b\"") == json.npos ? 2 : 4));
}

}  // namespace

// The text up to a zero byte is the index; what follows it, if anything, a third file.
namespace tensorop::fuzz {

static int run_shard_index(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  const std::string_view text = text_of(data, size);
  const std::string_view index = text.substr(0, text.find('\0'));
  MemorySystem memory;
  memory.put("i", std::string(index));
  memory.put("m-1", shard(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                          R"("b":{"dtype":"I16","shape":[],"data_offsets":[2,4]}})"));
  memory.put("m-2",
             shard(R"({"__metadata__":{"k":"v"},"c":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})"));
  if (index.size() < text.size()) memory.put("m-3", std::string(text.substr(index.size() + 1)));
  const ScopedSystem scope(memory);
  InputFile file = InputFile::open("i");
  (void)kShardIndexFormat.detects(index);
  const auto archive = attempt([&] { return kShardIndexFormat.open(file); });
  if (!archive) return 0;
  check_archive(**archive);
  require((*archive)->is_current(), "files that nobody changes have changed");
  return 0;
}

const NamedTarget kShardIndexTarget("shard_index", run_shard_index);

}  // namespace tensorop::fuzz
