// The command line of another program, with placeholders for the values of a case. Does not run the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tensorop {

// The values of a command's placeholders for one case.
struct CommandValues {
  struct Value {
    std::string name;  // without braces
    std::string text;
  };
  std::vector<std::string> inputs;  // of {inputs}, a word each
  std::vector<Value> named;         // of all others
};

// Placeholders that every case has: {inputs} {output} {output:raw} {case} {name} {op} {spec} {attributes}.
// The others are the operands and attributes of the operators, by their names. {cases} is the folder of a
// program that takes many cases in one process (program_cases.hpp), and the only placeholder of its command.
// A command without placeholders gets {case} as its last word.
class CommandTemplate {
 public:
  enum class Shell : bool { no, yes };
  static constexpr std::string_view kCases = "cases";
  static constexpr std::string_view kCase = "case";
  static constexpr std::string_view kOutput = "output";
  static constexpr std::string_view kRawOutput = "output:raw";

  // Without a shell the text is split into words at blanks; quotes and backslashes work as in a
  // shell, and nothing else is special. With a shell it is a program of /bin/sh. "{{" is a brace; braces
  // around anything but lower-case letters and "_" are text. Throws Error for an open quote, a name that is
  // no placeholder of any operator, and a text that does not say where the result goes.
  CommandTemplate(std::string_view text, Shell shell);

  // The words to run. Values are inserted as they are: they are not split, and to a shell they are arguments,
  // never parts of its program. An attribute that the case does not have is an empty text; throws Error
  // for an operand that it does not have.
  [[nodiscard]] std::vector<std::string> words(const CommandValues& values) const;

  [[nodiscard]] bool is_for_many() const { return is_for_many_; }
  // The program writes the elements alone.
  [[nodiscard]] bool is_raw() const { return is_raw_; }

 private:
  struct Part {
    std::string text;
    bool is_placeholder = false;  // `text` is its name
  };
  using Word = std::vector<Part>;

  void read(std::string_view text);

  Shell shell_;
  bool is_for_many_ = false;
  bool is_raw_ = false;
  std::vector<Word> words_;  // with a shell just one, the program
};

}  // namespace tensorop
