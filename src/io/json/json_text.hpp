// JSON text that is in memory, or that arrives in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/input_file.hpp"

namespace tensorop {

// A piece of text, kept alive by `owner`.
struct JsonSpan {
  std::string_view text;
  std::shared_ptr<const void> owner = {};
};

// A copy of `text`, kept by the span itself.
[[nodiscard]] inline JsonSpan owned_span(std::string_view text) {
  const auto copy = std::make_shared<const std::string>(text);
  return {*copy, copy};
}

class JsonText {
 public:
  // Puts up to buffer.size() characters into `buffer` and returns how many; 0 at the end. Throws Error.
  using Read = std::function<std::size_t(std::span<char> buffer)>;

  // Text in memory.
  explicit JsonText(JsonSpan whole) : whole_(std::move(whole)) {}
  // Text that arrives, of which `read_so_far` has been read already.
  explicit JsonText(Read read, std::string_view read_so_far = {});
  // What was peeked of the stream is in the window from the beginning.
  explicit JsonText(InputFile stream);

  // The part of the text that is in memory: all of it, or a window that moves along a stream. Valid until the
  // next extend().
  [[nodiscard]] std::string_view window() const {
    return read_ ? std::string_view(buffer_.data(), buffer_.size()) : whole_.text;
  }
  // The offset of window() in the text.
  [[nodiscard]] std::size_t offset() const { return offset_; }
  // Whether window() is the whole text for certain.
  [[nodiscard]] bool is_whole() const { return read_ == nullptr; }

  // Reads the next block of a stream. Text in front of the offset `needed` may leave the window then, but for
  // what is kept and for the last kHistory characters. False at the end of the text: the window is as it was.
  bool extend(std::size_t needed);
  static constexpr std::size_t kHistory = 32;

  // From here on the text from `offset` on, which lies in the window, stays there.
  void keep_from(std::size_t offset) { kept_ = offset; }
  void keep_nothing() { kept_ = kNothing; }
  // From here on text in memory, which others may change, is copied piece by piece before it is looked at: it
  // is like text that arrives.
  void own();
  // The whole of a text that arrived, once it has been read to its end and all of it was kept. The last call.
  [[nodiscard]] JsonSpan share();

  // A place as messages name it: both counted from 1, a line break ends its line. `offset` lies in the window
  // or at its end.
  struct Place {
    std::int64_t line;
    std::size_t column;
  };
  [[nodiscard]] Place place(std::size_t offset) const;

 private:
  static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);

  JsonSpan whole_;
  Read read_;
  bool ended_ = false;
  std::vector<char> buffer_;
  std::size_t offset_ = 0;
  std::size_t kept_ = kNothing;
  // Of the text in front of the window: its line breaks, and the offset after the last of them.
  std::int64_t line_breaks_ = 0;
  std::size_t line_begin_ = 0;
};

// A position in a text, for scanners to derive from: what is in front of it was read, and may leave the
// window.
class TextCursor {
 public:
  // The text from the position on, as far as it is in memory.
  [[nodiscard]] std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  // Steps over characters of rest().
  void skip(std::size_t characters) { at_ += characters; }
  // The offset of rest() in the text.
  [[nodiscard]] std::size_t offset() const { return offset_of(at_); }
  // Goes to an offset that lies in the window.
  void go_to(std::size_t offset);

  [[nodiscard]] JsonText& source() const { return text_; }

 protected:
  explicit TextCursor(JsonText& text) : text_(text) { go_to(text.offset()); }

  // What the text has at `at`, a pointer into the window or its end; -1 at the end of the text. Text from at_
  // on stays in the window, which may move: `at` follows it.
  int peek(const char*& at) {
    if (at == end_) [[unlikely]] {
      const auto length = at - at_;
      const bool extended = extend();
      at = at_ + length;
      if (!extended) return -1;
    }
    return static_cast<unsigned char>(*at);
  }
  // Steps over a byte order mark at `at`, where the text begins; true if none is there as well. False if it
  // is not whole: `at` is afterwards at the byte that differs.
  bool skip_byte_order_mark(const char*& at);
  // Reads more of the text. False at its end.
  bool extend();
  [[nodiscard]] std::size_t offset_of(const char* at) const {
    return text_.offset() + static_cast<std::size_t>(at - text_.window().data());
  }

  // Blanks take no memory: a stream of them is refused at some point.
  static constexpr std::size_t kMostBlanks = std::size_t{1} << 26;

  JsonText& text_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace tensorop
