// Small text helpers: concatenation, integers, UTF-8, nearest names. Owns: no format; io reads and writes
// tensor elements.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

namespace detail {
inline void append(std::string& out, std::string_view part) {
  out += part;
}
inline void append(std::string& out, char part) {
  out += part;
}
template <std::integral T>
requires(!std::same_as<T, char> && !std::same_as<T, bool>) void append(std::string& out, T value) {
  char digits[24];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, result.ptr);
}
}  // namespace detail

// Concatenates the parts (strings, characters, integers).
template <class... Parts>
[[nodiscard]] std::string cat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

// "a, b, c".
[[nodiscard]] std::string join(const std::vector<std::string>& items, std::string_view separator = ", ");
// Joins the results of `text_of` for each item.
template <class Items, class Text>
[[nodiscard]] std::string join(const Items& items, std::string_view separator, const Text& text_of) {
  std::string out;
  for (const auto& item : items) out += cat(out.empty() ? "" : separator, text_of(item));
  return out;
}
// "a, b or c", if the word is "or".
[[nodiscard]] std::string join_words(std::vector<std::string> items, std::string_view word);
// Splits "a, b" into "a", "b".
[[nodiscard]] std::vector<std::string> split(std::string_view text, std::string_view separator);
// Whether the pattern matches the whole text: * stands for any bytes, ? for one.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);
// "1 element", "2 elements".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view thing);

// The words of `text` in lines of at most `width` bytes (a longer word gets its own line); lines after the
// first begin with `indent` spaces, which count. No newline at the end.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// Parses a decimal integer with an optional sign; "010" is ten. Nothing if `text` is no integer or does not
// fit.
[[nodiscard]] std::optional<std::int64_t> parse_int64(std::string_view text);

inline constexpr std::string_view kBlanks = " \t\r\n";
// `text` without the blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
// `text` without what is at its front: these characters; a byte order mark; a byte order mark, then blanks.
[[nodiscard]] std::string_view after_any(std::string_view text, std::string_view characters);
[[nodiscard]] std::string_view after_byte_order_mark(std::string_view text);
[[nodiscard]] std::string_view after_blanks(std::string_view text);
[[nodiscard]] constexpr bool is_digit(int c) {
  return c >= '0' && c <= '9';
}
// Whether `text` has only digits, at least one.
[[nodiscard]] bool is_digits(std::string_view text);
// The last `digits` hexadecimal digits of a number, in lower case.
[[nodiscard]] std::string hex(std::uint64_t number, int digits);

// The number of bytes at the front of `text` that may begin a UTF-8 character (RFC 3629, "Syntax of UTF-8
// Byte Sequences"), and whether they are a complete character.
struct Utf8Prefix {
  std::size_t bytes;
  bool is_whole;
};
[[nodiscard]] Utf8Prefix utf8_prefix(std::string_view text);
// Length in bytes (1..4) of the well-formed UTF-8 character at the front of `text`; 0 if there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

// The number of characters of well-formed UTF-8.
[[nodiscard]] std::int64_t utf8_characters(std::string_view text);

// True when all of `text` is well-formed UTF-8 (no surrogates, nothing above U+10FFFF, no overlong forms).
[[nodiscard]] bool is_utf8(std::string_view text);
// True if `text` has no ASCII control characters except white space, also for the empty text.
[[nodiscard]] bool is_text(std::string_view text);

// Appends the UTF-8 form of a code point (at most U+10FFFF).
void append_utf8(std::string& out, std::uint32_t code_point);

// The bytes of `text`.
[[nodiscard]] inline std::span<const std::byte> text_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The bytes as text.
[[nodiscard]] inline std::string_view bytes_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Lower case (ASCII) without '-' and '_', for comparing operator and option names.
[[nodiscard]] std::string fold_name(std::string_view name);

// Turns "batch_dims" into "--batch-dims".
[[nodiscard]] std::string option_name(std::string_view name);

// ASCII lower case.
[[nodiscard]] std::string lower(std::string_view text);

// The candidate nearest to `name` by edit distance, or empty if none is near enough.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tensorop
