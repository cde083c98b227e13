// A tensor as JSON text. A letter from A to P in front asks for a dtype, the first to the last of the table.
// Text in memory and text that arrives bit by bit are the same tensor, or refused with the same words; and it
// comes back after it was written.
#include "base/input_file.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/memory_system.hpp"
#include "io/json_reader.hpp"

namespace tensorop::fuzz {
namespace {

struct Outcome {
  std::optional<JsonTensor> read;
  std::string refused;
};

Outcome outcome(JsonText text, std::optional<DType> as) {
  try {
    return {read_json(text, as), ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

void check(std::string_view text, std::optional<DType> as) {
  const Outcome whole = outcome(JsonText(text, nullptr), as);
  MemorySystem memory;
  memory.streams = true;
  memory.put("pipe", std::string(text));
  const ScopedSystem scope(memory);
  const Outcome streamed = outcome(JsonText(InputFile::open("pipe"), ""), as);
  require(whole.refused == streamed.refused, "a stream is refused with other words than the file");
  if (!whole.read) return;
  require(same(whole.read->tensor, streamed.read->tensor), "a stream is another tensor than the file");
  require(!as || whole.read->typed || whole.read->tensor.dtype() == *as, "another dtype was asked for");
  require_round_trip(whole.read->tensor);
}

}  // namespace
}  // namespace tensorop::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tensorop;
  const fuzz::MemoryBound bound(size);
  std::string_view text = fuzz::text_of(data, size);
  std::optional<DType> as;
  if (!text.empty() && text[0] >= 'A' && text[0] < 'A' + kDTypeCount) {
    as = static_cast<DType>(text[0] - 'A');
    text.remove_prefix(1);
  }
  fuzz::check(text, as);
  return 0;
}
