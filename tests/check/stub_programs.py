#!/usr/bin/python3
"""Programs that compute nothing, or end badly, in each mode of `check`: the exit status is never 0, and the reports say the
same. A program that is right shows that the table can pass.

    /usr/bin/python3 tests/check/stub_programs.py path/to/tensorop

The last line is "N passed, N failed".
"""

import itertools
import json
import os
import pathlib
import sys
import xml.etree.ElementTree

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests"))
from support.checker import Program, run_program, share

# A program: sh stub.sh KIND MODE PATH, where PATH is {output}, {case} or {cases}.
STUB = r"""
kind=$1 mode=$2 path=$3
compute() { # FOLDER OUTPUT ERROR: of one case
  if tensorop add "$1/a.npy" "$1/b.npy" -o "$2" 2> "$3"; then rm "$3"; else return 1; fi
}
names() { sed 's/{"name":"\([0-9]*\)".*/\1/' "$path/cases.jsonl"; }
each_right() {
  for name in $(names); do
    grep "^{\"name\":\"$name\"" "$path/cases.jsonl" > "$path/one.jsonl"
    if tensorop run "$path/one.jsonl" > "$path/$name.error" 2>&1; then rm "$path/$name.error"; fi
  done
}
if [ $mode = cases ]; then
  case $kind in
  exit*) exit ${kind#exit} ;;
  crash) kill -SEGV $$ ;;
  hang) exec sleep 1000 ;;
  rubbish) for name in $(names); do echo rubbish > "$path/$name.npy"; done ;;
  empty) for name in $(names); do : > "$path/$name.npy"; done ;;
  folder) for name in $(names); do mkdir "$path/$name.npy"; done ;;
  refuse) for name in $(names); do echo no > "$path/$name.error"; done ;;
  refuse_folder) for name in $(names); do mkdir "$path/$name.error"; done ;;
  both) each_right; for name in $(names); do echo no > "$path/$name.error"; echo 1 > "$path/$name.npy"; done ;;
  one_less) each_right; last=$(names | tail -n 1); rm -f "$path/$last.npy" "$path/$last.error" ;;
  other)
    each_right
    last=$(ls "$path" | grep '^[0-9]*\.npy$' | tail -n 1)
    for name in $(names); do cp "$path/$last" "$path/$name.npy"; done
    ;;
  right) each_right ;;
  right_exit) each_right; exit 3 ;;
  right_crash) each_right; kill -SEGV $$ ;;
  right_hang) each_right; exec sleep 1000 ;;
  esac
else
  folder=$(dirname "$path") output=$(dirname "$path")/output.npy
  case $kind in
  exit*) exit ${kind#exit} ;;
  crash) kill -SEGV $$ ;;
  hang) exec sleep 1000 ;;
  rubbish) echo rubbish > "$output" ;;
  empty) : > "$output" ;;
  folder) mkdir "$output" ;;
  refuse | refuse_folder) echo no >&2; exit 1 ;;
  both) echo 1 > "$output"; exit 1 ;;
  one_less) ! grep -q '"name":"last' "$folder/case.jsonl" && compute "$folder" "$output" "$folder/e" ;;
  other) echo '{"dtype":"float32","data":[-1,-1]}' > "$output" ;;
  right) compute "$folder" "$output" "$folder/e" ;;
  right_exit) compute "$folder" "$output" "$folder/e"; exit 3 ;;
  right_crash) compute "$folder" "$output" "$folder/e"; kill -SEGV $$ ;;
  esac
fi
"""
VALID = [
    {"name": "first", "op": "add", "a": [1, 2], "b": [3, 4], "dtype": "float32"},
    {"name": "last valid", "op": "add", "a": [5, 6], "b": [7, 8], "dtype": "float32"},
]
INVALID = [
    {"name": "invalid", "op": "add", "a": [1, 2], "b": [1, 2, 3], "dtype": "float32", "expect": {"error": "BC-M1"}},
    {"name": "last invalid", "op": "add", "a": [1, 2, 3], "b": [1, 2], "dtype": "float32", "expect": {"error": "BC-M1"}},
]
SUITES = {"valid": VALID, "invalid": INVALID, "mixed": INVALID + VALID}
# No command of these computes a valid case.
NOTHING = ["missing", "not executable", "crash", "exit0", "exit1", "exit125", "exit126", "exit139", "hang", "rubbish", "empty",
           "folder", "refuse", "refuse_folder", "both"]
KINDS = NOTHING + ["one_less", "other", "right_exit", "right_crash", "right_hang"]
# The right one needs time for each of its results.
TIMEOUTS = {"hang": "0.1", "right_hang": "3"}
MODES = {"output": [], "case": [], "cases": [], "output, --shell": ["--shell"]}


class Stubs(Program):
    # The exit status, and how many cases pass.
    def check_kind(self, kind, mode, suite, shrinks):
        placeholder = mode.split(",")[0]
        command = {"missing": "./no-such-program", "not executable": "./stub.sh"}.get(kind, f"sh stub.sh {kind} {placeholder}")
        arguments = ["check", f"{suite}.jsonl", "--command", f"{command} {{{placeholder}}}", *MODES[mode], "--junit", "r.xml",
                     "--json", "--jobs", "1", "--timeout", TIMEOUTS.get(kind, "60")]
        if shrinks:
            arguments += ["--shrink", "--budget", "0.05", "--keep", "kept"]
        result = self.run(*arguments)
        report = json.loads(result.stdout)
        root = xml.etree.ElementTree.parse(self.folder / "r.xml").getroot()
        bad = int(root.get("failures")) + int(root.get("errors"))
        return result.returncode, report["summary"]["equal"], bad, result


def check_stubs(checker, shrinks):
    every = itertools.product(MODES, SUITES, KINDS)
    # These are slow. A program of one case that hangs after its result is one that hangs.
    calls = [(mode, suite, kind) for mode, suite, kind in every if not (shrinks and kind == "hang") and
             not (kind == "right_hang" and (shrinks or mode != "cases"))]
    for mode, suite, kind in share(calls, 3):
        status, equal, bad, result = checker.check_kind(kind, mode, suite, shrinks)
        what = f"{kind}, {mode}, {suite}{', --shrink' if shrinks else ''}"
        # Beside the exit status: a program that is right but for its end has passed some cases.
        checker.check(what, status in (1, 2) and bad > 0 and (kind not in NOTHING or equal == 0),
                      f"exit status {status}, {equal} equal, {bad} bad\n{result.stdout}{result.stderr}")


def check_right(checker):
    for mode in MODES:
        for suite, wanted in {"valid": 0, "mixed": 0, "invalid": 2}.items():
            status, equal, _, result = checker.check_kind("right", mode, suite, False)
            count = len(SUITES[suite]) if wanted == 0 else 0
            checker.check(f"right, {mode}, {suite}", (status, equal) == (wanted, count), result.stdout + result.stderr)


def check_all(checker):
    root = checker.folder
    os.environ.update(PATH=f"{checker.binary.parent}:{os.environ['PATH']}", TMPDIR=str(root))
    (root / "stub.sh").write_text(STUB)
    for name, cases in SUITES.items():
        (root / f"{name}.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    check_right(checker)
    for shrinks in (False, True):
        check_stubs(checker, shrinks)
    left = [path.name for path in root.iterdir() if path.name.startswith(".tensorop")]
    checker.check("no temporary folder is left", left == [], left)


if __name__ == "__main__":
    run_program(check_all, Stubs)
