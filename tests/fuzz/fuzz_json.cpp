// A tensor as JSON text or, after a t, a c or a v, as a text table, CSV or TSV. A letter from A to P in front
// of either asks for a dtype, the first to the last of the table of dtypes. Text divided among
// threads is the same tensor, or refused with the same words; no beginning of text that is read is refused;
// and it comes back after it was written.
#include "base/text/text.hpp"
#include "fuzz/fuzz.hpp"
#include "io/format.hpp"
#include "support/json_reading.hpp"

namespace tensorop::fuzz {
namespace {

void check(std::string_view text, std::optional<DType> as, const Format& format) {
  const JsonOutcome whole = read_json_whole(text, as, {1, {}, format.read_text});
  const auto require_same = [&](std::string_view how, const JsonOutcome& other) {
    const std::string wrong = difference(whole, other);
    require(wrong.empty(), cat(how, ": ", wrong));
  };
  // The text itself says how large parts are.
  std::size_t next = 0;
  const auto size = [&]() -> std::size_t {
    constexpr std::size_t kMost = 64;
    return text.empty() ? 1 : 1 + static_cast<unsigned char>(text[next++ % text.size()]) % kMost;
  };
  require_same("divided among threads", read_json_whole(text, as, {3, size(), format.read_text}));
  if (!whole.refused.empty()) return;
  // Lines of any table may be strings.
  const std::size_t cut = text.size() - size() % (text.size() + 1);
  const TextCheck check = format.check_text();
  const bool may_go_on = check(text.substr(0, cut / 2)) && check(text.substr(0, cut));
  require(as == DType::string || may_go_on, "the beginning of a text is refused");
  require(!as || whole.typed || whole.tensor.dtype() == *as, "another dtype was asked for");
  require_round_trip(whole.tensor);
}

}  // namespace

static int run_json(const std::uint8_t* data, std::size_t size) {
  const MemoryBound bound(size);
  std::string_view text = text_of(data, size);
  std::optional<DType> as;
  if (!text.empty() && text[0] >= 'A' && text[0] < 'A' + kDTypeCount) {
    as = static_cast<DType>(text[0] - 'A');
    text.remove_prefix(1);
  }
  const Format* format = &kJsonFormat;
  if (!text.empty() && std::string_view("tcv").find(text[0]) != std::string_view::npos) {
    format = text[0] == 't' ? &kTextFormat : text[0] == 'c' ? &kCsvFormat : &kTsvFormat;
    text.remove_prefix(1);
  }
  check(text, as, *format);
  return 0;
}

const NamedTarget kJsonTarget("json", run_json);

}  // namespace tensorop::fuzz
