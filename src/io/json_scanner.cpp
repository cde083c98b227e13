#include "io/json_scanner.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

bool is_digit(int c) {
  return c >= '0' && c <= '9';
}

// The characters of a string that stand for themselves: ASCII but quotes, backslashes and control characters.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

bool is_plain(char c) {
  return kPlain[static_cast<unsigned char>(c)];
}

// "U+000A".
std::string code_name(int byte) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto code = static_cast<std::size_t>(byte);
  return cat("U+00", kHex[code >> 4], kHex[code & 15]);
}

// "control character U+000A (LF) must be escaped to \u000A or \n".
std::string control_message(int byte) {
  constexpr std::string_view kNames[] = {"NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL",
                                         "BS",  "HT",  "LF",  "VT",  "FF",  "CR",  "SO",  "SI",
                                         "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB",
                                         "CAN", "EM",  "SUB", "ESC", "FS",  "GS",  "RS",  "US"};
  constexpr std::string_view kShort = "\b\t\n\f\r";
  constexpr std::string_view kShortNames = "btnfr";
  const std::string code = code_name(byte);
  const std::size_t found = kShort.find(static_cast<char>(byte));
  return cat("control character ", code, " (", kNames[byte], ") must be escaped to \\u", code.substr(2),
             found == std::string_view::npos ? "" : cat(" or \\", kShortNames[found]));
}

std::string_view token_name(JsonToken token) {
  constexpr std::string_view kNames[] = {
      "end of input",   "'['",          "']'",           "'{'",         "'}'", "','", "':'", "string literal",
      "number literal", "true literal", "false literal", "null literal"};
  return kNames[static_cast<std::size_t>(token)];
}

}  // namespace

JsonScanner::JsonScanner(JsonText& text, std::string_view name, std::optional<std::size_t> begin)
    : TextCursor(text), name_(name), begin_(begin) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const char* at = at_;
  if (text.offset() != 0 || peek(at) != 0xEF) return;
  for (const char c : kMark) {
    if (peek(at) != static_cast<unsigned char>(c)) {
      refuse_byte(at, at_, "invalid BOM; must be 0xEF 0xBB 0xBF if given");
    }
    ++at;
  }
  at_ = at;
}

bool JsonScanner::at_end() {
  for (std::size_t blanks = 0;;) {
    const char* const begin = at_;
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    if (at_ != end_) return false;
    blanks += static_cast<std::size_t>(at_ - begin);
    if (!extend()) return true;
    if (blanks > kMostBlanks) {
      throw Error(cat(name_, name_.empty() ? "" : ": ", "more than ", kMostBlanks, " blanks in a row"));
    }
  }
}

JsonToken JsonScanner::next(std::string_view expected) {
  expected_ = expected;
  if (at_end()) return JsonToken::end;
  switch (*at_) {
    case '[':
      return ++at_, JsonToken::begin_list;
    case ']':
      return ++at_, JsonToken::end_list;
    case ',':
      return ++at_, JsonToken::comma;
    case ':':
      return ++at_, JsonToken::colon;
    case '{':
      return ++at_, JsonToken::begin_object;
    case '}':
      return ++at_, JsonToken::end_object;
    case '"':
      return scan_string(), JsonToken::string;
    case 't':
      return scan_word("true"), JsonToken::word_true;
    case 'f':
      return scan_word("false"), JsonToken::word_false;
    case 'n':
      return scan_word("null"), JsonToken::word_null;
    default:
      if (*at_ != '-' && !is_digit(*at_)) refuse_byte(at_, nullptr, "invalid literal");
      return scan_number(), JsonToken::number;
  }
}

void JsonScanner::scan_word(std::string_view word) {
  const char* at = at_;
  for (const char c : word) {
    if (peek(at) != c) refuse_byte(at, nullptr, "invalid literal");
    ++at;
  }
  at_ = at;
}

void JsonScanner::scan_number() {
  const char* at = at_;
  const auto digits = [&](std::string_view expected) {
    if (!is_digit(peek(at))) refuse_byte(at, at_, cat("invalid number; expected ", expected));
    while (is_digit(peek(at))) ++at;
  };
  if (*at == '-') ++at;
  // No digit follows a leading zero.
  if (peek(at) == '0') {
    ++at;
  } else {
    digits("digit after '-'");
  }
  if (peek(at) == '.') {
    ++at;
    digits("digit after '.'");
  }
  if ((peek(at) | 0x20) == 'e') {
    ++at;
    const int sign = peek(at);
    const bool is_signed = sign == '+' || sign == '-';
    if (is_signed) ++at;
    digits(is_signed ? "digit after exponent sign" : "'+', '-', or digit after exponent");
  }
  token_ = {at_, static_cast<std::size_t>(at - at_)};
  at_ = at;
}

void JsonScanner::scan_string() {
  const char* at = at_ + 1;
  decoded_.clear();
  std::size_t copied = 1;  // characters of the token that decoded_ has, or that it does not need
  const auto copy = [&] {
    decoded_.append(at_ + copied, at);
    copied = static_cast<std::size_t>(at - at_);
  };
  while (true) {
    while (at != end_ && is_plain(*at)) ++at;
    const int c = peek(at);
    if (c == '"') break;
    if (c == '\\') {
      copy();
      scan_escape(at);
      copied = static_cast<std::size_t>(at - at_);
    } else if (c >= 0x80) {
      scan_utf8(at);
    } else if (c < 0) {
      refuse_byte(at, at_, "invalid string: missing closing quote");
    } else if (c < 0x20) {
      refuse_byte(at, at_, cat("invalid string: ", control_message(c)));
    }
  }
  if (copied == 1) {
    token_ = {at_ + 1, static_cast<std::size_t>(at - at_ - 1)};
  } else {
    copy();
    token_ = decoded_;
  }
  at_ = at + 1;
}

// `at` is at the backslash; afterwards it is after the escape, whose meaning decoded_ has.
void JsonScanner::scan_escape(const char*& at) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  ++at;
  const int c = peek(at);
  const std::size_t found = c < 0 ? std::string_view::npos : kEscapes.find(static_cast<char>(c));
  if (found != std::string_view::npos) {
    decoded_ += kMeanings[found];
    ++at;
    return;
  }
  if (c != 'u') refuse_byte(at, at_, "invalid string: forbidden character after backslash");
  std::uint32_t code = scan_hex(at);
  if (code >= 0xDC00 && code <= 0xDFFF) {
    refuse_byte(at - 1, at_, "invalid string: surrogate U+DC00..U+DFFF must follow U+D800..U+DBFF");
  }
  if (code >= 0xD800 && code <= 0xDBFF) {
    constexpr std::string_view kUnpaired =
        "invalid string: surrogate U+D800..U+DBFF must be followed by U+DC00..U+DFFF";
    if (peek(at) != '\\') refuse_byte(at, at_, kUnpaired);
    ++at;
    if (peek(at) != 'u') refuse_byte(at, at_, kUnpaired);
    const std::uint32_t low = scan_hex(at);
    if (low < 0xDC00 || low > 0xDFFF) refuse_byte(at - 1, at_, kUnpaired);
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  append_utf8(decoded_, code);
}

// `at` is at the u; afterwards it is after the four digits.
std::uint32_t JsonScanner::scan_hex(const char*& at) {
  std::uint32_t code = 0;
  ++at;
  for (int i = 0; i < 4; ++i, ++at) {
    const int c = peek(at);
    const int letter = c | 0x20;
    if (!is_digit(c) && (letter < 'a' || letter > 'f')) {
      refuse_byte(at, at_, "invalid string: '\\u' must be followed by 4 hex digits");
    }
    code = code * 16 + static_cast<std::uint32_t>(is_digit(c) ? c - '0' : letter - 'a' + 10);
  }
  return code;
}

// `at` is at the first byte of a character; afterwards it is after the last one (RFC 3629, section 4).
void JsonScanner::scan_utf8(const char*& at) {
  const int first = peek(at);
  const int bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  int low = 0x80;
  int high = 0xBF;
  if (first == 0xE0) low = 0xA0;   // shorter forms exist
  if (first == 0xED) high = 0x9F;  // surrogates
  if (first == 0xF0) low = 0x90;   // shorter forms exist
  if (first == 0xF4) high = 0x8F;  // beyond U+10FFFF
  const auto require = [&](bool is_valid) {
    if (!is_valid) refuse_byte(at, at_, "invalid string: ill-formed UTF-8 byte");
    ++at;
  };
  require(first >= 0xC2 && first <= 0xF4);
  for (int i = 1; i < bytes; ++i, low = 0x80, high = 0xBF) {
    const int c = peek(at);
    require(c >= low && c <= high);
  }
}

void JsonScanner::refuse_byte(const char* at, const char* begin, std::string_view message) const {
  const bool at_end = at == end_;
  const char* const stop = at_end ? at : at + 1;
  if (!at_end && *at == '\0') {
    // A document of lines is told by its lines, a tensor that is not text at all by the byte.
    if (!name_.empty()) refuse_at(offset_of(at), "a zero byte");
    fail(cat("byte ", offset_of(at) + 1), "a zero byte");
  }
  constexpr std::ptrdiff_t kMostBytes = 24;
  if (begin == nullptr) {
    // Of what is no word: all that stands in front of it without a blank, a quote or a bracket.
    constexpr std::string_view kSeparators = " <>,:[]{}\"";
    const char* const first = text_.window().data();
    for (begin = at; begin != first && stop - begin <= kMostBytes; --begin) {
      const char before = begin[-1];
      if (static_cast<unsigned char>(before) < 0x20 || kSeparators.find(before) != std::string_view::npos)
        break;
    }
  }
  // The end of a token is where the fault lies; a character is shown whole or not at all.
  std::string token;
  for (const char* c = std::max(begin, stop - kMostBytes); c != stop; ++c) {
    const auto byte = static_cast<unsigned char>(*c);
    token += byte < 0x20 ? cat('<', code_name(byte), '>') : std::string(1, *c);
  }
  std::string_view shown = token;
  const bool cut = stop - begin > kMostBytes || to_int64(shown.size()) > kMostBytes;
  if (to_int64(shown.size()) > kMostBytes) shown.remove_prefix(shown.size() - to_size(kMostBytes));
  while (shown.size() > 1 && (static_cast<unsigned char>(shown[0]) & 0xC0) == 0x80) shown.remove_prefix(1);
  refuse_at(offset_of(at), cat(message, " (last read: '", cut ? "..." : "", printable(shown), "')",
                               expected_.empty() ? "" : cat("; expected ", expected_)));
}

void JsonScanner::refuse(JsonToken found, std::string_view expected) const {
  refuse_at(offset_of(at_) - (found == JsonToken::end ? 0 : 1),
            cat("unexpected ", token_name(found), "; expected ", expected));
}

void JsonScanner::refuse_at(std::size_t offset, std::string_view message) const {
  if (begin_) fail(cat("byte ", *begin_ + offset), message);
  const JsonText::Place place = text_.place(offset);
  fail(cat("line ", place.line, ", column ", place.column), message);
}

void JsonScanner::fail(std::string_view place, std::string_view message) const {
  throw Error(cat(name_, name_.empty() ? "" : ": ", "malformed JSON at ", place, ": ", message));
}

}  // namespace tensorop
