// The text of --command: its words, its placeholders, and that no value can become a part of a program.
#include "check/command.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/errors.hpp"

namespace tensorop::check_command_test {
namespace {

using Shell = CommandTemplate::Shell;
using Words = std::vector<std::string>;

const CommandValues kValues = {
    {"/t/1.npy", "/t 2.npy"},
    {{"output", "/t/o"}, {"name", "a 'b' $(c)"}, {"axis", "-1"}, {"data", "/t/1.npy"}}};

Words words_of(const std::string& text, Shell shell = Shell::no) {
  return CommandTemplate(text, shell).words(kValues);
}

}  // namespace

TEST_CASE("a command is split as a shell splits words, and never by what is inserted", "[check][command]") {
  struct Row {
    std::string text;
    Words words;
  };
  for (const Row& row : std::vector<Row>{
           {"run {inputs} {output}", {"run", "/t/1.npy", "/t 2.npy", "/t/o"}},
           {"  run\t--axis={axis}\n -o '{output}' ", {"run", "--axis=-1", "-o", "/t/o"}},
           {"run {name} {output}", {"run", "a 'b' $(c)", "/t/o"}},
           {"run \"a b\" 'c \"d' \"e 'f\" g\\ h \\\\ \"\\\"\\\\\\n\" {output}",
            {"run", "a b", "c \"d", "e 'f", "g h", "\\", "\"\\\\n", "/t/o"}},
           {"run '' \"\" a''b {output}", {"run", "", "", "ab", "/t/o"}},
           {"run {{output} {} {1} {A} { {a b} } ${output}",
            {"run", "{output}", "{}", "{1}", "{A}", "{", "{a", "b}", "}", "$/t/o"}},
           {"run ; | > & $HOME * ~ # {output}", {"run", ";", "|", ">", "&", "$HOME", "*", "~", "#", "/t/o"}},
           {"{data}{axis}{output}", {"/t/1.npy-1/t/o"}},
       }) {
    CAPTURE(row.text);
    CHECK(words_of(row.text) == row.words);
  }
}

TEST_CASE("to a shell, values are arguments and no parts of its program", "[check][command]") {
  CHECK(words_of("x {inputs} > {output} # {name}", Shell::yes) ==
        Words{"/bin/sh", "-c", "x \"${1}\" \"${2}\" > \"${3}\" # \"${4}\"", "sh", "/t/1.npy", "/t 2.npy",
              "/t/o", "a 'b' $(c)"});
  CHECK(words_of(" '{{a}' {output}", Shell::yes) == Words{"/bin/sh", "-c", " '{a}' \"${1}\"", "sh", "/t/o"});
}

TEST_CASE("a command that cannot mean anything is refused", "[check][command]") {
  struct Row {
    std::string text;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {"", "the command is empty"},
           {" \t ", "the command is empty"},
           {"run {inputs}",
            "the command has none of {output}, {case} and {cases}: it does not say where the result goes"},
           {"run {ouput}", "unknown placeholder {ouput}\ndid you mean {output}?"},
           {"run {nothing_like_it} {output}",
            "unknown placeholder {nothing_like_it}\nof every case: {inputs} {output} {output:raw} {case} "
            "{name} {op} "
            "{spec} {attributes}; and its operands and attributes; {{ is a brace"},
           {"run 'a {output}", "the command has an open single quote"},
           {"run \"a {output}", "the command has an open double quote"},
           {"run {output} \\", "the command ends with a backslash"},
           {"run --in={inputs} {output}",
            "{inputs} must be a word of its own: it becomes a word for each operand"},
           {std::string("run\0 {output}", 13), "the command has a zero byte"},
       }) {
    CAPTURE(row.text);
    CHECK(error_of([&] { (void)words_of(row.text); }) == row.message);
  }
  CHECK(error_of([&] { (void)words_of("run {indices} {output}"); }) == "the case has no {indices}");
  for (const Shell shell : {Shell::no, Shell::yes}) {
    const CommandTemplate command("run {name} {output}", shell);
    CHECK(error_of([&] {
            (void)command.words({{}, {{"name", std::string("a\0b", 3)}, {"output", "/t/o"}}});
          }) == "{name} has a zero byte, which no argument of a program can have");
  }
  CHECK(words_of("x 'a {output}", Shell::yes).size() == 5);
}

}  // namespace tensorop::check_command_test
