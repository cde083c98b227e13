// Arguments of one command: separated into options and operands. Only this file uses the parser library.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options.hpp"

namespace tensorop {

// The parser library and its version: "CLI11 2.3.2".
[[nodiscard]] std::string parser_library();

struct Team;

struct Arguments {
  std::vector<Option> rows = {};  // all options of the command
  // The texts of each given option, by name. A flag has "", or its count if given more than once. Choices are
  // in lower case.
  std::map<std::string, std::vector<std::string>, std::less<>> options = {};
  std::vector<std::string> operands = {};  // in order; "--" ends options
  // Options of OptionKind::value_flag, each with the operand that follows it.
  std::vector<std::pair<std::string, std::string>> after_value_flags = {};
  const Team* team = nullptr;  // null: this process is alone
  bool is_for_one = false;     // the other processes of the team do not run the command

  [[nodiscard]] bool has(std::string_view name) const { return options.find(name) != options.end(); }
  // The first text, or all texts, of an option as given.
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view name) const;
  // The given text, or else the option's default, or nothing; the next two as an integer and as seconds.
  [[nodiscard]] std::optional<std::string> value_or_default(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  [[nodiscard]] double seconds(std::string_view name) const;

  // Throws Error for a value that its option does not accept, for an option together with one that it
  // excludes, and for an option without the one that it needs.
  void require_rows() const;
  // Throws Error for operands after the first `count`; `takes` is for the message: "lookup takes 2".
  void refuse_operands_after(std::size_t count, std::string_view takes) const;
};

// Throws Error for an option that is unknown (with the nearest name, or its replacement in `command`), has no
// value, or is given twice. require_rows() checks the values.
[[nodiscard]] Arguments parse_arguments(const std::vector<std::string>& args, std::vector<Option> options,
                                        std::string_view command);

}  // namespace tensorop
