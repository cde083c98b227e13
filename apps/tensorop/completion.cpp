// `completion`: completion scripts for shells, from the descriptions of all commands.
#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/version.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {
namespace {

const std::string kSpace = " ";

// The possible values of an option: some words, a file, or anything else.
struct Values {
  std::vector<std::string> words;
  bool is_file = false;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// In the next word.
bool takes_value(const Option& option) {
  return option.kind == OptionKind::value || option.kind == OptionKind::values;
}

// "error|zero|clip" are words; "N" is a placeholder.
Values values_of(const Option& option) {
  Values values;
  if (option.name == "--spec") return {spec_texts()};
  for (const std::string& part : split(option.value_name, '|')) {
    const bool is_word =
        !part.empty() && std::ranges::all_of(part, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
    if (is_word) values.words.push_back(part);
    if (part == "FILE" || part == "DIR" || part == "OPERAND") values.is_file = true;
    if (part == "DTYPE") {
      for (int i = 0; i < kDTypeCount; ++i) values.words.emplace_back(name(static_cast<DType>(i)));
    }
  }
  return values;
}

// Text quoted for the shell, which finds nothing special in it.
std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The operands of a command: words for these commands, files for all others.
Values operands_of(const Command& command) {
  if (command.name == "ops") return {operator_names()};
  if (command.name == "explain") return {rule_ids()};
  if (command.name == "completion") return {{"bash", "zsh", "fish"}};
  if (command.name == "man") {
    Values values;
    for (const Command& other : all_commands()) values.words.push_back(other.name);
    return values;
  }
  return {{}, true};
}

std::vector<std::string> names_of(const Option& option) {
  if (option.letter.empty()) return {option.name};
  return {option.name, option.letter};
}

// The other names of a command, without '-' and '_' and in lower case, as words of a shell. Where a name is
// completed, publishers' spellings are offered too: "GatherND".
struct OtherNames {
  std::vector<std::string> folded;
  std::vector<std::string> offered;
};

OtherNames other_names(const Command& command) {
  const auto* const op = find_operator(command.name).op;
  if (op == nullptr) return {};
  OtherNames names;
  const auto offer = [&](std::string_view name) {
    if (name != command.name && std::ranges::find(names.offered, name) == names.offered.end())
      names.offered.emplace_back(name);
  };
  for (const OperatorName& name : op->names) {
    if (name.name != command.name) names.folded.emplace_back(name.name);
    offer(name.name);
  }
  for (const Version& version : op->versions) {
    if (find_operator(version.published).op == op) offer(version.published);
  }
  return names;
}

std::string bash_script(const std::vector<Command>& commands) {
  std::string names;
  std::string options;
  std::string values;
  std::string operands;
  std::string aliases;
  for (const Command& command : commands) {
    names += cat(names.empty() ? "" : " ", command.name);
    const OtherNames others = other_names(command);
    for (const std::string& name : others.offered) names += cat(" ", name);
    if (!others.folded.empty())
      aliases += cat("    ", join(others.folded, "|"), ") command=", command.name, " ;;\n");
    std::vector<std::string> words;
    for (const Option& option : all_options(command)) {
      words.push_back(option.name);
      if (!takes_value(option)) continue;
      const Values possible = values_of(option);
      std::string pattern;
      for (const std::string& name : names_of(option))
        pattern += cat(pattern.empty() ? "" : "|", command.name, ":", name);
      values += cat("    ", pattern, ") ");
      values += possible.words.empty() ? cat("files=", possible.is_file ? "1" : "", "; words= ;;\n")
                                       : cat("words=", shell_word(join(possible.words, kSpace)), " ;;\n");
    }
    options += cat("    ", command.name, ") words=", shell_word(join(words, kSpace)), " ;;\n");
    const Values possible = operands_of(command);
    if (!possible.words.empty())
      operands += cat("    ", command.name, ") words=", shell_word(join(possible.words, kSpace)), " ;;\n");
  }
  return cat(
      "# Completion of tensorop for bash. Either: source <(tensorop completion bash)\n"
      "# or into a file: ~/.local/share/bash-completion/completions/tensorop\n"
      "_tensorop() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command= words= files= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    if [[ ${COMP_WORDS[i]} != -* ]]; then\n"
      "      command=${COMP_WORDS[i]}\n"
      "      break\n"
      "    fi\n"
      "  done\n"
      "  if [[ -z $command ]]; then\n"
      "    COMPREPLY=($(compgen -W ",
      shell_word(names),
      " -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  command=${command,,}\n"
      "  command=${command//[-_]/}\n"
      "  case $command in\n",
      aliases,
      "  esac\n"
      "  case $command:$previous in\n",
      values,
      "    *)\n"
      "  if [[ $current == -* ]]; then\n"
      "  case $command in\n",
      options,
      "  esac\n"
      "  else\n"
      "  files=1\n"
      "  case $command in\n",
      operands,
      "  esac\n"
      "  fi ;;\n"
      "  esac\n"
      "  if [[ -n $words ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  elif [[ -n $files ]]; then\n"
      "    local IFS=$'\\n'\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "    compopt -o filenames 2>/dev/null\n"
      "  fi\n"
      "}\n"
      "complete -F _tensorop tensorop\n");
}

// Within _arguments brackets and colons have a meaning of their own.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const Values& values) {
  if (!values.words.empty()) return cat("(", join(values.words, kSpace), ")");
  return values.is_file ? "_files" : " ";
}

std::string zsh_argument(const Option& option) {
  std::string names = shell_word(option.name);
  if (!option.letter.empty()) {
    names = cat(shell_word(cat("(", option.letter, " ", option.name, ")")), "{", option.letter, ",",
                option.name, "}");
  }
  std::string rest = cat("[", zsh_text(option.help), "]");
  if (takes_value(option)) {
    rest += cat(":", zsh_text(option.value_name), ":", zsh_action(values_of(option)));
  }
  return names + shell_word(rest);
}

std::string zsh_script(const std::vector<Command>& commands) {
  std::string names;
  std::string cases;
  for (const Command& command : commands) {
    names += cat("    ", shell_word(cat(command.name, ":", zsh_text(command.summary))), "\n");
    const OtherNames others = other_names(command);
    for (const std::string& name : others.offered)
      names += cat("    ", shell_word(cat(name, ":", zsh_text(command.summary))), "\n");
    std::vector<std::string> patterns = others.folded;
    patterns.insert(patterns.begin(), command.name);
    cases += cat("    ", join(patterns, "|"), ")\n      _arguments");
    for (const Option& option : all_options(command)) cases += cat(" \\\n        ", zsh_argument(option));
    cases += cat(" \\\n        ", shell_word(cat("*:operand:", zsh_action(operands_of(command)))), " ;;\n");
  }
  return cat(
      "#compdef tensorop\n"
      "# Completion of tensorop for zsh. Either: source <(tensorop completion zsh)\n"
      "# or into a file of your fpath: _tensorop\n"
      "_tensorop() {\n"
      "  local -a commands\n"
      "  commands=(\n",
      names,
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=${${(L)words[2]}//[-_]/}\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n",
      cases,
      "    *) _files ;;\n"
      "  esac\n"
      "}\n"
      "if [[ $funcstack[1] == _tensorop ]]; then\n"
      "  _tensorop \"$@\"\n"
      "else\n"
      "  compdef _tensorop tensorop\n"
      "fi\n");
}

std::string fish_values(const Values& values, bool is_value) {
  if (!values.words.empty()) return cat(" -x -a ", shell_word(join(values.words, kSpace)));
  return !is_value ? "" : values.is_file ? " -r" : " -x";
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string out =
      "# Completion of tensorop for fish. Either: tensorop completion fish | source\n"
      "# or into a file: ~/.config/fish/completions/tensorop.fish\n";
  for (const Command& command : commands) {
    std::vector<std::string> names = other_names(command).offered;
    names.insert(names.begin(), command.name);
    for (const std::string& name : names) {
      // Of names that differ in case only, fish would offer both for either.
      if (name != command.name && lower(name) == command.name) continue;
      if (name != lower(name) && std::ranges::find(names, lower(name)) != names.end()) continue;
      out += cat("complete -c tensorop -n __fish_use_subcommand -f -a ", name, " -d ",
                 shell_word(command.summary), "\n");
    }
    const std::string lead =
        cat("complete -c tensorop -n '__fish_seen_subcommand_from ", join(names, kSpace), "'");
    for (const Option& option : all_options(command)) {
      out += cat(lead, option.letter.empty() ? "" : cat(" -s ", option.letter.substr(1)), " -l ",
                 option.name.substr(2), " -d ", shell_word(option.help));
      if (takes_value(option)) out += fish_values(values_of(option), true);
      out += '\n';
    }
    const Values operands = operands_of(command);
    if (!operands.words.empty()) out += cat(lead, " -f -a ", shell_word(join(operands.words, kSpace)), "\n");
  }
  return out;
}

int run_completion(const Arguments& arguments) {
  if (arguments.operands.size() != 1) throw Error("expected one shell: bash, zsh or fish");
  const std::string& shell = arguments.operands[0];
  if (shell == "bash") {
    print(bash_script(all_commands()));
  } else if (shell == "zsh") {
    print(zsh_script(all_commands()));
  } else if (shell == "fish") {
    print(fish_script(all_commands()));
  } else {
    throw Error(cat("shell ", in_quotes(shell), " is not one of bash, zsh, fish"));
  }
  return 0;
}

}  // namespace

Command completion_command() {
  return {"completion",
          {"completion bash|zsh|fish"},
          "Prints the completion script of a shell",
          {"source <(tensorop completion bash)",
           "tensorop completion fish > ~/.config/fish/completions/tensorop.fish"},
          {},
          run_completion};
}

}  // namespace tensorop
