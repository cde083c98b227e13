// Arguments of one command: options and operands told apart, nothing given a meaning yet. The only place
// where the parser library is used.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tensorop {

enum class OptionKind {
  flag,        // --quiet
  value,       // --axis 1, --axis=1
  value_flag,  // --fmod, --fmod=1: a value only behind '='
};

struct Option {
  std::string name;  // with dashes: "--axis"
  OptionKind kind;
  std::string value_name;  // in help: "N"
  std::string help;
  std::string letter = {};  // "-o"
};

struct Arguments {
  std::map<std::string, std::string, std::less<>> options;  // by name, flags with an empty text
  std::vector<std::string> operands;                        // in order; "--" ends options

  [[nodiscard]] bool has(std::string_view name) const { return options.find(name) != options.end(); }
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
};

// Throws Error for an unknown option (with the nearest name), one without its value, and one given twice.
[[nodiscard]] Arguments parse_arguments(const std::vector<std::string>& args,
                                        const std::vector<Option>& options);

}  // namespace tensorop
