#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "removed.hpp"

namespace tensorop {

namespace {

// Any other word after a flag is an operand.
bool is_truth_value(const std::string& word) {
  const std::string text = lower(word);
  return text == "true" || text == "false" || text == "1" || text == "0";
}

// Puts the value of every option into its own word: the library reads "--name= next" as if next were the
// value, and has its own rules for "--flag=value".
std::vector<std::string> separate_values(const std::vector<std::string>& args,
                                         const std::vector<Option>& options, std::string_view command,
                                         Arguments& seen) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::size_t equals = args[i].starts_with("--") ? args[i].find('=') : std::string::npos;
    const Option* option = find_option(options, std::string_view(args[i]).substr(0, equals));
    if (option == nullptr || option->value.empty()) {
      if (option != nullptr && equals != std::string::npos)
        throw Error(cat(option->name, " takes no value"), "", std::string(removed_hint(command, args[i])));
      out.push_back(args[i]);
      continue;
    }
    out.push_back(option->name);
    if (equals != std::string::npos) {
      out.push_back(args[i].substr(equals + 1));
    } else if (option->rules.kind == OptionKind::value_flag) {
      const bool has_value = i + 1 < args.size() && is_truth_value(args[i + 1]);
      if (!has_value && i + 1 < args.size()) seen.after_value_flags.emplace_back(option->name, args[i + 1]);
      out.push_back(has_value ? args[++i] : "true");
    } else if (option->rules.kind == OptionKind::flag_choice) {
      out.push_back(option->rules.by_default);
    } else if (i + 1 < args.size()) {
      out.push_back(args[++i]);
    } else {
      throw Error(cat(option->name, " needs a value"));
    }
  }
  return out;
}

// The names of options in other programs and earlier versions.
struct OtherName {
  std::string_view other;
  std::string_view name;
};
constexpr OtherName kOtherNames[] = {
    {"--case", "--onnx-case"}, {"--dim", "--axis"},    {"--dimension", "--axis"},   {"--dims", "--axis"},
    {"--index", "--indices"},  {"--mode", "--oob"},    {"--opset", "--spec"},       {"--out", "--output"},
    {"--outfile", "--output"}, {"--src", "--updates"}, {"--reduce", "--reduction"}, {"--type", "--dtype"},
};

[[noreturn]] void unknown_option(const std::string& word, const std::vector<Option>& options,
                                 std::string_view command) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const Option& option : options) names.push_back(option.name);
  std::string near = nearest(name, names);
  // An unknown option may be a longer form of an option, such as "--ignore-open" for "--ignore".
  if (near.empty()) {
    const auto begins = std::ranges::find_if(
        names, [&](const std::string& known) { return name.starts_with(cat(known, "-")); });
    if (begins != names.end()) near = *begins;
  }
  for (const OtherName& row : kOtherNames) {
    if (row.other == name && find_option(options, row.name) != nullptr) near = row.name;
  }
  std::string hint = near.empty() ? "" : cat("did you mean ", near, "?");
  if (word.find_first_not_of("-0123456789,.") == std::string::npos && word.find(',') != std::string::npos)
    hint = cat("a list of numbers is written in brackets: '[", word, "]'");
  if (find_option(global_options(), name) != nullptr) hint = cat("this command does not use ", name);
  if (const std::string_view instead = removed_hint(command, name); !instead.empty()) hint = instead;
  throw Error(cat("unknown option ", in_quotes(name)), "", hint);
}

// Whether a word consists of letters of options: "-q", "-qq", "-qo".
bool is_letters(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && word[1] != '-';
}

// A negative number, or a range such as "-10:".
bool is_number_or_range(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && ((word[1] >= '0' && word[1] <= '9') || word[1] == '.') &&
         word.find_first_not_of("0123456789.eE+-:", 1) == std::string::npos;
}

}  // namespace

std::string parser_library() {
  return "CLI11 " CLI11_VERSION;
}

std::optional<std::string> Arguments::value(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::nullopt : std::optional(found->second[0]);
}

std::vector<std::string> Arguments::values(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::string> Arguments::value_or_default(std::string_view name) const {
  if (has(name)) return value(name);
  const Option* const option = find_option(rows, name);
  return option == nullptr || option->rules.by_default.empty() ? std::nullopt
                                                               : std::optional(option->rules.by_default);
}

std::optional<std::int64_t> Arguments::integer(std::string_view name) const {
  const auto text = value_or_default(name);
  return text ? parse_int64(*text) : std::nullopt;
}

double Arguments::seconds(std::string_view name) const {
  return parse_seconds(value_or_default(name).value()).value();
}

void Arguments::refuse_operands_after(std::size_t count, std::string_view takes) const {
  if (operands.size() <= count) return;
  throw Error(cat("unexpected operand ", in_quotes(operands[count]), ": ", takes));
}

void Arguments::require_rows() const {
  for (const Option& option : rows) {
    if (!has(option.name)) continue;
    for (const std::string& text : values(option.name)) require_value(option, text);
    const OptionRules& rules = option.rules;
    if (!rules.needs.empty() && !has(rules.needs))
      throw Error(cat(option.name, " needs ", rules.needs), "", std::string(rules.hint));
    if (!rules.unless.empty() && has(rules.unless)) continue;
    for (const std::string& other : split(rules.excludes, " ")) {
      if (has(other))
        throw Error(cat(option.name, " cannot be combined with ", other), "", std::string(rules.hint));
    }
  }
}

Arguments parse_arguments(const std::vector<std::string>& args, std::vector<Option> options,
                          std::string_view command) {
  // A word after "--" is never an option.
  const auto end = std::ranges::find(args, "--");
  Arguments out;
  std::vector<std::string> words = separate_values({args.begin(), end}, options, command, out);

  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  std::map<std::string, std::vector<std::string>> results;
  // Registers only options that a word names: registering all took most of the time of a small call.
  const bool has_letters = std::ranges::any_of(words, is_letters);
  for (const Option& option : options) {
    const bool may_be_given =
        std::ranges::find(words, option.name) != words.end() || (has_letters && !option.rules.letter.empty());
    if (!may_be_given) continue;
    const std::string names =
        option.rules.letter.empty() ? option.name : cat(option.rules.letter, ",", option.name);
    std::vector<std::string>& result = results[option.name];
    // Texts are used unchanged: the library would split inline JSON into a vector and read 010 as eight.
    const auto store = [&result](const CLI::results_t& texts) {
      result = texts;
      return true;
    };
    if (option.value.empty()) {
      parser.add_flag_function(names,
                               [&result](std::int64_t times) { result = {times == 1 ? "" : cat(times)}; });
    } else {
      parser.add_option(names, store)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  std::ranges::reverse(words);  // the library expects this order
  try {
    parser.parse(words);
  } catch (const CLI::ParseError& error) {
    throw Error(printable(error.what()));
  }

  for (auto& [name, texts] : results) {
    const Option& option = *find_option(options, name);
    if (texts.size() > 1 && !option.rules.repeats) throw Error(cat(name, " is given twice"));
    const bool is_choice =
        option.rules.kind == OptionKind::choice || option.rules.kind == OptionKind::flag_choice;
    if (is_choice) std::ranges::transform(texts, texts.begin(), lower);
    if (!texts.empty()) out.options[name] = std::move(texts);
  }
  for (const std::string& word : parser.remaining()) {
    if (word.size() > 1 && word[0] == '-' && !is_number_or_range(word))
      unknown_option(word, options, command);
    out.operands.push_back(word);
  }
  if (end != args.end()) out.operands.insert(out.operands.end(), end + 1, args.end());
  out.rows = std::move(options);
  return out;
}

}  // namespace tensorop
