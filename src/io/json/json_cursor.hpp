// A pull parser for JSON text (RFC 8259): the caller asks for each value as it needs it. Knows the grammar
// and the messages for malformed text, but not the meaning of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "io/text/text_cursor.hpp"

namespace tensorop {

enum class JsonKind : std::uint8_t { null, boolean, number, string, list, object };

// "a number", "true or false": how messages name a kind.
[[nodiscard]] std::string_view kind_name(JsonKind kind);

// The length of the JSON number (RFC 8259, "Numbers") at the front of `text`, and the missing part after it,
// for messages; empty if the number is complete.
struct JsonNumber {
  std::size_t length;
  std::string_view missing;
};
[[nodiscard]] JsonNumber json_number(std::string_view text);

// Maximum nesting of lists and objects: more than any tensor or record needs.
inline constexpr int kDeepestJson = 100;

// Read a value by value(); if it is a list or an object, then call next_item() or next_member() until it
// returns false:
//     if (in.value() == JsonKind::list) while (in.next_item()) use(in.value());
// All functions throw Error "malformed JSON at line 1, column 3: ..." naming the last wrong byte.
class JsonCursor : public TextCursor {
 public:
  // Skips a byte order mark. `text` and `name`, which begins the messages unless empty, must outlive the
  // cursor. `begin`: the offset of the text in a binary file; messages then name bytes of the file, from 0,
  // not lines. `is_cut` as in TextCursor.
  explicit JsonCursor(std::string_view text, std::string_view name = {},
                      std::optional<std::size_t> begin = {}, bool is_cut = false);

  // Reads the next value: the opening bracket of a list or an object, all of any other value.
  JsonKind value();
  // value(). Throws Error "WHAT, found KIND" for another kind; `what` is text in parts.
  template <class... What>
  void require(JsonKind kind, const What&... what) {
    if (const JsonKind other = value(); other != kind) throw Error(cat(what..., ", found ", found(other)));
  }
  // After the bracket or an item of a list: whether another item follows. False: the list has ended.
  [[nodiscard]] bool next_item() { return next(']'); }
  // next_item() for an object. Also reads the member's key, which text() returns.
  [[nodiscard]] bool next_member();
  // Reads the rest of a value for which value() returned `kind`. False, in the middle of the value, if lists
  // and objects in it are nested more than `deepest` deep.
  [[nodiscard]] bool skip_rest(JsonKind kind, int deepest);

  // The last value or key read: a number as its text, a string or a key decoded to UTF-8; "true", "false",
  // "null". A checked copy, because a mapped file may change. Valid until the next value or key is
  // read.
  [[nodiscard]] std::string_view text() const { return value_; }
  // Describes the last value read, for messages: its kind, or true or false.
  [[nodiscard]] std::string_view found(JsonKind kind) const {
    return kind == JsonKind::boolean ? text() : kind_name(kind);
  }

  // Whether the text ends here. If not, offset() is afterwards the offset of the next token.
  [[nodiscard]] bool at_end();
  // Throws Error if the text does not end here; `end` names the expected end.
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

  // Refuses the next token.
  [[noreturn]] void refuse(std::string_view expected);
  // `at` is the wrong byte; `begin` is the start of the last token.
  [[noreturn]] void refuse_byte(const char* at, const char* begin, std::string_view expected) const;
  // "expected X, found Y", or `found` alone.
  [[noreturn]] void refuse_at(std::size_t offset, std::string_view expected, std::string_view found) const;
  [[noreturn]] void fail(std::string_view place, std::string_view message, std::string_view hint = {}) const;

  std::string_view name_;
  std::optional<std::size_t> begin_;
  std::string_view expected_;  // in messages, the expectation in place of the current token
  bool is_first_ = false;      // the last token was an opening bracket: no comma follows
  std::string token_;
  std::string_view value_;  // returned by text(): in token_, or a literal
};

}  // namespace tensorop
