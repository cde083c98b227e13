// Arguments of one command: separated into options and operands, not interpreted. Only this file uses the
// parser library.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tensorop {

// The parser library and its version: "CLI11 2.3.2".
[[nodiscard]] std::string parser_library();

enum class OptionKind {
  flag,        // --quiet
  value,       // --axis 1, --axis=1
  value_flag,  // --fmod, --fmod=1, --fmod 1: the next word only if it is true, false, 1 or 0
  values,      // --reshape a=2,3 --reshape b=6: any number of times
};

struct Option {
  std::string name;  // with dashes: "--axis"
  OptionKind kind;
  std::string value_name;  // in help: "N"
  std::string help;
  std::string letter = {};  // "-o"
};

// The option of that name or letter; null: none.
[[nodiscard]] const Option* find_option(const std::vector<Option>& options, std::string_view word);

struct Team;

struct Arguments {
  // By name, those that are given; of flags "", or how often, if several times.
  std::map<std::string, std::vector<std::string>, std::less<>> options;
  std::vector<std::string> operands;  // in order; "--" ends options
  // Options of OptionKind::value_flag, each with the operand that follows it.
  std::vector<std::pair<std::string, std::string>> after_value_flags;
  const Team* team = nullptr;  // null: this process is alone
  bool is_for_one = false;     // the other processes of the team do not run the command

  [[nodiscard]] bool has(std::string_view name) const { return options.find(name) != options.end(); }
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view name) const;

  // Throw Error for an option that is given beside one that excludes it, or without the one that it needs.
  using Names = std::initializer_list<std::string_view>;
  void refuse_beside(std::string_view option, Names others) const;
  void require_with(std::string_view needed, Names others) const;
  // Throws Error for an operand after so many; `takes`: "lookup takes 2".
  void refuse_operands_after(std::size_t count, std::string_view takes) const;
};

// Throws Error for an option that is unknown (with the nearest name, or with what replaced it in `command`),
// has no value, or is given twice.
[[nodiscard]] Arguments parse_arguments(const std::vector<std::string>& args,
                                        const std::vector<Option>& options, std::string_view command);

}  // namespace tensorop
