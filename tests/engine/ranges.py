#!/usr/bin/python3
"""Ranges in place of indices against NumPy's slices: random starts, stops and steps, in jobs and on the command line.

    /usr/bin/python3 tests/engine/ranges.py path/to/tensorop

TENSOROP_SEED repeats a run. The last line is "N passed, N failed".
"""

import json
import pathlib
import random
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, run_program

JOBS = 400
# Names of one axis, and names that take all elements as one axis.
GATHERS = [("gather", None), ("gather", "onnx-13"), ("gather", "openvino-8"), ("gather", "webnn"), ("gather", "jax-0"),
           ("gather", "numpy-2"), ("indexselect", "torch-2"), ("take", "torch-2"), ("take", "numpy-2")]
SCATTERS = [("scatterupdate", None), ("scatterupdate", "openvino-3"), ("indexcopy", "torch-2"),
            ("indexadd", "torch-2"), ("put", "torch-2")]


def random_bound(rng, size):
    kind = rng.randrange(8)
    return [None, rng.choice([-(10 ** 30), 10 ** 30, -(1 << 63), (1 << 63) - 1])][kind] if kind < 2 \
        else rng.randint(-size - 3, size + 3)


def random_range(rng, size):
    """The text, and the slice."""
    start, stop = random_bound(rng, size), random_bound(rng, size)
    step = rng.choice([None, None, 1, 2, 3, -1, -2, size + 1, -(1 << 63), (1 << 63) - 1])
    written = [("" if bound is None else str(bound)) for bound in (start, stop)]
    text = ":".join(written) + ("" if step is None and rng.random() < 0.5 else f":{'' if step is None else step}")
    return text, slice(start, stop, step)


def random_job(rng, number, folder):
    shape = [rng.choice([0, 1, 2, 5, 17]) for _ in range(rng.randint(1, 4))]
    data = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    name, spec = rng.choice(GATHERS + SCATTERS)
    is_flat = name in ("take", "put")
    axis = rng.randrange(len(shape))
    table = data.reshape(-1) if is_flat else data
    text, positions = random_range(rng, table.shape[0 if is_flat else axis])
    where = (slice(None),) * (0 if is_flat else axis) + (positions,)
    np.save(folder / f"{number}.npy", data)
    job = {"op": name, "data": f"{number}.npy", "indices": text, "output": f"{number}.out.npy"}
    if spec is not None:
        job["spec"] = spec
    if not is_flat:
        job["axis"] = axis if spec == "webnn" or rng.random() < 0.5 else axis - len(shape)
    expected = table[where]
    if spec == "webnn" and expected.size == 0:  # which has no empty tensors
        del job["spec"]
    if (name, spec) in SCATTERS:
        updates = np.array([rng.randrange(1000, 2000) for _ in range(expected.size)], np.int32).reshape(expected.shape)
        np.save(folder / f"{number}.updates.npy", updates)
        job["updates"] = f"{number}.updates.npy"
        expected = table.copy()
        expected[where] = expected[where] + updates if name == "indexadd" else updates
        expected = expected.reshape(shape)
    return job, expected


def check_jobs(program):
    rng = random.Random(SEED)
    made = [random_job(rng, number, program.folder) for number in range(JOBS)]
    (program.folder / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job, _ in made))
    done = program.run("run", "jobs.jsonl", "-q")
    program.check("all jobs run", done.returncode == 0, done.stderr)
    for number, (job, expected) in enumerate(made):
        path = program.folder / f"{number}.out.npy"
        got = np.load(path) if path.exists() else np.zeros(0)
        program.check(f"{job}", got.shape == expected.shape and (got == expected).all(), f"{got}, not {expected}")
    selected = sum(expected.size > 0 for _, expected in made)
    program.check("a quarter of the ranges selects something", selected > JOBS // 4, selected)


run_program(check_jobs)
