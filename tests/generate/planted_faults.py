#!/usr/bin/python3
"""Whether a generated suite finds a fault must not be luck: for each of some seeds, each fault of faulty_operators.py is found by
120 cases of its operator (of float32 alone, if it rounds otherwise), the loss of NaN by 60 cases, and the right operator
passes. Only this notices that `generate` draws cases which no longer tell a wrong operator from a right one.

    /usr/bin/python3 tests/generate/planted_faults.py path/to/tensorop

One seed and a third of the faults; with TENSOROP_NIGHTLY=1 all faults for each of the 24 seeds from TENSOROP_SEED on. The last
line is "N passed, N failed".
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.faulty_operators import FAULTS
from shrink.shrink import Program
from support.checker import NIGHTLY, SEED, Checker, share


def generate(tensorop, operator, seed, count, suite, words):
    """What ONNX leaves open the implementation promises (the last duplicate wins, NaN is kept), so nothing is ignored. The
    bits of additions are compared."""
    subprocess.run([tensorop, "generate", operator, "--spec", "onnx-18", "--count", str(count), "--seed", str(seed), *words,
                    "-o", suite], check=True)
    cases = suite / "cases.jsonl"
    text = cases.read_text().replace(',"ignore_open":true', ',"exact_bits":true' if operator == "add" else "")
    # One fault sums in float64, which these bounds allow.
    cases.write_text(re.sub(r',"[ar]tol":[^,}]*', "", text))
    return cases


def failed(tensorop, cases, program, fault):
    """The names of the cases that fail with the fault. Calls that no program can be given are no failures."""
    program.fault = fault
    words = [tensorop, "check", cases, "--json", "--jobs", "1", "--shell", "--command", program.command]
    report = json.loads(subprocess.run(words, capture_output=True, text=True).stdout)
    return [case["name"] for case in report["cases"] if case["outcome"] not in ("equal", "not_given")]


def main():
    tensorop = str(pathlib.Path(sys.argv[1]).resolve())
    checker = Checker()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = Program(folder)
        for seed in range(SEED, SEED + (24 if NIGHTLY else 1)):
            for operator, faults in FAULTS.items():
                cases = generate(tensorop, operator, seed, 120, folder / f"{operator} {seed}",
                                 ["--dtypes", "float32,int64,int8", "--invalid", "0.1"])
                wrong = failed(tensorop, cases, program, None)
                checker.check(f"{operator}, seed {seed}: right", not wrong, str(wrong))
                for fault in share(faults, 3):
                    suite = cases
                    if fault == "sums in float64":
                        suite = generate(tensorop, operator, seed, 120, folder / f"floats {seed}", ["--dtypes", "float32"])
                    checker.check(f"{operator}, seed {seed}: {fault}", failed(tensorop, suite, program, fault), "not found")
            cases = generate(tensorop, "scatterelements", seed, 60, folder / f"few {seed}", ["--dtypes", "float32,int8"])
            checker.check(f"60 cases, seed {seed}: NaN", failed(tensorop, cases, program, "NaN is lost in max"), "not found")
    checker.exit()


if __name__ == "__main__":
    main()
