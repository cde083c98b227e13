#include "io/rename.hpp"

#include <regex.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text/error.hpp"
#include "base/text/text.hpp"

namespace tensorop {
namespace {

// The position of the bracket that ends the list which begins at `begin`. "]" is a member of the list if it
// is the first one, and classes such as [:alpha:] have brackets of their own.
std::size_t end_of_list(std::string_view from, std::size_t begin) {
  std::size_t i = begin + (from.substr(begin + 1).starts_with('^') ? 2 : 1);
  for (const std::size_t first = i; i < from.size() && (from[i] != ']' || i == first); ++i) {
    const bool is_class = from[i] == '[' && from.substr(i + 1).find_first_of(":.=") == 0;
    if (is_class) i = std::min(from.find(std::string{from[i + 1], ']'}, i + 2), from.size() - 2) + 1;
  }
  return i;
}

// Throws Error for what POSIX leaves undefined and other matchers define: the C library takes "\d" as "d".
void require_escape(const std::string& from, std::size_t at) {
  const std::string escape = from.substr(at, 2);
  if (escape.find_first_of("123456789", 1) == 1)
    throw Error(cat(in_quotes(escape), " stands for a group only in TO"));
  if (escape.find_first_of("^.[]$()|*+?{}\\", 1) == 1) return;
  throw Error(cat(in_quotes(escape), " is undefined in a POSIX extended regular expression"), "",
              "[0-9] is a digit, [[:alnum:]_] a letter, a digit or _, [[:space:]] a blank");
}

// Throws Error if an expression is undefined, could overflow the stack, or need too much memory for the name:
// because of references to groups, repetitions, or deep parentheses.
void require_bounded(const std::string& from) {
  constexpr std::size_t kMostBytes = 1000;
  constexpr std::int64_t kMostRepeats = 255;
  if (from.size() > kMostBytes) throw Error(cat("FROM has more than ", kMostBytes, " bytes"));
  std::int64_t repeats = 1;
  bool may_repeat = false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const char c = from[i];
    if (c != '*' && c != '+' && c != '?' && c != '{') {
      may_repeat = c != '(' && c != '|' && c != '^';
      if (c == '\\') require_escape(from, i++);
      if (c == '[') i = end_of_list(from, i);
      continue;
    }
    if (!std::exchange(may_repeat, false))
      throw Error(cat(in_quotes(from.substr(i == 0 ? 0 : i - 1, 2)),
                      " is undefined in a POSIX extended regular expression: ", c, " repeats nothing"),
                  "", "a match is the longest one; [^.]* ends before a dot, \\ takes the meaning of *");
    if (c != '{') continue;
    std::int64_t most = 1;
    for (const std::string& number : split(from.substr(i + 1, from.find('}', i) - i - 1), ",")) {
      std::int64_t count = 1;
      const auto read = std::from_chars(number.data(), number.data() + number.size(), count);
      most = std::max(most, read.ec == std::errc::result_out_of_range ? kMostRepeats + 1 : count);
    }
    if (most > kMostRepeats / repeats)
      throw Error(cat("{N,M} repeats more than ", kMostRepeats, " times in all"));
    repeats *= most;
    i = std::min(from.find('}', i), from.size());
  }
}

// "FROM=TO". Uses the C library's matcher: std::regex recurses for each byte of a name, and overflows the
// stack.
class Expression {
 public:
  explicit Expression(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw Error("is not FROM=TO");
    to_ = text.substr(equals + 1);
    const std::string from = text.substr(0, equals);
    require_bounded(from);
    if (const int code = ::regcomp(&compiled_, from.c_str(), REG_EXTENDED); code != 0) {
      if (code == REG_ESPACE) throw std::bad_alloc();
      std::array<char, 200> why{};
      (void)::regerror(code, &compiled_, why.data(), why.size());
      throw Error(cat(in_quotes(from), ": ", std::string_view(why.data())));
    }
    for (std::size_t at = 0; (at = to_.find('\\', at)) != std::string::npos; at += 2) {
      const auto group = static_cast<unsigned>(to_.c_str()[at + 1] - '0');
      if (group <= std::min<std::size_t>(compiled_.re_nsub, 9) || to_.c_str()[at + 1] == '\\') continue;
      ::regfree(&compiled_);
      throw Error(cat(in_quotes(to_.substr(at, 2)),
                      group <= 9 ? " stands for no group of FROM" : " is undefined in TO"),
                  "",
                  group <= 9 ? "" : "\\1 to \\9 are the groups of FROM, \\0 is the match, \\\\ a backslash");
    }
  }
  ~Expression() { ::regfree(&compiled_); }
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  // Returns nothing if there is no match. Throws Error if the name is long, since a search takes time in
  // proportion to the square of its length.
  [[nodiscard]] std::optional<std::string> apply(const std::string& name) const {
    constexpr std::size_t kMostBytes = 4096;
    if (name.size() > kMostBytes)
      throw Error(cat("the name ", in_quotes(name), " has more than ", kMostBytes, " bytes"));
    std::string out;
    bool is_match = false;
    std::size_t at = 0;
    std::size_t copied = 0;
    while (at <= name.size()) {
      std::array<regmatch_t, 10> groups{};
      groups[0].rm_so = static_cast<regoff_t>(at);
      groups[0].rm_eo = static_cast<regoff_t>(name.size());
      const int flags = REG_STARTEND | (at == 0 ? 0 : REG_NOTBOL);
      if (::regexec(&compiled_, name.c_str(), groups.size(), groups.data(), flags) != 0) {
        require_mismatch(name, at);
        break;
      }
      const auto begin = static_cast<std::size_t>(groups[0].rm_so);
      const auto end = static_cast<std::size_t>(groups[0].rm_eo);
      // As in sed, skips an empty match right after a match.
      if (!is_match || begin != end || begin != copied) {
        out.append(name, copied, begin - copied);
        append_replacement(name, groups, out);
        copied = end;
      }
      is_match = true;
      at = end == begin ? end + 1 : end;
    }
    if (!is_match) return std::nullopt;
    return out.append(name, copied);
  }

 private:
  // Throws if there was no memory for the search: to regexec() of glibc that is a mismatch.
  void require_mismatch(const std::string& name, std::size_t at) const {
    constexpr regoff_t kMismatch = -1;
    const auto begin = static_cast<regoff_t>(at);
    const auto end = static_cast<regoff_t>(name.size());
    compiled_.not_bol = at != 0 ? 1 : 0;
    const auto found = ::re_search(&compiled_, name.c_str(), end, begin, end - begin, nullptr);
    compiled_.not_bol = 0;
    if (found != kMismatch) throw std::bad_alloc();
  }

  void append_replacement(const std::string& name, const std::array<regmatch_t, 10>& groups,
                          std::string& out) const {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      const bool is_escape = to_[i] == '\\';
      if (is_escape) ++i;
      if (!is_escape || to_[i] == '\\') {
        out += to_[i];
        continue;
      }
      const regmatch_t& group = groups[static_cast<std::size_t>(to_[i] - '0')];
      if (group.rm_so >= 0)
        out.append(name, static_cast<std::size_t>(group.rm_so),
                   static_cast<std::size_t>(group.rm_eo - group.rm_so));
    }
  }

  mutable regex_t compiled_{};
  std::string to_;
};

}  // namespace

void rename_all(const std::vector<std::string>& expressions, std::string_view what, const std::string& where,
                std::vector<std::string>& names) {
  for (const std::string& text : expressions) {
    with_context(cat(what, ' ', printable(text)), [&] {
      const Expression expression(text);
      bool is_used = false;
      for (std::string& name : names) {
        auto renamed = expression.apply(name);
        if (!renamed) continue;
        name = *std::move(renamed);
        is_used = true;
      }
      if (!is_used) throw Error(cat("matches no name in ", where));
    });
  }
}

void rename_members(const std::vector<std::string>& expressions, std::string_view what, TensorSet& set) {
  std::vector<std::string> names;
  for (const SetMember& member : set.members()) names.push_back(member.name);
  rename_all(expressions, what, printable(set.name()), names);
  set.rename(std::move(names));
}

}  // namespace tensorop
