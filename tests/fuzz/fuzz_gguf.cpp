// A GGUF file. Whatever its header says, tensors lie within the data and apart, and each is found by its
// name.
#include "base/files/input_file.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/memory_system.hpp"
#include "io/archive.hpp"
#include "io/format.hpp"

namespace tensorop::fuzz {

static int run_gguf(const std::uint8_t* data, std::size_t size) {
  const std::string file = std::string("GGUF").append(text_of(data, size));
  const MemoryBound bound(file.size());
  MemorySystem memory;
  memory.put("a", file);
  const ScopedSystem scope(memory);
  InputFile opened = InputFile::open("a");
  const auto archive = attempt([&] { return kGgufFormat.open(opened); });
  if (!archive) return 0;
  check_archive(**archive);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < (*archive)->size(); ++i) bytes += (*archive)->entry(i).bytes;
  require(bytes <= static_cast<std::int64_t>(file.size()), "tensors have more bytes than the file");
  return 0;
}

const NamedTarget kGgufTarget("gguf", run_gguf);

}  // namespace tensorop::fuzz
