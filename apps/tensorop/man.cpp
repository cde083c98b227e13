// `man`: prints manual pages from the descriptions of all commands.
#include <algorithm>
#include <string>

#include "base/files/output_file.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "describe/describe.hpp"

namespace tensorop {
namespace {

// Escapes text for roff: backslashes, dashes, quotes, and a dot at the beginning of a line.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool begins_line = out.empty() || out.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
  }
  return out;
}

std::string heading(std::string_view page) {
  std::string upper(page);
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return cat(".TH ", roff(upper),
             " 1 " TENSOROP_DATE " \"tensorop " TENSOROP_VERSION "\" \"User Commands\"\n");
}

std::string name_section(std::string_view page, std::string_view whole) {
  std::string summary(first_sentence(whole));
  summary[0] = static_cast<char>(summary[0] | 0x20);
  return cat(".SH NAME\n", roff(page), " \\- ", roff(summary), "\n");
}

std::string option_item(const Option& option) {
  std::string names = option.rules.letter.empty() ? "" : cat("\\fB", roff(option.rules.letter), "\\fR, ");
  names += cat("\\fB", roff(option.name), "\\fR");
  if (!option.value.empty()) {
    const auto [before, after] = around_value(option);
    names += cat(before, "\\fI", roff(option.value), "\\fR", after);
  }
  return cat(".TP\n", names, "\n", roff(meaning_of(option)), "\n");
}

std::string example_section(const std::vector<std::string>& examples) {
  std::string out = ".SH EXAMPLES\n.nf\n";
  for (const std::string& example : examples) out += roff(example) + '\n';
  return out + ".fi\n";
}

// The meaning of exit status 1; empty: the command never ends with it.
std::string_view status_one(const Command& command) {
  if (command.op != nullptr) return "With \\-\\-spec all: not all versions accept the call with one result.";
  if (command.name == "compare") return "A difference was found.";
  if (command.name == "check") return "A result differs from what its case expects.";
  return command.name == "info" ? "\\-\\-fail\\-if: an array has such elements." : "";
}

std::string status_section(std::string_view one) {
  return cat(".SH EXIT STATUS\n.TP\n0\nSuccess.\n", one.empty() ? "" : ".TP\n1\n", one,
             one.empty() ? "" : "\n",
             ".TP\n2\nWrong usage, invalid input, or an input/output error; a line on standard error has the "
             "reason.\n");
}

// The environment variables and files of every command.
constexpr std::string_view kSurroundings =
    ".SH ENVIRONMENT\n"
    ".TP\nTENSOROP_MEMORY\nThe default of \\-\\-memory.\n"
    ".TP\nTMPDIR\nThe folder of temporary files that have no place beside a result; default: /tmp.\n"
    ".TP\nCOLUMNS\nThe width of help and pictures; default: the width of the terminal.\n"
    ".TP\nLC_ALL, LC_CTYPE, LANG\nThe first that is not empty says whether UTF\\-8 can be printed.\n"
    ".SH FILES\n"
    ".TP\n\\&.tensorop\\-XXXXXXXX.tmp\nA temporary file or folder, with random letters.\n"
    "SIGKILL may leave it: remove it when no process writes there.\n"
    ".SH SEE ALSO\nEach command has a page tensorop\\-COMMAND (1).\n"
    "The guide is in share/doc/tensorop, beside share/man.\n";

std::string command_page(const Command& command) {
  const std::string page = cat("tensorop-", command.name);
  std::string out = heading(page) + name_section(page, command.summary) + ".SH SYNOPSIS\n.nf\n";
  for (const std::string& usage : command.usages) out += cat("\\fBtensorop\\fR ", roff(usage), "\n");
  out += ".fi\n";
  const Operator* op = command.op;
  if (op == nullptr) out += cat(".SH DESCRIPTION\n", roff(command.summary), ".\n");
  if (op != nullptr) {
    out += cat(".SH DESCRIPTION\n", roff(op->meaning), "\n.PP\n", roff(describe_output_shape(*op)), "\n");
  }
  out += ".SH OPTIONS\n";
  for (const OptionGroup& group : option_groups(command)) {
    out += cat(".SS ", title(group.heading), "\n");
    for (const Option& option : group.options) out += option_item(option);
  }
  if (op != nullptr) {
    out +=
        ".SH RULES\nA call must satisfy these rules; an error message ends with the id of the one that it "
        "breaks.\n";
    for (const Rule* rule : rules_of(*op))
      out += cat(".TP\n", roff(rule->id), "\n", roff(rule->statement), "\n");
    out += cat(".SH VERSIONS\n.nf\n", roff(describe_versions(*op)), ".fi\n");
  }
  return out + example_section(command.examples) + status_section(status_one(command)) +
         (op == nullptr ? ".SH SEE ALSO\n.BR tensorop (1)\n"
                        : ".SH SEE ALSO\n.BR tensorop (1),\n.BR tensorop\\-explain (1)\n");
}

std::string program_page(const std::vector<Command>& commands) {
  std::string out =
      heading("tensorop") + name_section("tensorop", program_summary()) +
      ".SH SYNOPSIS\n.nf\n\\fBtensorop\\fR OPERATOR OPERAND... [OPTION]... [\\-o FILE]\n"
      "\\fBtensorop\\fR COMMAND ...\n.fi\n"
      ".SH DESCRIPTION\n"
      "An operand is a file (" +
      join_words(format_titles([](const Format& format) { return format.is_readable(); }), "or") +
      ", detected from its first bytes), \\- for standard input, an\n"
      "array of an archive (a.npz:name), or the tensor itself as JSON. A result goes to \\-o FILE, by\n"
      "its extension, or as JSON to standard output; a result file is complete or absent.\n"
      ".SH COMMANDS\n";
  for (const Command& command : commands)
    out += cat(".TP\n\\fB", roff(command.name), "\\fR\n", roff(first_sentence(command.summary)), "\n");
  out += ".SH OPTIONS\n";
  for (const Option& option : global_options()) out += option_item(option);
  return out +
         example_section({"tensorop gathernd --data a.npy --indices i.npy -o out.npy",
                          "tensorop compare out.npy golden.npy --tolerance auto"}) +
         status_section(
             "compare and check found a difference, \\-\\-spec all found versions that differ, or "
             "\\-\\-fail\\-if of info found an element.") +
         std::string(kSurroundings);
}

int run_man(const Arguments& arguments) {
  arguments.refuse_operands_after(1, "man takes one page");
  if (arguments.has("--list")) {
    std::string names = "tensorop\n";
    for (const Command& command : all_commands()) names += cat("tensorop-", command.name, "\n");
    print(names);
    return 0;
  }
  std::string_view name = arguments.operands.empty() ? "tensorop" : std::string_view(arguments.operands[0]);
  if (name == "tensorop") {
    print(program_page(all_commands()));
    return 0;
  }
  if (name.starts_with("tensorop-")) name.remove_prefix(9);
  print(command_page(require_command(name)));
  return 0;
}

}  // namespace

Command man_command() {
  return {"man",
          {"man [COMMAND]", "man --list"},
          "Prints a manual page",
          {"tensorop man gathernd | man -l -", "tensorop man > tensorop.1"},
          {{"--list", Heading::others, "", "print the names of all pages"}},
          run_man};
}

}  // namespace tensorop
