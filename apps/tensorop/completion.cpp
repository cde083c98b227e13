// `complete`: completes the last word of a command line, from the descriptions of all commands. `completion`:
// prints the scripts by which shells call it.
#include <algorithm>
#include <string>

#include "base/files/output_file.hpp"
#include "base/text/error.hpp"
#include "base/text/text.hpp"
#include "commands.hpp"
#include "engine/version.hpp"
#include "io/inspect.hpp"
#include "io/opened_file.hpp"
#include "ops/rule.hpp"
#include "tensor/dtype.hpp"

namespace tensorop {
namespace {

// Each script calls `tensorop complete`. It prints a completion on each line, with a remark after a
// tabulator, and kFilesToo if the word may also be a file name.
constexpr std::string_view kFilesToo = ":files\n";

struct CompletionScript {
  std::string_view shell;
  std::string_view text;
};

constexpr CompletionScript kCompletionScripts[] = {
    // bash splits words at '=' and ':', so the text before the last of them must not be offered again.
    {"bash", R"(# Completion of tensorop for bash. Either: source <(tensorop completion bash)
# or into a file: ~/.local/share/bash-completion/completions/tensorop
_tensorop() {
  local line=${COMP_LINE:0:COMP_POINT} breaks=${COMP_WORDBREAKS//[^:=]/} words word lead offer remark
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  word=${words[-1]} lead=
  [[ -n $breaks ]] && lead=${word%"${word##*["$breaks"]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r offer remark; do
    if [[ $offer == :files ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${word#"$lead"}")
    else
      [[ $offer == *= ]] && compopt -o nospace 2>/dev/null
      COMPREPLY+=("${offer#"$lead"}")
    fi
  done < <("$1" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _tensorop tensorop
)"},
    {"zsh", R"(#compdef tensorop
# Completion of tensorop for zsh. Either: source <(tensorop completion zsh)
# or into a file of your fpath: _tensorop
_tensorop() {
  local line files=
  local -a offers
  for line in "${(@f)$(_call_program offers ${(q)words[1]} complete -- "${(@q)${(@Q)words[2,CURRENT-1]}}" "${(q)PREFIX}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      files=1
    elif [[ -n $line ]]; then
      offers+=("${${line%%$'\t'*}//:/\\:}${${line#*$'\t'}:+:${line#*$'\t'}}")
    fi
  done
  (( $#offers )) && _describe offer offers
  [[ -n $files ]] && { compset -P '--*='; _files }
}
if [[ $funcstack[1] == _tensorop ]]; then _tensorop "$@"; else compdef _tensorop tensorop; fi
)"},
    {"fish", R"(# Completion of tensorop for fish. Either: tensorop completion fish | source
# or into a file: ~/.config/fish/completions/tensorop.fish
function __tensorop_offers
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] "$word" 2>/dev/null)
        if test "$line" = :files
            set -l lead (string match -r -- '^--[^=]*=' "$word")
            for file in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$word"))
                echo -- "$lead$file"
            end
        else
            echo -- $line
        end
    end
end
complete -c tensorop -f -a '(__tensorop_offers)'
)"},
};

// The completions of a word: words that begin with the typed text, each with a remark, and file names.
class Offers {
 public:
  explicit Offers(std::string_view typed) : typed_(typed) {}

  void add(std::string_view word, std::string_view remark = {}) {
    if (word.starts_with(typed_)) lines_ += cat(word, remark.empty() ? "" : "\t", remark, "\n");
  }
  void add_all(const std::vector<std::string>& words, std::string_view lead = {}) {
    for (const std::string& word : words) add(cat(lead, word));
  }
  // Adds the arrays of the archive that is typed after `lead` before a colon; else file names.
  void add_files(std::string_view lead = {}) {
    const std::string path(typed_.substr(lead.size()));
    try {
      if (const auto opened = open_archive_path(Operand::of_path(path))) {
        for (const ArrayEntry& array : inspect_file(Operand::of_path(opened->shown())).arrays)
          add(cat(lead, array.path), cat(array.dtype ? name(*array.dtype) : "", " ", to_string(array.shape)));
        return;
      }
    } catch (const Error&) {  // a damaged archive has no names to offer
    }
    lines_ += kFilesToo;
  }
  // Whether nothing has been typed.
  [[nodiscard]] bool is_open() const { return typed_.empty(); }
  [[nodiscard]] const std::string& lines() const { return lines_; }

 private:
  std::string_view typed_;
  std::string lines_;
};

// "error|zero|clip" are words; "N" is a placeholder. `lead` is the typed text before the value, "--oob=".
void add_values(const Command& command, const Option& option, std::string_view lead, Offers& offers) {
  const Operator* const op = command.op;
  if (option.name == "--spec") {
    const bool takes_all = op != nullptr && !command.name.starts_with(kWhy);
    return offers.add_all(takes_all ? all_spec_texts() : spec_texts(), lead);
  }
  if (op != nullptr && (option.name == "--reshape" || option.name == "--of")) {
    for (const OperandSpec& operand : op->operands)
      offers.add(cat(lead, operand.name, option.name == "--of" ? "" : "="), operand.help);
    if (option.name == "--of") return;
  }
  for (const std::string& part : words_of(option)) {
    const auto is_small = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    if (!part.empty() && std::ranges::all_of(part, is_small)) offers.add(cat(lead, part));
    if (part == "DTYPE") offers.add_all(split(kAllTypes.names(), ", "), lead);
    if (part == "FILE" || part == "DIR" || part == "OPERAND" || part == "MASK") offers.add_files(lead);
  }
}

// Adds operators; once something has been typed, also by their other names and publishers' names.
void add_operators(Offers& offers, std::vector<std::string>& known) {
  const auto add = [&](std::string_view word, std::string_view summary) {
    if (std::ranges::find(known, word) != known.end()) return;
    offers.add(word, summary);
    known.emplace_back(word);
  };
  for (const Operator* op : kOperators) {
    add(op->name, op->summary);
    if (offers.is_open()) continue;
    for (const OperatorName& name : op->names) {
      if (name.of == Framework::standard) add(name.name, op->summary);
    }
    for (const Version& version : op->versions) {
      const bool is_capitalized = version.published[0] >= 'A' && version.published[0] <= 'Z';
      if (is_capitalized && find_operator(version.published).op == op) add(version.published, op->summary);
    }
  }
}

// Adds operators and commands.
void add_commands(Offers& offers) {
  std::vector<std::string> known;
  add_operators(offers, known);
  for (const CommandEntry& entry : kCommands) {
    if (entry.is_listed && std::ranges::find(known, entry.name) == known.end())
      offers.add(entry.name, first_sentence(entry.describe().summary));
  }
}

void add_operands(const Command& command, Offers& offers) {
  const std::string& name = command.name;
  if (name == "explain") {
    for (const Rule& rule : all_rules()) offers.add(rule.id, rule.statement);
    std::vector<std::string> known;
    add_operators(offers, known);
    for (const Operator* op : kOperators) {
      for (const AttributeSpec& spec : op->attributes) {
        if (std::ranges::find(known, spec.name) != known.end()) continue;
        known.emplace_back(spec.name);
        offers.add(spec.name, spec.help);
      }
    }
  } else if (name == "completion") {
    offers.add_all({"bash", "fish", "zsh"});
  } else if (name == "help" || name == "man") {
    add_commands(offers);
  } else if (name == "ops") {
    for (const Operator* op : kOperators) offers.add(op->name, op->summary);
    if (!offers.is_open()) offers.add_all(spec_texts());
  } else if (name == kWhy) {
    std::vector<std::string> known;
    add_operators(offers, known);
    offers.add_files();
  } else if (name != "complete" && name != "version") {
    offers.add_files();
  }
}

// Completes the words after "tensorop"; the last one is being typed.
int run_complete(const Arguments& arguments) {
  Words words = arguments.operands;
  if (words.empty()) words.emplace_back();
  const std::string typed = words.back();
  words.pop_back();
  std::size_t at = command_position(words);
  auto named = at < words.size() ? find_command(words[at], spec_of(words)) : std::nullopt;
  if (named && named->name == kWhy) {
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
    const std::size_t op_at = command_position(words);
    const FoundOperator found =
        op_at < words.size() ? find_operator(words[op_at], spec_of(words)) : FoundOperator{};
    if (found.op != nullptr) named = why_command(found);
    // The command has already been typed.
    at = words.size() + 1;
  }
  const Command command = named.value_or(Command{});
  const std::vector<Option> options = all_options(command);
  const bool ended = std::ranges::find(words, "--") != words.end();
  Offers offers(typed);
  const std::size_t equals = typed.starts_with("--") ? typed.find('=') : std::string::npos;
  const Option* const before = words.empty() ? nullptr : find_option(options, words.back());
  if (before != nullptr && before->takes_value()) {
    add_values(command, *before, "", offers);
  } else if (equals != std::string::npos) {
    if (const Option* own = find_option(options, typed.substr(0, equals)))
      add_values(command, *own, typed.substr(0, equals + 1), offers);
  } else if (typed.starts_with('-') && !ended) {
    for (const Option& offered : options) offers.add(offered.name, meaning_of(offered));
  } else if (at == words.size()) {
    add_commands(offers);
  } else if (named) {
    add_operands(command, offers);
  }
  print(offers.lines());
  return 0;
}

int run_completion(const Arguments& arguments) {
  if (arguments.operands.size() != 1) throw Error("expected one shell: bash, zsh or fish");
  const std::string& shell = arguments.operands[0];
  const auto script = std::ranges::find(kCompletionScripts, shell, &CompletionScript::shell);
  if (script == std::end(kCompletionScripts))
    throw Error(cat("shell ", in_quotes(shell), " is not one of bash, zsh, fish"));
  print(std::string(script->text));
  return 0;
}

}  // namespace

Command complete_command() {
  return {"complete",
          {"complete -- WORD..."},
          "Prints the completions of the last word of a command line, for the scripts of shells",
          {"tensorop complete -- gather --oob c"},
          {},
          run_complete};
}

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
