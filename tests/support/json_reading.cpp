#include "support/json_reading.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/input_file.hpp"
#include "base/system.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

// The reader of today takes neither threads nor pieces of chosen sizes: the next functions stand for what it
// will have.
JsonOutcome outcome_of(JsonText& text, std::optional<DType> as, const JsonParts& /*parts*/) {
  try {
    JsonTensor read = read_json(text, as);
    return {"", std::move(read.tensor), read.typed, read.empty};
  } catch (const Error& error) {
    return {error.hint().empty() ? error.what() : cat(error.what(), "\n", error.hint()), {}, false, false};
  }
}

// Every file is a stream that holds the text and arrives in pieces.
class PieceSystem : public System {
 public:
  PieceSystem(std::string_view text, const std::function<std::size_t()>& piece_bytes)
      : rest_(text), piece_bytes_(piece_bytes) {}
  int open(const char* /*path*/, int flags, mode_t mode) override {
    return System::open("/dev/null", flags, mode);
  }
  ssize_t read(int /*fd*/, void* buffer, size_t bytes) override {
    const std::size_t count = std::min({bytes, piece_bytes_(), rest_.size()});
    std::memcpy(buffer, rest_.data(), count);
    rest_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }

 private:
  std::string_view rest_;
  const std::function<std::size_t()>& piece_bytes_;
};

// The index of the first string that differs, or the first byte.
std::optional<std::size_t> first_difference(const Tensor& a, const Tensor& b) {
  const auto size = static_cast<std::size_t>(a.dtype() == DType::string ? a.size() : a.bytes());
  for (std::size_t i = 0; i < size; ++i) {
    const bool equal = a.dtype() == DType::string ? a.as<StringRef>()[i].view() == b.as<StringRef>()[i].view()
                                                  : a.data()[i] == b.data()[i];
    if (!equal) return i;
  }
  return std::nullopt;
}

}  // namespace

JsonText json_text(std::string_view text) {
  return {text, nullptr};
}

JsonOutcome read_json_whole(std::string_view text, std::optional<DType> as, const JsonParts& parts) {
  JsonText whole = json_text(text);
  return outcome_of(whole, as, parts);
}

void with_json_pieces(std::string_view text, const std::function<std::size_t()>& piece_bytes,
                      const std::function<void(JsonText&)>& use) {
  // The first piece is what was read to detect the format.
  const std::string first(text.substr(0, piece_bytes()));
  PieceSystem system(text.substr(first.size()), piece_bytes);
  const ScopedSystem scope(system);
  JsonText pieces(InputFile::open("stream"), first);
  use(pieces);
}

JsonOutcome read_json_pieces(std::string_view text, std::optional<DType> as,
                             const std::function<std::size_t()>& piece_bytes, const JsonParts& parts) {
  JsonOutcome outcome;
  with_json_pieces(text, piece_bytes, [&](JsonText& pieces) { outcome = outcome_of(pieces, as, parts); });
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
