// An option is a row: its name, its heading, what it takes, its default, what it needs and excludes, its
// help. Parsing, messages, help, manual pages, completion and the tables of the docs come from it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/shards.hpp"

namespace tensorop {

// The headings of options in help and manual pages, in that order.
enum class Heading : std::uint8_t {
  operands,
  attributes,
  semantics,
  reading,
  selection,
  actual,
  others,
  equality,
  report,
  result,
  running,
  globals,
};
inline constexpr std::size_t kHeadingCount = 12;
// "Operands", "Which cases, jobs or arrays".
[[nodiscard]] std::string_view title(Heading heading);

// The kind of value that an option takes.
enum class OptionKind : std::uint8_t {
  value_flag,   // --fmod, --fmod=1, --fmod 1: the next word only if it is true, false, 1 or 0
  text,         // any text; of attributes and --spec, what the operator says
  choice,       // a word of Option::value, in any case
  flag_choice,  // --table, --table=max: the same after "=", else the default
  integer,      // from Option::least to Option::most
  bytes,        // a positive integer, with K, M or G or nothing after it
  seconds,      // above 0 and at most 1000000, with s after it or not
  share,        // from 0 to 1, with at most 6 decimals
  shard,        // I/N, 1 <= I <= N
  path,         // the name of a file or folder, not empty; "-" is a standard stream
  file,         // the same without "-"
};

// The values that an option takes, and the options that it needs and excludes.
struct OptionRules {
  std::string_view letter = {};  // "-o"
  OptionKind kind = OptionKind::text;
  std::int64_t least = 1;  // of an integer
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::string by_default = {};     // the value if it is not given; empty: none
  bool repeats = false;            // it may be given several times
  std::string_view needs = {};     // it is refused without this option
  std::string_view excludes = {};  // it is refused with these: "--list --json"
  std::string_view unless = {};    // with this option it excludes none
  std::string_view hint = {};      // of errors of needs and excludes
  bool decides = false;            // it affects findings: a command that repeats a finding includes it
};

struct Option {
  std::string name;  // with dashes: "--axis"
  Heading heading;
  std::string value;  // in help: "N"; of a choice all words, "auto|always|never"; empty: none, it is a flag
  std::string help;   // without what meaning_of() adds
  OptionRules rules = {};

  // Whether the next word is its value, whatever it is.
  [[nodiscard]] bool takes_value() const {
    return !value.empty() && rules.kind != OptionKind::value_flag && rules.kind != OptionKind::flag_choice;
  }
};

// The option of that name or letter; null: none.
[[nodiscard]] const Option* find_option(const std::vector<Option>& options, std::string_view word);

// The text before and after the value in the help: " VALUE", "=VALUE", "[=VALUE]".
[[nodiscard]] std::array<std::string_view, 2> around_value(const Option& option);
// "-o, --output FILE".
[[nodiscard]] std::string usage_of(const Option& option);
// "with --command: how long a program may run (default 60)": the help with what the rules say.
[[nodiscard]] std::string meaning_of(const Option& option);

// The words of a choice.
[[nodiscard]] std::vector<std::string> words_of(const Option& option);

// Throws Error for a text that the option does not take.
void require_value(const Option& option, const std::string& text);

// Parse texts of these kinds; nothing for other texts.
[[nodiscard]] std::optional<double> parse_seconds(std::string_view text);
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text);

}  // namespace tensorop
