#include "base/text/text.hpp"

#include <algorithm>
#include <limits>

namespace tensorop {

std::string join(const std::vector<std::string>& items, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i != 0) out += separator;
    out += items[i];
  }
  return out;
}

std::string join_words(std::vector<std::string> items, std::string_view word) {
  if (items.size() < 2) return join(items);
  const std::string last = std::move(items.back());
  items.pop_back();
  return cat(join(items), " ", word, " ", last);
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at != std::string_view::npos;
       text.remove_prefix(std::min(text.size(), at + separator.size()))) {
    at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
  }
  return parts;
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = 0;
  std::size_t star = kNone;  // the last star, and the text position tried last for the rest of the pattern
  std::size_t tried = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      tried = i;
    } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[i])) {
      ++at;
      ++i;
    } else if (star != kNone) {
      at = star + 1;
      i = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == kNone;
}

std::string counted(std::int64_t count, std::string_view thing) {
  return cat(count, ' ', thing, count == 1 ? "" : "s");
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + word.size() > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 10);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  text = after_any(text, kBlanks);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::string_view after_any(std::string_view text, std::string_view characters) {
  return text.substr(std::min(text.find_first_not_of(characters), text.size()));
}

std::string_view after_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(kMark) ? kMark.size() : 0);
}

std::string_view after_blanks(std::string_view text) {
  return after_any(after_byte_order_mark(text), kBlanks);
}

bool is_digits(std::string_view text) {
  return !text.empty() && after_any(text, "0123456789").empty();
}

std::string hex(std::uint64_t number, int digits) {
  std::string out;
  for (int shift = 4 * digits - 4; shift >= 0; shift -= 4) out += "0123456789abcdef"[number >> shift & 15U];
  return out;
}

Utf8Prefix utf8_prefix(std::string_view text) {
  if (text.empty()) return {0, false};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {0, false};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte excludes overlong forms, surrogates and code points above U+10FFFF.
  unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size()) return {i, false};
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < least || byte > most) return {i, false};
    least = 0x80;
    most = 0xBF;
  }
  return {length, true};
}

std::size_t utf8_length(std::string_view text) {
  if (!text.empty() && static_cast<unsigned char>(text[0]) < 0x80) return 1;
  const Utf8Prefix prefix = utf8_prefix(text);
  return prefix.is_whole ? prefix.bytes : 0;
}

// Each character has one byte that is not a continuation byte.
std::int64_t utf8_characters(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : byte >= '\t' && byte <= '\r';
  });
}

std::string option_name(std::string_view name) {
  std::string out = cat("--", name);
  std::ranges::replace(out, '_', '-');
  return out;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

void append_utf8(std::string& out, std::uint32_t code_point) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80U | (code_point >> shift & 0x3FU)); };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0U | code_point >> 6);
    tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0U | code_point >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | code_point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string fold_name(std::string_view name) {
  std::string out = lower(name);
  std::erase_if(out, [](char c) { return c == '-' || c == '_'; });
  return out;
}

namespace {

// Edit distance in which exchanging two neighbours counts as one step.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 64;
  if (name.size() > kLongestName) return {};
  const std::string wanted = fold_name(name);
  std::string best;
  std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::string folded = fold_name(candidate);
    // The difference in length is a lower bound of the distance; the distance of long names is expensive.
    const auto [shorter, longer] = std::minmax({wanted.size(), folded.size()});
    if (longer - shorter >= least) continue;
    const std::size_t steps = distance(wanted, folded);
    // A distance equal to the candidate's length means that no character matches ("2" for "0").
    if (steps < least && steps < folded.size()) {
      least = steps;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tensorop
