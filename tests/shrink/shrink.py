#!/usr/bin/python3
"""Plants a fault in gathernd, scatterelements and add, twenty of them, and lets `tensorop check --shrink` find each: the
smallest case of every finding has at most 8 elements in its largest operand, and is found in less than a minute.

    /usr/bin/python3 tests/shrink/shrink.py path/to/tensorop

One fault of each operator, on cases that are made here; with TENSOROP_NIGHTLY=1, which takes minutes, all, on those of `tensorop
generate`, and a table of fault, findings, elements and seconds. VERBOSE=1 prints the findings.
Then one fault in operators of many versions, a twelfth of them by the seed: each smallest case keeps its version, fails
from its file, and passes when the fault is mended.
The program under test is this process, which answers a shell through two pipes: Python starts once. The last line is
"N passed, N failed".
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import traceback
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import NIGHTLY, Checker, share
from support.faulty_operators import FAULTS, take_cases

COUNT = 60
MOST_ELEMENTS = 8
MOST_SECONDS = 60
INTEGERS = [0, 1, -1, 5, 100, 127, -128]
FLOATS = [0.0, -0.0, 1.0, -2.5, 1e8, -1e8, "NaN", "Infinity"]


def tensor(shape, dtype, rng, values=None):
    values = values or (FLOATS if dtype == "float32" else INTEGERS)
    return {"dtype": dtype, "shape": shape, "data": [rng.choice(values) for _ in range(int(np.prod(shape)))]}


def index_tensor(sizes, shape, rng, columns, dtypes=("int64",)):
    """One column of the last axis for each size, or one size for all."""
    values = [rng.randint(-sizes[i % columns], sizes[i % columns] - 1) for i in range(int(np.prod(shape)))]
    return {"dtype": rng.choice(dtypes), "shape": shape, "data": values}


def gathernd(rng):
    batch = rng.choice([0, 0, 1])
    shape = [rng.randint(1, 4) for _ in range(rng.randint(batch + 1, 4))]
    depth = rng.randint(1, len(shape) - batch)
    lead = shape[:batch] + [rng.choice([0, 1, 2, 3, 3]) for _ in range(rng.randint(0, 2))]
    job = {"op": "gathernd", "data": tensor(shape, rng.choice(["float32", "int64", "int8"]), rng, [*range(-9, 90)]),
           "indices": index_tensor(shape[batch:batch + depth], [*lead, depth], rng, depth)}
    if batch:
        job["batch_dims"] = batch
    if rng.random() < 0.1 and job["indices"]["data"]:
        job["indices"]["data"][-1] += 100
        job["expect"] = {"error": "IX-1"}
    return job


def scatterelements(rng):
    shape = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
    axis = rng.randrange(len(shape))
    to = [rng.randint(1, size) for size in shape]
    to[axis] = rng.randint(1, 5)
    dtype = rng.choice(["float32", "float32", "int8"])
    if rng.random() < 0.1:  # sums that depend on the order and the precision
        return {"op": "scatterelements", "data": tensor([2], "float32", rng, [1e8]), "reduction": "add",
                "updates": tensor([4], "float32", rng, [1.0, -1e8]), "indices": index_tensor([1], [4], rng, 1)}
    return {"op": "scatterelements", "data": tensor(shape, dtype, rng), "updates": tensor(to, dtype, rng),
            "indices": index_tensor([shape[axis]], to, rng, 1, ("int64", "int32")), "axis": axis - rng.choice([0, len(shape)]),
            "reduction": rng.choice(["none", "add", "max"])}


def add(rng):
    shape = [rng.choice([1, 2, 3, 3]) for _ in range(rng.randint(0, 3))]
    other = [rng.choice([1, size]) for size in shape][rng.randint(0, len(shape)):]
    dtype = rng.choice(["float32", "int8"])
    values = [0.0, -0.0, 1.5, -3.0] if dtype == "float32" else INTEGERS
    operands = [tensor(shape, dtype, rng, values), tensor(other, dtype, rng, values)]
    rng.shuffle(operands)
    return {"op": "add", "a": operands[0], "b": operands[1], "exact_bits": True}


def write_cases(make, path):
    rng = random.Random(1)  # cases among which some meet each fault: what is tested is how they shrink
    lines = [json.dumps({"name": f"case {i}", **make(rng)}) for i in range(COUNT)]
    path.write_text("\n".join(lines) + "\n")


def generated(tensorop, operator, suite):
    """Cases of `tensorop generate`. What ONNX leaves open the implementation promises: the last duplicate wins, and NaN is
    kept; so nothing is ignored. Of sums the bits are compared."""
    words = ["--spec", "onnx-18", "--count", "200", "--seed", "1", "--dtypes", "float32,int64,int8", "--invalid", "0.1"]
    subprocess.run([tensorop, "generate", operator, *words, "-o", suite], check=True)
    cases = suite / "cases.jsonl"
    text = cases.read_text().replace(',"ignore_open":true', ',"exact_bits":true' if operator == "add" else "")
    # One fault sums in float64, which these bounds allow.
    cases.write_text(re.sub(r',"[ar]tol":[^,}]*', "", text))
    return cases


class Program:
    """Computes the cases of each folder whose name comes through one pipe, and says so through a pipe of the process that asks,
    which `check` may have killed: no answer of one is read by another."""

    def __init__(self, folder, take_cases=take_cases):
        self.fault = None
        self.take_cases = take_cases
        self.folder, self.asked = folder, folder / "asked"
        os.mkfifo(self.asked)
        self.command = f"mkfifo {folder}/$$ && echo $$ {{cases}} > {self.asked} && read -r line < {folder}/$$ && rm {folder}/$$"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        answer = None
        while True:
            question = self.asked.read_text().splitlines()
            if not question:
                continue
            process, _, cases = question[-1].partition(" ")
            try:
                self.take_cases(cases, self.fault)
            except Exception:  # its cases have no results
                traceback.print_exc()
            if answer is not None:
                os.close(answer)
            # Opened for both, it waits for no reader; it stays open until the next question, for a reader who is late.
            answer = os.open(self.folder / process, os.O_RDWR)
            os.write(answer, b"done\n")


VERSIONS = {"mod": ["openvino-1", "onnx-13", "numpy-2"], "prelu": ["onnx-7", "onnx-16"], "where": ["onnx-9", "onnx-16"],
            "gather": ["onnx-1", "openvino-7", "webnn"], "scatternd": ["onnx-11", "onnx-18", "jax-0"],
            "scatterelements": ["onnx-11", "openvino-12"], "expand": ["onnx-8", "onnx-13"], "greater": ["onnx-7", "onnx-9"],
            "pow": ["onnx-7", "onnx-15"], "equal": ["onnx-7", "openvino-1"], "sub": ["onnx-7", "webnn"]}


def rolled(tensorop):
    """A program that computes all cases of the folder, and with a fault moves the elements of each result by one."""
    def take(folder, fault=None):
        subprocess.run([tensorop, "run", f"{folder}/cases.jsonl", "-qq"], stderr=subprocess.DEVNULL)
        for path in pathlib.Path(folder).glob("*.npy") if fault else ():
            if path.stem.isdigit():  # a result
                np.save(path, np.roll(np.load(path), 1))
    return take


def check_versions(tensorop, folder, checker, pairs):
    folder.mkdir()
    program = Program(folder, rolled(tensorop))
    for operator, spec in pairs:
        suite, keep, what = folder / f"{operator} {spec}", folder / f"{operator} {spec} kept", f"{operator} {spec}"
        subprocess.run([tensorop, "generate", operator, "--spec", spec, "--count", "8", "-o", suite], check=True)
        program.fault = "rolled"
        report = check(tensorop, suite, program, keep)
        lines = [path.read_text() for path in keep.glob("*/cases.jsonl")]
        found = all(finding["shrunk"]["fails_again"] for finding in report["findings"])
        checker.check(f"{what}: found", lines and found, json.dumps(report["findings"])[:2000])
        checker.check(f"{what}: version", all(json.loads(line).get("spec") == spec for line in lines), "".join(lines))
        words = [tensorop, "check", keep, "--shell", "--command", program.command, "--jobs", "1"]
        again = subprocess.run(words, capture_output=True, text=True)
        checker.check(f"{what}: again", f" 0 equal, {len(lines)} different" in again.stdout, again.stdout)
        program.fault = None
        mended = subprocess.run(words, capture_output=True, text=True)
        checker.check(f"{what}: mended", mended.returncode == 0, mended.stdout)


def largest_operand(kept):
    names = [path for path in kept.glob("*.npy") if path.name not in ("actual.npy", "expected.npy")]
    return max(np.load(path).size for path in names)


def check(tensorop, cases, program, keep):
    words = [tensorop, "check", cases, "--json", "--shrink", "--budget", "45s", "--keep", keep, "--jobs", "1",
             "--shell", "--command", program.command]
    run = subprocess.run(words, capture_output=True, text=True)
    return json.loads(run.stdout)


def main():
    tensorop = str(pathlib.Path(sys.argv[1]).resolve())
    if os.access("/dev/shm", os.W_OK):  # thousands of small files
        os.environ["TMPDIR"] = "/dev/shm"
    checker = Checker()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = Program(folder)
        for make in (gathernd, scatterelements, add):
            operator = make.__name__
            cases = folder / f"{operator}.jsonl"
            write_cases(make, cases)
            if NIGHTLY:
                cases = generated(tensorop, operator, folder / f"{operator} suite")
            faults = list(FAULTS[operator])
            for fault in (None, *(share(faults, len(faults)))):
                program.fault = fault
                keep = folder / f"{operator} {fault}"
                start = time.monotonic()
                report = check(tensorop, cases, program, keep)
                seconds = time.monotonic() - start
                # Calls that no program can be given are no failures.
                failed = [case for case in report["cases"] if case["outcome"] not in ("equal", "not_given")]
                if fault is None:
                    checker.check(f"{operator}: right", not failed, json.dumps(failed[:1])[:2000])
                    continue
                shrunk = [finding["shrunk"] for finding in report["findings"]]
                told = sorted(name for one in shrunk for name in one["names"])
                lines = "\n".join(f"  {one['difference']} ({one['cases']}): {one['call']}: actual {one['actual']}, "
                                  f"expected {one['expected']}" for one in shrunk)
                sizes = [largest_operand(pathlib.Path(one["kept"])) for one in shrunk]
                is_told = len(failed) > 0 and told == sorted(case["name"] for case in failed)
                is_good = is_told and max(sizes) <= MOST_ELEMENTS and seconds < MOST_SECONDS
                checker.check(f"{operator}: {fault}", is_good, lines)
                if NIGHTLY:
                    print(f"| {operator}: {fault} | {len(shrunk)} | {max(sizes, default=0)} | {seconds:.1f} s |", flush=True)
                if os.environ.get("VERBOSE"):
                    print(lines)
        pairs = [(operator, spec) for operator, specs in VERSIONS.items() for spec in specs]
        check_versions(tensorop, folder / "versions", checker, share(pairs, 12))
    checker.exit()


if __name__ == "__main__":
    main()
