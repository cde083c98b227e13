#!/usr/bin/python3
"""Completion in real shells, manual pages through a formatter, and what an installation puts where.

    tests/cli/shells.py build/release/apps/tensorop/tensorop

The last line has the counts.
"""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support.checker import Checker

BINARY = os.path.abspath(sys.argv[1])
checker = Checker()


def output_of(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options).stdout


# What is typed, and what is offered.
CASES = [
    ("gath", "gather gatherelements gathernd"),
    ("compar", "compare"),
    ("gather --ba", "--batch-dims"),
    ("gather --axis 1 --batch", "--batch-dims"),
    ("gather --oob ", "clip error wrap zero"),
    ("scatternd --reduction m", "max mean min mul"),
    ("bitshift --direction l", "left"),
    ("convert a.npy --dtype float", "float16 float32 float4_e2m1fn float64 float8_e4m3fn float8_e4m3fnuz "
                                    "float8_e5m2 float8_e5m2fnuz float8_e8m0fnu"),
    ("gather file-", "file-a.npy file-b.npy"),
    ("gather file-a.npy -o file-", "file-a.npy file-b.npy"),
    ("compare file-a.npy file-b", "file-b.npy"),
    ("check --junit file-b", "file-b.npy"),
    ("check --sha", "--shard"),
    ("completion ", "bash fish zsh"),
    ("ops gathern", "gathernd"),
    ("man comp", "compare completion"),
    ("explain GN-", "GN-1 GN-2 GN-3 GN-4"),
    ("GatherN", "GatherND"),
    ("subtra", "subtract"),
    ("GatherND --ba", "--batch-dims"),
    ("gather --spec onnx-28", "onnx-28"),
    ("ScatterElements --spec m", "mdf"),
]


def in_bash(folder, line):
    words = ["tensorop"] + line.split(" ")
    quoted = " ".join("'%s'" % word for word in words)
    script = ("source <('%s' completion bash); COMP_WORDS=(%s); COMP_CWORD=%d; _tensorop; "
              "printf '%%s\\n' \"${COMPREPLY[@]}\"" % (BINARY, quoted, len(words) - 1))
    return output_of("bash", "--norc", "-c", script, cwd=folder).split()


def in_fish(folder, line):
    script = "'%s' completion fish | source; complete -C 'tensorop %s'" % (BINARY, line)
    return [offer.split("\t")[0] for offer in output_of("fish", "--no-config", "-c", script, cwd=folder).splitlines()]


# What compadd is given, into a file; and a key that says when completing has ended.
ZSH_SETUP = r"""
PS1='> '; unsetopt zle_bracketed_paste; autoload -Uz compinit && compinit -u -d %(folder)s/dump
source <('%(binary)s' completion zsh)
compadd() {
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return }
  local -a offered
  builtin compadd -A offered "$@"
  print -rl -- $offered >>%(folder)s/offered
  builtin compadd "$@"
}
completed() { print COMPLE''TED }
zle -N completed; bindkey '^T' completed
print REA''DY
"""


def in_zsh(folder, line):
    """Types the line and a tabulator into an interactive zsh, and reads what it offers."""
    (folder / "offered").write_text("")
    (folder / "setup").write_text(ZSH_SETUP % {"folder": folder, "binary": BINARY})
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="dumb", COLUMNS="200", LINES="50", HOME=str(folder))
        os.execvp("zsh", ["zsh", "-f", "-i"])

    def read(until, seconds=120):
        seen, end = "", time.monotonic() + seconds
        while until not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                try:
                    seen += os.read(terminal, 65536).decode(errors="replace")
                except OSError:
                    break

    os.write(terminal, b"source %s/setup\n" % os.fsencode(folder))
    read("READY")
    # Keys are handled one after the other: what the tabulator does has been done when the last one is.
    os.write(terminal, b"tensorop %s\t\x14" % line.encode())
    read("COMPLETED")
    os.kill(child, signal.SIGKILL)
    os.close(terminal)
    os.waitpid(child, 0)
    return sorted(set((folder / "offered").read_text().split()))


def check_completion(shell, complete, folder):
    for line, expected in CASES:
        offered = complete(folder, line)
        wanted = expected.split()
        if shell == "fish":  # it corrects the case of what was typed
            offered, wanted = [offer.lower() for offer in offered], [word.lower() for word in wanted]
        checker.check("%s: tensorop %s" % (shell, line), sorted(offered) == wanted, offered)


def check_manual():
    pages = output_of(BINARY, "man", "--list").split()
    checker.check("pages", len(pages) > 35 and "tensorop-gathernd" in pages, pages)
    for page in pages:
        text = output_of(BINARY, "man", page)
        warnings = output_of("groff", "-man", "-Tutf8", "-ww", "-z", input=text)
        checker.check("groff of " + page, warnings == "", warnings)
        shown = re.sub("\x1b\\[[0-9;]*m", "", output_of("groff", "-man", "-Tutf8", "-P-c", input=text))
        shown = re.sub(".\b", "", shown)
        checker.check("headings of " + page, all(h in shown for h in ("NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES")), shown[:200])


def check_installation(folder):
    build = Path(BINARY).parents[2]
    if not (build / "cmake_install.cmake").exists():
        return
    prefix = folder / "prefix"
    log = output_of("cmake", "--install", str(build), "--prefix", str(prefix))
    for name in ("bin/tensorop", "share/man/man1/tensorop.1", "share/man/man1/tensorop-gathernd.1",
                 "share/bash-completion/completions/tensorop", "share/zsh/site-functions/_tensorop",
                 "share/fish/vendor_completions.d/tensorop.fish", "share/doc/tensorop/third-party.md",
                 "share/doc/tensorop/changes.md"):
        checker.check("installed " + name, (prefix / name).is_file(), log)
    page = output_of(BINARY, "man", "gathernd")
    checker.check("page", (prefix / "share/man/man1/tensorop-gathernd.1").read_text() == page)


def main():
    folder = Path(tempfile.mkdtemp(prefix="tensorop-shells-"))
    try:
        for name in ("file-a.npy", "file-b.npy"):
            (folder / name).write_bytes(b"")
        for shell, complete in (("bash", in_bash), ("fish", in_fish), ("zsh", in_zsh)):
            if shutil.which(shell):
                check_completion(shell, complete, folder)
            else:
                print("left out: %s is not there" % shell)
        if shutil.which("groff"):
            check_manual()
        check_installation(folder)
    finally:
        shutil.rmtree(folder)
    checker.exit()


if __name__ == "__main__":
    main()
