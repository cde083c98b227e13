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


# What is typed, and what is offered: all of it, or some of it (begins with "+").
CASES = [
    ("gath", "gather gatherelements gathernd"),
    ("compar", "compare"),
    ("gather --ba", "--batch-dims"),
    ("gather --axis 1 --batch", "--batch-dims"),
    ("gather --oob ", "clip error wrap zero"),
    ("scatternd --reduction m", "max mean min mul"),
    ("bitshift --direction l", "left"),
    ("convert a.npy --dtype float", "float16 float32 float64"),
    ("gather file-", "file-a.npy file-b.npy"),
    ("gather file-a.npy -o file-", "file-a.npy file-b.npy"),
    ("compare file-a.npy file-b", "file-b.npy"),
    ("check --junit file-b", "file-b.npy"),
    ("completion ", "bash fish zsh"),
    ("ops gathern", "gathernd"),
    ("man comp", "compare completion"),
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


def in_zsh(folder, line):
    """Types the line and a tabulator into an interactive zsh, and reads what it lists."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(TERM="dumb", COLUMNS="200", LINES="50", HOME=str(folder))
        os.execvp("zsh", ["zsh", "-f", "-i"])

    def read(until, seconds=20):
        seen, end = "", time.monotonic() + seconds
        while until not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(terminal, 65536).decode(errors="replace")
                except OSError:
                    break
        return seen

    def send(text):
        os.write(terminal, text.encode())

    send("PS1='> '; unsetopt zle_bracketed_paste; autoload -Uz compinit && compinit -u -d %s/dump; "
         "zstyle ':completion:*' verbose no; zstyle ':completion:*' list-grouped no; LISTMAX=1000; "
         "setopt no_auto_menu no_list_ambiguous; source <('%s' completion zsh); echo rea''dy\n" % (folder, BINARY))
    read("ready")
    send("tensorop %s\t" % line)
    time.sleep(0.7)
    send("\t")
    time.sleep(0.3)
    # What was completed, and what is listed below it.
    send("\x01echo END \x05\n")
    seen = read("END", 5)
    time.sleep(0.2)
    os.close(terminal)
    os.waitpid(child, 0)
    return re.findall(r"[-\w.]+", seen)


def check_completion(shell, complete, folder):
    for line, expected in CASES:
        offered = complete(folder, line)
        wanted = expected.split()
        if shell == "zsh":
            ok = all(word in offered for word in wanted)
        else:
            ok = sorted(offered) == wanted
        checker.check("%s: tensorop %s" % (shell, line), ok, offered)


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
                 "share/fish/vendor_completions.d/tensorop.fish"):
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
