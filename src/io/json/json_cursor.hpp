// JSON text (RFC 8259) read by pulling: a reader asks for the value that it wants, at the place where it
// wants it. Knows the grammar and what a malformed text is called, and nothing of what values mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/text/text_cursor.hpp"

namespace tensorop {

enum class JsonKind : std::uint8_t { null, boolean, number, string, list, object };

// "a number", "true or false": how messages name a kind.
[[nodiscard]] std::string_view kind_name(JsonKind kind);

// The length of the JSON number (RFC 8259, section 6) at the front of `text`, and what is missing after that,
// for messages; empty if nothing is.
struct JsonNumber {
  std::size_t length;
  std::string_view missing;
};
[[nodiscard]] JsonNumber json_number(std::string_view text);

// Lists and objects within each other: more than any tensor or record has.
inline constexpr int kDeepestJson = 100;

// A value is read by value(), and by next_item() or next_member() until they return false if it is a list or
// an object:
//     if (in.value() == JsonKind::list) while (in.next_item()) use(in.value());
// All throw Error "malformed JSON at line 1, column 3: ..." naming the last byte of what is wrong.
class JsonCursor : public TextCursor {
 public:
  // A byte order mark at the beginning of the text is skipped. `text` and `name`, which begins the messages
  // if it is not empty, outlive the cursor. `begin`: the byte of a binary file at which the text begins;
  // messages then name bytes of the file, from 0, not lines. `is_cut` as TextCursor has it.
  explicit JsonCursor(std::string_view text, std::string_view name = {},
                      std::optional<std::size_t> begin = {}, bool is_cut = false);

  // Reads the next value: of a list or an object its bracket, of others all.
  JsonKind value();
  // In a list of which value() or an item was read last: whether an item follows. False: the list has ended.
  [[nodiscard]] bool next_item() { return next(']'); }
  // The same of an object. The key of the member, which text() is then, has been read.
  [[nodiscard]] bool next_member();
  // Reads the rest of a value of which value() returned `kind`. False, in the middle of the value, if it has
  // more than `deepest` lists and objects within each other.
  [[nodiscard]] bool skip_rest(JsonKind kind, int deepest);

  // Of a number its text, of a string or a key what it means, in UTF-8; "true", "false", "null". A copy of
  // the text, which was checked itself: a mapped file may change. Valid until the next value or key is read.
  [[nodiscard]] std::string_view text() const { return value_; }
  // What the value that was read last is, for messages: of `kind`, or true or false.
  [[nodiscard]] std::string_view found(JsonKind kind) const {
    return kind == JsonKind::boolean ? text() : kind_name(kind);
  }

  // Whether the text ends here. If it does not, offset() is afterwards the offset of the next token.
  [[nodiscard]] bool at_end();
  // Throws Error, which calls it `end`, if it does not.
  void require_end(std::string_view end) {
    if (!at_end()) refuse(end);
  }

 private:
  JsonKind read_value();
  bool next(char end);
  void read_word(std::string_view word);
  void read_number();
  void read_string();
  void read_escape(const char*& at);
  std::uint32_t read_hex(const char*& at);
  [[nodiscard]] std::size_t checked_characters(const char* at, std::size_t first);
  void require_character(const char* at) const;

  // Refuses the token that stands here.
  [[noreturn]] void refuse(std::string_view expected);
  // `at` is the byte that is wrong; `begin` is where the last token begins.
  [[noreturn]] void refuse_byte(const char* at, const char* begin, std::string_view expected) const;
  // "expected X, found Y", or `found` alone.
  [[noreturn]] void refuse_at(std::size_t offset, std::string_view expected, std::string_view found) const;
  [[noreturn]] void fail(std::string_view place, std::string_view message, std::string_view hint = {}) const;

  std::string_view name_;
  std::optional<std::size_t> begin_;
  std::string_view expected_;  // in place of the token that is being read, for messages
  bool is_first_ = false;      // a bracket was read last: no comma is in front of what follows
  std::string token_;
  std::string_view value_;  // what text() returns: of token_, or a word
};

// Whether a longer text that begins with `head` may be JSON: a value, or objects one after the other.
[[nodiscard]] bool may_become_json(std::string_view head);

}  // namespace tensorop
