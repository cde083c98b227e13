#include "io/text/text_cursor.hpp"

#include <algorithm>

namespace tensorop {

TextCursor::Place TextCursor::place(std::size_t offset) const {
  const std::string_view before = text_.substr(0, offset);
  // If rfind() returns npos, npos + 1 is 0.
  const std::size_t begin = before.rfind('\n') + 1;
  return {std::ranges::count(before, '\n') + 1, offset + 1 - begin};
}

bool TextCursor::skip_byte_order_mark(const char*& at) const {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (peek(at) != static_cast<unsigned char>(kMark[0])) return true;
  for (const char byte : kMark) {
    if (peek(at) != static_cast<unsigned char>(byte)) return false;
    ++at;
  }
  return true;
}

}  // namespace tensorop
