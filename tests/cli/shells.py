#!/usr/bin/python3
"""Completion in real shells, manual pages through a formatter, and what an installation puts where.

    tests/cli/shells.py build/release/apps/tensorop/tensorop

The last line has the counts.
"""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
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
    ("gath", "gather gatherelements gathernd gatherslices"),
    ("compar", "compare"),
    ("gather --ba", "--batch-dims"),
    ("gather --axis 1 --batch", "--batch-dims"),
    ("gather --oob ", "clamp clip error fill wrap zero"),
    ("scatternd --reduction m", "max maximum mean min minimum mul multiply"),
    ("bitshift --direction l", "left"),
    ("convert a.npy --dtype float", "float16 float32 float4_e2m1fn float64 float8_e4m3fn float8_e4m3fnuz "
                                    "float8_e5m2 float8_e5m2fnuz float8_e8m0fnu"),
    ("gather file-", "file-a.npy file-b.npy"),
    ("gather file-a.npy -o file-", "file-a.npy file-b.npy"),
    ("compare file-a.npy file-b", "file-b.npy"),
    ("check --junit file-b", "file-b.npy"),
    ("check --sha", "--shard"),
    ("completion ", "bash fish zsh"),
    ("--threads 2 gather --ba", "--batch-dims"),
    ("--progress al", "always"),
    ("-q compar", "compare"),
    ("gather --oob=c", "--oob=clamp --oob=clip"),
    ("gather --reshape ind", "indices="),
    ("gather --data=both.npz:f", "--data=both.npz:first"),
    ("gather both.npz:", "both.npz:first both.npz:second"),
    ("compare file-a.npy both.npz:s", "both.npz:second"),
    ("explain batch_", "batch_dims"),
    ("help gatherel", "gatherelements"),
    ("man --threa", ""),
    ("gather --axis ", ""),
    ('gather "[[1, 2]]" --ba', "--batch-dims"),
    ("--threads=2 gather --oob ", "clamp clip error fill wrap zero"),
    ("gather -o file-", "file-a.npy file-b.npy"),
    ("gather --output=file-a", "--output=file-a.npy"),
    ("ops gathern", "gathernd"),
    ("man comp", "compare completion"),
    ("explain GN-", "GN-1 GN-2 GN-3 GN-4"),
    ("GatherN", "GatherND"),
    ("subtra", "subtract"),
    ("GatherND --batc", "--batch-dims"),
    ("gather --spec onnx-27", "onnx-27"),
    ("ScatterElements --spec m", "mdf"),
]


def in_bash(folder, line):
    words = "tensorop " + line
    script = ("source <('%s' completion bash); COMP_LINE='%s'; COMP_POINT=%d; _tensorop '%s'; "
              "printf '%%s\\n' \"${COMPREPLY[@]}\"" % (BINARY, words, len(words), BINARY))
    # As bash replaces only what stands after the last '=' or ':', what stands before it is put back.
    typed = line.split(" ")[-1]
    lead = typed[:max(typed.rfind(":"), typed.rfind("=")) + 1]
    return [lead + offer for offer in output_of("bash", "--norc", "-c", script, cwd=folder).split()]


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
    # Of a value after '=', zsh is offered the value alone where it is a file.
    lead = re.match("(?:--[^=]*=)?", line.split(" ")[-1])[0]
    offered = set((folder / "offered").read_text().split())
    return sorted(offer if offer.startswith(lead) else lead + offer for offer in offered)


def check_completion(shell, complete, folder):
    for line, expected in CASES:
        offered = complete(folder, line)
        wanted = expected.split()
        if shell == "fish":  # it corrects the case of what was typed
            offered, wanted = [offer.lower() for offer in offered], [word.lower() for word in wanted]
        checker.check("%s: tensorop %s" % (shell, line), sorted(offered) == wanted, offered)


def on_terminal(folder, columns, *words):
    """What the program prints on a terminal with this number of columns."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.pop("COLUMNS", None)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        os.execv(BINARY, ["tensorop", *words])
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(terminal)
    os.waitpid(child, 0)
    return text.decode().replace("\r\n", "\n")


def check_terminal(folder):
    matrix = "[[1.5,-20],[0.25,3]]"
    shown = "float64 (2,2)\n[[  1.5  -20.0 ]\n [  0.25   3.0 ]]\n"
    for words in (["gather", matrix, "[0,1]"], ["convert", matrix], ["gather", matrix, "[0,1]", "-o", "-"]):
        text = on_terminal(folder, 80, *words)
        checker.check("a terminal shows " + " ".join(words), text == shown, text)
    text = on_terminal(folder, 80, "gather", matrix, "[1]", "--format", "json")
    checker.check("--format json on a terminal", text == '{"dtype":"float64","shape":[1,2],"data":[[0.25,3.0]]}\n', text)
    text = on_terminal(folder, 80, "gather", matrix, "[2]")
    checker.check("an error shows no part of a result", text.startswith("tensorop: gather: indices[0] = 2"), text)
    text = on_terminal(folder, 80, "expand", "7", "--shape", "2000,3000")
    checker.check("the middle is left out", text == "int64 (2000,3000)\n" + "\n".join(
        ["[[7 7 7 ... 7 7 7]", " [7 7 7 ... 7 7 7]", " [7 7 7 ... 7 7 7]", " ..."] +
        [" [7 7 7 ... 7 7 7]"] * 2 + [" [7 7 7 ... 7 7 7]]"]) + "\n", text)
    for command in ([], ["gather"], ["broadcast"], ["check"], ["convert"], ["compare"]):
        for columns in (50, 80, 100):
            text = on_terminal(folder, columns, *command, "--help")
            # Words are not torn apart: an example, or the choices of an option.
            lines = [line for line in text.splitlines()
                     if len(line) > columns and not line.lstrip().startswith(("tensorop ", "Usage: ", "--", "-o"))]
            checker.check("help %s in %d columns" % (command, columns), text and not lines, lines)
    text = on_terminal(folder, 200, "gather", "--help")
    checker.check("help in 200 columns", max(map(len, text.splitlines())) <= 100, text)


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
        subprocess.run([BINARY, "convert", "first=[1]", "second=[2]", "-o", "both.npz"], cwd=folder, check=True)
        # The scripts call the program by its name.
        (folder / "bin").mkdir()
        (folder / "bin" / "tensorop").symlink_to(BINARY)
        os.environ["PATH"] = "%s:%s" % (folder / "bin", os.environ["PATH"])
        for shell, complete in (("bash", in_bash), ("fish", in_fish), ("zsh", in_zsh)):
            if shutil.which(shell):
                check_completion(shell, complete, folder)
            else:
                checker.skip("%s is not there" % shell)
        check_terminal(folder)
        if shutil.which("groff"):
            check_manual()
        else:
            checker.skip("groff is not there")
        check_installation(folder)
    finally:
        shutil.rmtree(folder)
    checker.exit()


if __name__ == "__main__":
    main()
