#include "io/rename.hpp"

#include <regex.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tensorop {
namespace {

// Throws Error if an expression could overflow the stack, or need too much memory for the name: because of
// references to groups, repetitions, or deep parentheses.
void require_bounded(const std::string& from) {
  constexpr std::size_t kMostBytes = 1000;
  constexpr std::int64_t kMostRepeats = 255;
  if (from.size() > kMostBytes) throw Error(cat("FROM has more than ", kMostBytes, " bytes"));
  std::int64_t repeats = 1;
  for (std::size_t i = 0; i + 1 < from.size(); ++i) {
    const char next = from[i + 1];
    if (from[i] == '\\' && next >= '1' && next <= '9')
      throw Error(cat(in_quotes(from.substr(i, 2)), " stands for a group only in TO"));
    if (from[i] == '\\') ++i;
    if (from[i] != '{') continue;
    std::int64_t most = 1;
    for (const std::string& number : split(from.substr(i + 1, from.find('}', i) - i - 1), ",")) {
      std::int64_t count = 1;
      const auto read = std::from_chars(number.data(), number.data() + number.size(), count);
      most = std::max(most, read.ec == std::errc::result_out_of_range ? kMostRepeats + 1 : count);
    }
    if (most > kMostRepeats / repeats)
      throw Error(cat("{N,M} repeats more than ", kMostRepeats, " times in all"));
    repeats *= most;
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
      std::array<char, 200> why{};
      (void)::regerror(code, &compiled_, why.data(), why.size());
      throw Error(cat(in_quotes(from), ": ", std::string_view(why.data())));
    }
    for (std::size_t i = 0; i + 1 < to_.size(); ++i) {
      if (to_[i] != '\\' || to_[i + 1] < '0' || to_[i + 1] > '9') continue;
      if (static_cast<std::size_t>(to_[i + 1] - '0') <= compiled_.re_nsub) continue;
      ::regfree(&compiled_);
      throw Error(cat(in_quotes(to_.substr(i, 2)), " stands for no group of FROM"));
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
      if (::regexec(&compiled_, name.c_str(), groups.size(), groups.data(), flags) != 0) break;
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
  void append_replacement(const std::string& name, const std::array<regmatch_t, 10>& groups,
                          std::string& out) const {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      const bool is_group = to_[i] == '\\' && i + 1 < to_.size() && to_[i + 1] >= '0' && to_[i + 1] <= '9';
      if (!is_group) {
        out += to_[i];
        continue;
      }
      const regmatch_t& group = groups[static_cast<std::size_t>(to_[++i] - '0')];
      if (group.rm_so >= 0)
        out.append(name, static_cast<std::size_t>(group.rm_so),
                   static_cast<std::size_t>(group.rm_eo - group.rm_so));
    }
  }

  regex_t compiled_{};
  std::string to_;
};

}  // namespace

void rename_all(const std::vector<std::string>& expressions, const std::string& where,
                std::vector<std::string>& names) {
  for (const std::string& text : expressions) {
    with_context(cat("--rename-regex ", printable(text)), [&] {
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

void rename_members(const std::vector<std::string>& expressions, TensorSet& set) {
  std::vector<std::string> names;
  for (const SetMember& member : set.members()) names.push_back(member.name);
  rename_all(expressions, printable(set.name()), names);
  set.rename(std::move(names));
}

}  // namespace tensorop
