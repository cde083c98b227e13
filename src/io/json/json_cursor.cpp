#include "io/json/json_cursor.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.hpp"
#include "base/system/memory.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// Characters of a string that need no decoding: ASCII except quotes, backslashes and control characters.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// The meanings of the characters after a backslash; 0 for others.
constexpr auto kMeanings = [] {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
  std::array<char, 256> meanings{};
  for (std::size_t i = 0; i < kEscapes.size(); ++i)
    meanings[static_cast<unsigned char>(kEscapes[i])] = kCharacters[i];
  return meanings;
}();

// "U+000A", of a control character.
std::string code_name(int byte) {
  return cat("U+00", byte >> 4, "0123456789ABCDEF"[byte & 15]);
}

// "control character U+000A (LF) as \u000A or \n".
std::string escaped_control(int byte) {
  constexpr std::string_view kNames =
      "NULSOHSTXETXEOTENQACKBELBS HT LF VT FF CR SO SI DLEDC1DC2DC3DC4NAKSYNETBCANEM SUBESCFS GS RS US ";
  constexpr std::string_view kShort = "\b\t\n\f\r";
  constexpr std::string_view kShortNames = "btnfr";
  const std::string code = code_name(byte);
  const std::size_t found = kShort.find(static_cast<char>(byte));
  return cat("control character ", code, " (", trimmed(kNames.substr(to_size(3 * byte), 3)), ") as \\u",
             code.substr(2), found == std::string_view::npos ? "" : cat(" or \\", kShortNames[found]));
}

constexpr std::string_view kWellFormed = "well-formed UTF-8";

constexpr std::string_view kValue = "a value";
constexpr std::string_view kEnd = "the end of the text";

// Maximum number of bytes of a token in a message.
constexpr std::ptrdiff_t kMostShown = 24;

// Whether a number token may contain the character.
bool is_of_number(int c) {
  return is_digit(c) || c == '+' || c == '-' || c == '.' || (c | 0x20) == 'e';
}

struct Mistake {
  std::string_view begin;
  std::string_view hint;
};

// Literals of other languages that are not valid JSON, by their first characters; in lower case: in any case.
constexpr Mistake kMistakes[] = {
    {"nan", "JSON has no NaN: write \"NaN\", in quotes"},
    {"inf", "JSON has no Infinity: write \"Infinity\", in quotes"},
    {"-inf", "JSON has no Infinity: write \"-Infinity\", in quotes"},
    {"True", "true and false are written in lower case"},
    {"False", "true and false are written in lower case"},
    {"None", "JSON has null for None; a missing number is written \"NaN\", in quotes"},
    {"'", "JSON has no single quotes: texts and keys are in double quotes"},
    {"/", "JSON has no comments"},
    {"#", "JSON has no comments"},
    {"0x", "JSON numbers are decimal"},
    {"+", "JSON numbers have no plus sign"},
    {"(", "JSON has no tuples: lists are in brackets"},
};

// The text from the start of the word that contains `at`; the fault may be inside a word.
std::string_view word_at(std::string_view text, std::size_t at) {
  const auto is_of_word = [](char c) {
    return is_of_number(static_cast<unsigned char>(c)) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
  };
  std::size_t begin = at;
  while (begin > 0 && at - begin < to_size(kMostShown) && is_of_word(text[begin - 1])) --begin;
  return text.substr(begin);
}

// The hint for the fault at `at` in the text; empty if there is none.
std::string_view hint_at(std::string_view text, std::size_t at) {
  const std::string_view word = word_at(text, at);
  for (const auto& [first, hint] : kMistakes) {
    if (word.starts_with(first) || lower(word.substr(0, first.size())) == first) return hint;
  }
  // Detects a comma before a closing bracket.
  if (at >= text.size() || (text[at] != ']' && text[at] != '}')) return {};
  std::string_view front = text.substr(0, at);
  front.remove_prefix(at - std::min(at, to_size(kMostShown)));
  const std::size_t before = front.find_last_not_of(" \t\r\n");
  const bool follows_comma = before != std::string_view::npos && front[before] == ',';
  return follows_comma ? "JSON has no comma before a closing bracket" : "";
}

}  // namespace

std::string_view kind_name(JsonKind kind) {
  constexpr std::string_view kNames[] = {"null",     "true or false", "a number",
                                         "a string", "a list",        "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

JsonNumber json_number(std::string_view text) {
  std::size_t at = 0;
  const auto is_at = [&](char c) { return at < text.size() && text[at] == c; };
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return at != begin;
  };
  if (is_at('-')) ++at;
  // A leading zero must not be followed by a digit.
  if (is_at('0')) {
    ++at;
  } else if (!digits()) {
    return {at, "a digit after '-'"};
  }
  if (is_at('.')) {
    ++at;
    if (!digits()) return {at, "a digit after '.'"};
  }
  if (!is_at('e') && !is_at('E')) return {at, {}};
  ++at;
  const bool is_signed = is_at('+') || is_at('-');
  if (is_signed) ++at;
  if (!digits())
    return {at, is_signed ? "a digit after the sign of the exponent" : "a digit or a sign after 'e'"};
  return {at, {}};
}

JsonCursor::JsonCursor(std::string_view text, std::string_view name, std::optional<std::size_t> begin,
                       bool is_cut)
    : TextCursor(text, is_cut), name_(name), begin_(begin) {
  const char* at = at_;
  if (!skip_byte_order_mark(at)) refuse_byte(at, at_, "a UTF-8 byte order mark");
  at_ = at;
}

bool JsonCursor::at_end() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  if (at_ == end_) meet_end();
  return at_ == end_;
}

JsonKind JsonCursor::value() {
  constexpr std::string_view kNone = ",:]}";
  expected_ = kValue;
  is_first_ = false;
  if (at_end() || kNone.find(*at_) != std::string_view::npos) refuse(kValue);
  return read_value();
}

// The next character is neither a comma nor a closing bracket.
JsonKind JsonCursor::read_value() {
  switch (*at_) {
    case '[':
    case '{':
      is_first_ = true;
      return *at_++ == '[' ? JsonKind::list : JsonKind::object;
    case '"':
      return read_string(), JsonKind::string;
    case 't':
      return read_word("true"), JsonKind::boolean;
    case 'f':
      return read_word("false"), JsonKind::boolean;
    case 'n':
      return read_word("null"), JsonKind::null;
    default:
      if (*at_ != '-' && !is_digit(*at_)) refuse_byte(at_, nullptr, expected_);
      return read_number(), JsonKind::number;
  }
}

bool JsonCursor::next(char end) {
  const bool is_first = std::exchange(is_first_, false);
  const bool is_at_end = at_end();
  if (!is_at_end && *at_ == end) return ++at_, false;
  if (is_first) return true;
  if (is_at_end || *at_ != ',') refuse(end == ']' ? "',' or ']'" : "',' or '}'");
  ++at_;
  return true;
}

bool JsonCursor::next_member() {
  if (!next('}')) return false;
  if (at_end() || *at_ != '"') refuse("a key");
  read_string();
  if (at_end() || *at_ != ':') refuse("':'");
  ++at_;
  return true;
}

bool JsonCursor::skip_rest(JsonKind kind, int deepest) {
  if (kind != JsonKind::list && kind != JsonKind::object) return true;
  if (deepest == 0) return false;
  while (kind == JsonKind::list ? next_item() : next_member()) {
    if (!skip_rest(value(), deepest - 1)) return false;
  }
  return true;
}

void JsonCursor::read_word(std::string_view word) {
  const char* at = at_;
  for (const char c : word) {
    if (peek(at) != c) refuse_byte(at, nullptr, expected_);
    ++at;
  }
  value_ = word;
  at_ = at;
}

void JsonCursor::read_number() {
  const char* at = at_;
  while (is_of_number(peek(at))) ++at;
  require_memory(at - at_, "the text");
  token_.assign(at_, at);
  const auto [length, missing] = json_number(token_);
  if (!missing.empty()) refuse_byte(at_ + length, at_, missing);
  value_ = std::string_view(token_).substr(0, length);
  skip(length);
}

// Copies characters in blocks and checks the copy. A block is as long as what was read since the last escape:
// copying beyond the next escape costs no more than the characters before it.
void JsonCursor::read_string() {
  constexpr std::size_t kFirstBlock = 32;
  token_.clear();
  const char* at = at_ + 1;
  std::size_t plain = 0;  // bytes since the last escape
  while (true) {
    if (peek(at) < 0) refuse_byte(at, at_, "a closing quote");
    const std::size_t copied = token_.size();
    const std::size_t block = std::min(static_cast<std::size_t>(end_ - at), kFirstBlock + plain);
    if (copied + block > token_.capacity()) {
      require_memory(to_int64(2 * (copied + block)), "the text");
      token_.reserve(2 * (copied + block));
    }
    token_.append(at, block);
    const std::size_t used = checked_characters(at, copied);
    const char next = used < token_.size() ? token_[used] : '\0';
    token_.resize(used);
    at += used - copied;
    plain += used - copied;
    if (next == '"') break;
    if (next == '\\') {
      do {
        read_escape(at);
      } while (peek(at) == '\\');
      plain = 0;
    } else if (next != '\0') {
      require_character(at);
    }
  }
  value_ = token_;
  at_ = at + 1;
}

// Returns the number of characters of the token that need no decoding: up to a quote, a backslash, or a
// character that the end of the token cuts. Checks the characters from `first` on, which are the text
// at `at`.
std::size_t JsonCursor::checked_characters(const char* at, std::size_t first) {
  std::size_t i = first;
  while (true) {
    while (i != token_.size() && kPlain[static_cast<unsigned char>(token_[i])]) ++i;
    if (i == token_.size() || token_[i] == '"' || token_[i] == '\\') return i;
    const char* const wrong = at + (i - first);
    const auto byte = static_cast<unsigned char>(token_[i]);
    if (byte < 0x20) refuse_byte(wrong, at_, escaped_control(byte));
    const Utf8Prefix character = utf8_prefix(std::string_view(token_).substr(i));
    if (!character.is_whole) {
      if (i + character.bytes == token_.size()) return i;
      refuse_byte(wrong + character.bytes, at_, kWellFormed);
    }
    i += character.bytes;
  }
}

// Refuses the multi-byte character at `at` if the text cuts it. If only a block cuts it, it is read again.
void JsonCursor::require_character(const char* at) const {
  const Utf8Prefix character = utf8_prefix({at, static_cast<std::size_t>(end_ - at)});
  if (character.is_whole) return;
  if (at + character.bytes == end_) meet_end();
  refuse_byte(at + character.bytes, at_, kWellFormed);
}

// `at` is at the backslash; afterwards it is after the escape, whose value is appended to the token.
void JsonCursor::read_escape(const char*& at) {
  ++at;
  const int c = peek(at);
  if (const char meaning = c < 0 ? '\0' : kMeanings[to_size(c)]; meaning != '\0') {
    token_ += meaning;
    ++at;
    return;
  }
  if (c != 'u') refuse_byte(at, at_, "one of \"\\/bfnrtu after the backslash");
  std::uint32_t code = read_hex(at);
  if (code >= 0xDC00 && code <= 0xDFFF)
    refuse_byte(at - 1, at_, "a surrogate U+D800..U+DBFF before U+DC00..U+DFFF");
  if (code >= 0xD800 && code <= 0xDBFF) {
    constexpr std::string_view kUnpaired = "a surrogate U+DC00..U+DFFF after U+D800..U+DBFF";
    if (peek(at) != '\\' || peek(++at) != 'u') refuse_byte(at, at_, kUnpaired);
    const std::uint32_t low = read_hex(at);
    if (low < 0xDC00 || low > 0xDFFF) refuse_byte(at - 1, at_, kUnpaired);
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(token_, code);
}

// `at` is at the u; afterwards it is after the four digits.
std::uint32_t JsonCursor::read_hex(const char*& at) {
  std::uint32_t code = 0;
  ++at;
  for (int i = 0; i < 4; ++i, ++at) {
    const int c = peek(at);
    const int letter = c | 0x20;
    if (!is_digit(c) && (letter < 'a' || letter > 'f'))
      refuse_byte(at, at_, "4 hexadecimal digits after \\u");
    code = code * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : letter - 'a' + 10);
  }
  return code;
}

void JsonCursor::refuse(std::string_view expected) {
  constexpr std::string_view kMarks = "[]{},:";
  std::string found(kEnd);
  if (at_end()) refuse_at(offset(), expected, found);
  if (kMarks.find(*at_) != std::string_view::npos) {
    found = cat('\'', *at_++, '\'');
  } else {
    expected_ = expected;
    found = this->found(read_value());
  }
  refuse_at(offset() - 1, expected, found);
}

void JsonCursor::refuse_byte(const char* at, const char* begin, std::string_view expected) const {
  if (at == end_) refuse_at(offset_of(at), expected, kEnd);
  const char* const stop = at + 1;
  if (*at == '\0') {
    // A text document is reported by its line, data that is not text by its byte.
    if (!name_.empty()) refuse_at(offset_of(at), {}, "a zero byte");
    fail(cat("byte ", offset_of(at) + 1), "a zero byte");
  }
  if (begin == nullptr) {
    // For a token that is not a word: the text in front of it up to a blank, a quote or a bracket.
    constexpr std::string_view kSeparators = " <>,:[]{}\"";
    const char* const first = text_.data();
    for (begin = at; begin != first && stop - begin <= kMostShown; --begin) {
      const char before = begin[-1];
      if (static_cast<unsigned char>(before) < 0x20 || kSeparators.find(before) != std::string_view::npos)
        break;
    }
  }
  // The fault is at the end of the token; a character is printed whole or not at all.
  std::string token;
  for (const char* c = std::max(begin, stop - kMostShown); c != stop; ++c) {
    const auto byte = static_cast<unsigned char>(*c);
    token += byte < 0x20 ? cat('<', code_name(byte), '>') : std::string(1, *c);
  }
  std::string_view shown = token;
  const bool cut = stop - begin > kMostShown || to_int64(shown.size()) > kMostShown;
  if (to_int64(shown.size()) > kMostShown) shown.remove_prefix(shown.size() - to_size(kMostShown));
  while (shown.size() > 1 && (static_cast<unsigned char>(shown[0]) & 0xC0) == 0x80) shown.remove_prefix(1);
  refuse_at(offset_of(at), expected, cat('\'', cut ? "..." : "", printable(shown), '\''));
}

void JsonCursor::refuse_at(std::size_t offset, std::string_view expected, std::string_view found) const {
  const std::string message =
      expected.empty() ? std::string(found) : cat("expected ", expected, ", found ", found);
  const std::string_view hint = hint_at(text_, offset);
  if (begin_) fail(cat("byte ", *begin_ + offset), message, hint);
  const Place at = place(offset);
  fail(cat("line ", at.line, ", column ", at.column), message, hint);
}

void JsonCursor::fail(std::string_view place, std::string_view message, std::string_view hint) const {
  throw Error(cat(name_, name_.empty() ? "" : ": ", "malformed JSON at ", place, ": ", message), "",
              std::string(hint));
}

}  // namespace tensorop
