"""What the Python tests share: counts, the seed, the program in a temporary folder, and how a script begins and ends."""

import io
import os
import pathlib
import random
import subprocess
import sys
import tempfile

# TENSOROP_SEED, else a new one; what fails says it.
SEED = int(os.environ.get("TENSOROP_SEED") or random.randrange(1 << 32))
# Whether tests run whole, as tests/run.sh nightly does; otherwise the share of them that each commit runs.
NIGHTLY = os.environ.get("TENSOROP_NIGHTLY") == "1"


def share(items, parts):
    """One of `parts` shares of the items, in their order: the seed says which; at night all of them."""
    return items if NIGHTLY else items[SEED % parts::parts]


class Checker:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, what, ok, detail=""):
        if ok:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED: {what}{f': {detail}' if detail != '' else ''}")

    def skip(self, reason):
        """What cannot run on this machine: tests/run.sh counts and shows it, and `tests/run.sh all` fails."""
        print(f"SKIPPED: {reason}")

    def exit(self):
        """Ends the script with the line that has the counts."""
        if self.failed:
            print(f"TENSOROP_SEED={SEED}")
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)


class Program(Checker):
    """The program in a folder."""

    def __init__(self, binary, folder):
        super().__init__()
        self.binary = binary
        self.folder = folder

    def run(self, *words, **options):
        """The exit status and what it wrote, as text."""
        return run(self.binary, *words, **{"cwd": self.folder, "text": True, **options})


def run(binary, *words, **options):
    """The exit status and what it wrote, as bytes. Without `input` or `stdin` its standard input is empty."""
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([binary, *words], **{"capture_output": True, **options})


def binary_of_script():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} path/to/tensorop")
    return pathlib.Path(sys.argv[1]).resolve()


def run_program(body, kind=Program):
    """Calls body with a `kind` of Program for the binary of the command line in a temporary folder, and ends the script."""
    binary = binary_of_script()
    with tempfile.TemporaryDirectory() as folder:
        program = kind(binary, pathlib.Path(folder))
        body(program)
    program.exit()


def run_checks(checker, *bodies):
    """Calls each body with the binary of the command line and a temporary folder of its own, and ends the script."""
    binary = binary_of_script()
    for body in bodies:
        with tempfile.TemporaryDirectory() as folder:
            body(binary, pathlib.Path(folder))
    checker.exit()


def drop(path):
    """Writes the file to the disk, and drops its pages from the page cache."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def npy(array):
    """What numpy.save writes of the array."""
    import numpy  # not all scripts need it

    out = io.BytesIO()
    numpy.save(out, array)
    return out.getvalue()
