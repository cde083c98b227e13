#include "support/json_reading.hpp"

#include "base/process/threads.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// The index of the first string that differs, or the first byte.
std::optional<std::size_t> first_difference(const Tensor& a, const Tensor& b) {
  const auto size = static_cast<std::size_t>(a.dtype() == DType::string ? a.size() : a.bytes());
  for (std::size_t i = 0; i < size; ++i) {
    const bool equal = a.dtype() == DType::string ? a.strings()[i].view() == b.strings()[i].view()
                                                  : a.data()[i] == b.data()[i];
    if (!equal) return i;
  }
  return std::nullopt;
}

}  // namespace

JsonOutcome read_json_whole(std::string_view text, std::optional<DType> as, const JsonParts& parts) {
  TextReading reading{.as = as, .threads = Threads(parts.threads)};
  if (parts.bytes) reading.part_bytes = *parts.bytes;
  JsonOutcome outcome;
  try {
    const TextTensor json = parts.read(text, reading);
    outcome.typed = json.typed;
    outcome.empty = json.empty;
    outcome.tensor = json.checked_tensor();
  } catch (const Failure& error) {
    outcome = {};
    outcome.refused = error.hint().empty() ? error.what() : cat(error.what(), "\n", error.hint());
  }
  return outcome;
}

std::string difference(const JsonOutcome& a, const JsonOutcome& b) {
  const auto told = [](const JsonOutcome& outcome) {
    if (!outcome.refused.empty()) return cat("refused: ", outcome.refused);
    return cat(name(outcome.tensor.dtype()), ' ', to_string(outcome.tensor.shape()),
               outcome.typed ? ", typed" : "", outcome.empty ? ", empty" : "");
  };
  if (told(a) != told(b)) return cat(told(a), " or ", told(b));
  if (!a.refused.empty()) return "";
  const auto at = first_difference(a.tensor, b.tensor);
  if (!at) return "";
  const bool strings = a.tensor.dtype() == DType::string;
  return cat(told(a), ": they differ at ", strings ? "element " : "byte ", *at);
}

}  // namespace tensorop
