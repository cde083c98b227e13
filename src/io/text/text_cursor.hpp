// Text in memory, and a position in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tensorop {

// A segment of text, kept alive by `owner`.
struct TextSpan {
  std::string_view text;
  std::shared_ptr<const void> owner = {};
};

// A copy of `text`, kept by the span itself.
[[nodiscard]] inline TextSpan owned_span(std::string_view text) {
  const auto copy = std::make_shared<const std::string>(text);
  return {*copy, copy};
}

// Thrown at the end of a text that is only the beginning of a longer text.
struct TextCut {};

// A position in a text; base class of scanners. The text may be a mapped file whose contents other processes
// change; its bounds are constant.
class TextCursor {
 public:
  // The text from the position on.
  [[nodiscard]] std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  // Steps over characters of rest().
  void skip(std::size_t characters) { at_ += characters; }
  // The offset of rest() in the text.
  [[nodiscard]] std::size_t offset() const { return offset_of(at_); }
  void go_to(std::size_t offset) { at_ = text_.data() + offset; }

 protected:
  // `is_cut`: the text is the beginning of a longer one; reading to its end throws TextCut.
  explicit TextCursor(std::string_view text, bool is_cut = false)
      : text_(text), at_(text.data()), end_(text.data() + text.size()), is_cut_(is_cut) {}

  // The character at `at`, a pointer into the text or its end; -1 at the end.
  [[nodiscard]] int peek(const char* at) const {
    if (at == end_) [[unlikely]]
      return meet_end(), -1;
    return static_cast<unsigned char>(*at);
  }
  void meet_end() const {
    if (is_cut_) throw TextCut();
  }
  // Steps over a byte order mark at `at`, the beginning of the text; true also if there is none. False for an
  // incomplete mark: `at` is then at the byte that differs.
  bool skip_byte_order_mark(const char*& at) const;
  [[nodiscard]] std::size_t offset_of(const char* at) const {
    return static_cast<std::size_t>(at - text_.data());
  }

  // A position for messages: line and column, both counted from 1; a line break belongs to its line.
  struct Place {
    std::int64_t line;
    std::size_t column;
  };
  [[nodiscard]] Place place(std::size_t offset) const;

  std::string_view text_;
  const char* at_;
  const char* end_;

 private:
  bool is_cut_;
};

}  // namespace tensorop
