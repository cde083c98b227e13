#!/usr/bin/python3
"""A kernel may sum and multiply the updates of an element in any order, and in a wider float: the bounds of a suite let it
pass. A kernel that drops or doubles an update fails. Only this notices bounds that are too narrow for another kernel, or too
wide to find a fault.

    /usr/bin/python3 tests/generate/order_of_updates.py path/to/tensorop

One seed, 80 cases each of scatterelements and scatternd; with TENSOROP_NIGHTLY=1 200 cases for each of the five seeds from
TENSOROP_SEED on. The last line is "N passed, N failed".
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from shrink.shrink import Program
from support.checker import NIGHTLY, SEED, Checker

RIGHT = ["in order", "reverse", "shuffled", "pairwise", "float32 in order", "float32 shuffled"]
WRONG = ["drops an update", "doubles an update"]
COMBINE = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def to_bfloat16(value):
    """A float32 with the precision of bfloat16: ties to even."""
    bits = int(np.float32(value).view(np.uint32))
    rounded = bits + 0x7FFF + (bits >> 16 & 1) & 0xFFFF0000
    return np.float32(np.nan) if np.isnan(value) else np.uint32(rounded).view(np.float32)


# What rounds a float32 to the dtype, which NumPy may not have.
ROUND = {"bfloat16": to_bfloat16, "float16": lambda x: np.float32(np.float16(x)), "float32": np.float32, "float64": np.float64}


def load(folder, operand):
    """The elements, as float32 or integers, and the dtype. NumPy has no bfloat16 and reads two bytes."""
    array = np.load(folder / operand)
    if array.dtype == "V2":
        bits = np.frombuffer(array.tobytes(), np.uint16).astype(np.uint32) << 16
        return bits.view(np.float32).reshape(array.shape), "bfloat16"
    return (array.astype(np.float32) if array.dtype == np.float16 else array), array.dtype.name


def reduce(combine, rounded, terms, way):
    """The terms in one number; the first term is the element of data."""
    if way == "drops an update" and len(terms) > 2:
        terms = terms[:-1]
    if way == "doubles an update" and len(terms) > 2:
        terms = [*terms, terms[-1]]
    if "shuffled" in way:
        random.shuffle(terms)
    if way == "reverse":
        terms = terms[::-1]
    step = np.float32 if way.startswith("float32") and rounded is not np.float64 else rounded
    if way == "pairwise":
        while len(terms) > 1:
            rest = terms[len(terms) // 2 * 2:]
            terms = [step(combine(a, b)) for a, b in zip(terms[::2], terms[1::2])] + rest
        return terms[0]
    out = terms[0]
    for term in terms[1:]:
        out = step(combine(out, term))
    return rounded(out)


def compute(job, folder, way):
    (data, dtype), (indices, _), (updates, _) = (load(folder, job[name]) for name in ("data", "indices", "updates"))
    if job["op"] == "scatterelements":
        axis = job.get("axis", 0) % data.ndim
        lead, targets = indices.shape, lambda at: (*at[:axis], indices[at] % data.shape[axis], *at[axis + 1:])
    else:
        lead, targets = indices.shape[:-1], lambda at: tuple(i % n for i, n in zip(indices[at], data.shape))
    terms = {}
    for at in np.ndindex(lead):
        to = targets(at)
        for column in np.ndindex(data.shape[len(to):]):
            terms.setdefault((*to, *column), [data[(*to, *column)]]).append(updates[(*at, *column)])
    reduction = job.get("reduction", "none")
    out = data.copy()
    with np.errstate(all="ignore"):
        for to, values in terms.items():
            out[to] = values[-1] if reduction == "none" else reduce(COMBINE[reduction], ROUND[dtype], values, way)
    return out, dtype


def take_cases(folder, way):
    folder = pathlib.Path(folder)
    for line in (folder / "cases.jsonl").read_text().splitlines():
        job = json.loads(line)
        out, dtype = compute(job, folder, way)
        values = [float(value) for value in out.ravel()]
        data = [value if np.isfinite(value) else str(value).replace("nan", "NaN").replace("inf", "Infinity") for value in values]
        (folder / job["output"]).write_text(json.dumps({"dtype": dtype, "shape": out.shape, "data": data}))


def failed(tensorop, cases, program, way):
    program.fault = way
    run = subprocess.run([tensorop, "check", cases, "--json", "--jobs", "1", "--shell", "--command", program.command],
                         capture_output=True, text=True, timeout=120)
    return [(case["name"], case["outcome"]) for case in json.loads(run.stdout)["cases"] if case["outcome"] != "equal"]


def main():
    tensorop = str(pathlib.Path(sys.argv[1]).resolve())
    checker = Checker()
    random.seed(SEED)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = Program(folder, take_cases)
        for seed in range(SEED, SEED + (5 if NIGHTLY else 1)):
            suite = folder / f"suite {seed}"
            subprocess.run([tensorop, "generate", "scatterelements", "scatternd", "--spec", "onnx-18", "--count", "200" if NIGHTLY else "80",
                            "--dtypes", "float64,float32,float16,bfloat16", "--seed", str(seed), "-o", suite], check=True)
            cases = suite / "cases.jsonl"  # elements that are only moved: their NaN go through float32 here
            cases.write_text(cases.read_text().replace(',"exact_bits":true', ""))
            for way in RIGHT:
                found = failed(tensorop, suite, program, way)
                checker.check(f"seed {seed}: {way}: all equal", not found, str(found[:5]))
            for way in WRONG:
                found = failed(tensorop, suite, program, way)
                for operator in ("scatterelements", "scatternd"):
                    checker.check(f"seed {seed}: {operator}: {way}", any(name.startswith(operator) for name, _ in found), "passes")
    checker.exit()


if __name__ == "__main__":
    main()
