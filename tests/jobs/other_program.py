#!/usr/bin/python3
"""Holds `check` of other programs to what an engineer who tests his own operators does with it: 20 cases, his own results
with faults in some, a report for CI; and the script of docs/examples that takes one case.

    /usr/bin/python3 tests/jobs/other_program.py path/to/tensorop

The last line is "N passed, N failed".
"""

import json
import pathlib
import sys
import xml.etree.ElementTree

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests"))
from support.checker import SEED, run_program

CASES = 20
# What is wrong with the results of some cases, and what the report calls it.
FAULTS = {
    3: ("value", "failure", "different: 1 of 12 elements (8.33%)"),
    7: ("missing", "failure", "none of results/case 7.{npy,"),
    8: ("unreadable", "error", "actual: results/case 8.npy"),
    11: ("dtype", "failure", "different: dtype"),
    14: ("shape", "failure", "different: shape"),
    16: ("value", "failure", "different: 1 of 12 elements (8.33%)"),
}


def make_cases(root):
    """Cases of gather and add, every other one with a golden file, and the results of another program, by NumPy."""
    rng = np.random.default_rng(SEED)
    for folder in ("cases", "cases/golden", "results"):
        (root / folder).mkdir()
    cases, results = [], []
    for i in range(CASES):
        data = rng.standard_normal((5, 4)).astype(np.float32)
        np.save(root / f"cases/data{i}.npy", data)
        case = {"name": f"case {i}", "data": f"data{i}.npy", "spec": "onnx-13"}
        if i % 4 == 3:
            other = rng.standard_normal(4).astype(np.float32)
            case = {"name": case["name"], "op": "add", "b": other.tolist(), "spec": "onnx-14"}
            result = data[:3] + other
            case["a"] = {"dtype": "float32", "data": data[:3].tolist()}
        else:
            indices = rng.integers(-5, 5, 3)
            case.update({"op": "gather", "indices": indices.tolist()})
            result = data[indices]
        if i % 2:
            np.save(root / f"cases/golden/{i}.npy", result)
            case["expect"] = f"golden/{i}.npy"
        cases.append(case)
        results.append(result)
    (root / "cases/cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    for i, result in enumerate(results):
        fault = FAULTS.get(i, ("", "", ""))[0]
        path = root / f"results/case {i}.npy"
        if fault == "value":
            result = result.copy()
            result[1, 2] += 1
        if fault == "dtype":
            result = result.astype(np.float64)
        if fault == "shape":
            result = result[None]
        if fault != "missing":
            np.save(path, result)
        if fault == "unreadable":
            path.write_bytes(path.read_bytes()[:-3])


def check_own_results(checker, root):
    """One command finds each planted fault, and nothing else, also from the report of CI."""
    make_cases(root)
    result = checker.run("check", "cases", "--actual", "results", "--junit", "report.xml", cwd=root)
    checker.check("results: status", result.returncode == 2, result)
    checker.check("results: no messages", result.stderr == "", result.stderr)
    summary = f"{CASES} cases: {CASES - len(FAULTS)} equal, 4 different, 1 no result, 1 error\n"
    checker.check("results: summary", result.stdout.endswith(summary), result.stdout)
    tests = {case.get("name"): case for case in xml.etree.ElementTree.parse(root / "report.xml").iter("testcase")}
    checker.check("results: all are in the report", sorted(tests) == sorted(f"case {i}" for i in range(CASES)))
    for i in range(CASES):
        found = [(child.tag, child.get("message")) for child in tests.get(f"case {i}", [])]
        if i not in FAULTS:
            checker.check(f"results: case {i} passes", found == [], found)
            continue
        _, tag, message = FAULTS[i]
        ok = len(found) == 1 and found[0][0] == tag and found[0][1].startswith(message)
        checker.check(f"results: case {i} has its fault", ok, found)
    # A folder without results is never a success.
    (root / "empty").mkdir()
    result = checker.run("check", "cases", "--actual", "empty", cwd=root)
    checker.check("results: none is there", result.stdout.endswith(f"{CASES} cases: 0 equal, {CASES} no result\n"))
    checker.check("results: none is there: status", result.returncode == 1)


def check_script(checker, root):
    (root / "by_numpy.py").write_text((SOURCE / "docs/examples/by_numpy.py").read_text())
    command = f"{sys.executable} by_numpy.py {{case}}"
    result = checker.run("check", "cases", "--command", command, cwd=root)
    checker.check("NumPy script", result.stdout == f"{CASES} cases: all equal\n", result.stdout + result.stderr)
    (root / "fails.jsonl").write_text('{"name":"f","op":"mul","a":1,"b":2}\n')
    result = checker.run("check", "fails.jsonl", "--command", command, cwd=root)
    checker.check("NumPy script: no such operator", "KeyError: 'mul'\n1 case: 0 equal, 1 refused\n" in result.stdout)


def check_all(checker):
    check_own_results(checker, checker.folder)
    check_script(checker, checker.folder)


if __name__ == "__main__":
    run_program(check_all)
