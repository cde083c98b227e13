// The tokens of JSON text (RFC 8259), and what a malformed one is called. Knows nothing of what they mean,
// nor of where they may stand: json_grammar.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/json_text.hpp"

namespace tensorop {

enum class JsonToken : std::uint8_t {
  end,
  begin_list,
  end_list,
  begin_object,
  end_object,
  comma,
  colon,
  string,
  number,
  word_true,
  word_false,
  word_null,
};

class JsonScanner : public TextCursor {
 public:
  // Scans `text` from the beginning of its window on. A byte order mark at the beginning of the text is
  // skipped. `name`, which outlives the scanner, begins its messages where it is not empty. `begin`: the byte
  // of a binary file at which the text begins; messages then name bytes of the file, from 0, not lines.
  explicit JsonScanner(JsonText& text, std::string_view name = {}, std::optional<std::size_t> begin = {});

  // The next token. `expected` is what may stand here, for the message where no token does. Throws Error
  // "malformed JSON at line 1, column 3: ..." naming the last byte of what is wrong.
  JsonToken next(std::string_view expected = {});
  // Of a number its text, of a string what it means, in UTF-8. Valid until the next call of next().
  [[nodiscard]] std::string_view text() const { return token_; }

  // Refuses the token that next() returned last, as next() would.
  [[noreturn]] void refuse(JsonToken found, std::string_view expected) const;

  // Whether the text has no further token. If it has one, offset() is afterwards where that begins.
  [[nodiscard]] bool at_end();

 private:
  void scan_word(std::string_view word);
  void scan_number();
  void scan_string();
  void scan_escape(const char*& at);
  std::uint32_t scan_hex(const char*& at);
  void scan_utf8(const char*& at);

  // `at` is the byte that is wrong; `begin` is where the last token begins.
  [[noreturn]] void refuse_byte(const char* at, const char* begin, std::string_view message) const;

  [[noreturn]] void refuse_at(std::size_t offset, std::string_view message) const;
  [[noreturn]] void fail(std::string_view place, std::string_view message) const;

  std::string_view name_;
  std::optional<std::size_t> begin_;
  std::string_view expected_;
  std::string_view token_;
  std::string decoded_;  // a string that has escapes
};

}  // namespace tensorop
