// The scripts by which shells complete: each asks `tensorop complete`, which prints a completion on each
// line, with a remark after a tabulator, and kFilesToo where it may be the name of a file too.
#pragma once

#include <string_view>

namespace tensorop {

inline constexpr std::string_view kFilesToo = ":files\n";

struct CompletionScript {
  std::string_view shell;
  std::string_view text;
};

inline constexpr CompletionScript kCompletionScripts[] = {
    // bash takes '=' and ':' for ends of words: what stands before the last of them is not offered again.
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

}  // namespace tensorop
