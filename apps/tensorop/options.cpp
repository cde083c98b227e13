#include "options.hpp"

#include <algorithm>
#include <charconv>

#include "base/text/byte_size.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "jobs/tolerances.hpp"

namespace tensorop {
namespace {

constexpr std::string_view kTitles[] = {
    "Operands",
    "Attributes",
    "Semantics",
    "Reading operands",
    "Which cases, jobs or arrays",
    "Where actual results come from",
    "Options",
    "What counts as equal",
    "The report",
    "The result",
    "How it runs",
    "Common options",
};
static_assert(std::size(kTitles) == kHeadingCount);

bool is_share(std::string_view text) {
  const auto millionths = parse_millionths(text);
  return millionths && *millionths <= 1'000'000 && !text.starts_with('.');
}

std::string fault_of_integer(const Option& option, const std::string& text) {
  const auto number = parse_int64(text);
  if (number && *number >= option.rules.least && *number <= option.rules.most) return "";
  if (option.rules.most != OptionRules{}.most)
    return cat("is not an integer from ", option.rules.least, " to ", option.rules.most);
  return cat("is not a ", option.rules.least == 0 ? "non-negative" : "positive", " integer");
}

// The reason why a value is refused, for options that do not take names; empty: it is accepted.
std::string fault_of(const Option& option, const std::string& text) {
  switch (option.rules.kind) {
    case OptionKind::choice:
    case OptionKind::flag_choice: {
      const std::vector<std::string> words = words_of(option);
      return std::ranges::count(words, lower(text)) != 0 ? "" : cat("is not one of ", join(words));
    }
    case OptionKind::integer:
      return fault_of_integer(option, text);
    case OptionKind::bytes:
      return parse_byte_size(text) ? "" : "is not a positive integer, with K, M or G or nothing after it";
    case OptionKind::seconds:
      return parse_seconds(text) ? "" : "is not a number of seconds above 0 and at most 1000000";
    case OptionKind::share:
      return is_share(text) ? "" : "is not a share in 0..1, with at most 6 decimals";
    case OptionKind::shard:
      return parse_shard(text) ? "" : "is not I/N (allowed: integers, 1 <= I <= N < 2^63)";
    default:
      return "";
  }
}

}  // namespace

std::string_view title(Heading heading) {
  return kTitles[static_cast<std::size_t>(heading)];
}

const Option* find_option(const std::vector<Option>& options, std::string_view word) {
  // An empty operand must not match an option without a letter.
  if (word.empty()) return nullptr;
  const auto found = std::ranges::find_if(
      options, [&](const Option& option) { return option.name == word || option.rules.letter == word; });
  return found == options.end() ? nullptr : &*found;
}

std::array<std::string_view, 2> around_value(const Option& option) {
  switch (option.rules.kind) {
    case OptionKind::value_flag:
      return {"=", ""};
    case OptionKind::flag_choice:
      return {"[=", "]"};
    default:
      return {" ", ""};
  }
}

std::string usage_of(const Option& option) {
  std::string names = cat(option.rules.letter, option.rules.letter.empty() ? "" : ", ", option.name);
  if (option.value.empty()) return names;
  const auto [before, after] = around_value(option);
  return cat(names, before, option.value, after);
}

std::string meaning_of(const Option& option) {
  const OptionRules& rules = option.rules;
  std::vector<std::string> notes;
  if (rules.most != OptionRules{}.most) notes.push_back(cat(rules.least, " to ", rules.most));
  if (!rules.by_default.empty()) notes.push_back(cat("default ", rules.by_default));
  if (rules.repeats) notes.emplace_back("repeatable");
  return cat(rules.needs.empty() ? "" : cat("with ", rules.needs, ": "), option.help,
             notes.empty() ? "" : cat(" (", join(notes), ")"));
}

std::vector<std::string> words_of(const Option& option) {
  return split(option.value, "|");
}

void require_value(const Option& option, const std::string& text) {
  const bool is_name = option.rules.kind == OptionKind::path || option.rules.kind == OptionKind::file;
  if (is_name && (text.empty() || (text == "-" && option.rules.kind == OptionKind::file)))
    throw Error(cat(option.name, " needs a ", option.value == "DIR" ? "folder" : "file", " name"));
  if (const std::string fault = fault_of(option, text); !fault.empty())
    throw Error(cat(option.name, " ", in_quotes(text), " ", fault));
}

std::optional<double> parse_seconds(std::string_view text) {
  constexpr double kMost = 1e6;
  double seconds = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const bool is_number = (rest.empty() || rest == "s") && status == std::errc{};
  return is_number && seconds > 0 && seconds <= kMost ? std::optional(seconds) : std::nullopt;
}

std::optional<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto number = parse_int64(text.substr(0, slash));
  const auto count = parse_int64(text.substr(std::min(slash + 1, text.size())));
  if (!number || !count || *number < 1 || *number > *count) return std::nullopt;
  return Shard{*number, *count};
}

}  // namespace tensorop
