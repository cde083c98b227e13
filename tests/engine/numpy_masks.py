#!/usr/bin/python3
"""Holds masks, repeated updates, other shapes and `nonzero` and `lookup` to NumPy: random calls, as jobs of one process.

    /usr/bin/python3 tests/engine/numpy_masks.py path/to/tensorop

The last line is "N passed, N failed".
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, run_program

ROUNDS = 60
DTYPES = ["bool", "int8", "int64", "uint16", "float16", "float32", "float64", "complex64", "U3"]


def random_array(rng, shape, dtype):
    numbers = rng.integers(0, 100, shape)
    return np.array(numbers.astype(dtype)).reshape(shape)


def broken(rng, shape):
    """A shape that broadcasts to `shape`."""
    shape = [1 if rng.random() < 0.3 else size for size in shape]
    return tuple(shape[rng.integers(0, len(shape) + 1):])


class Calls:
    """Jobs with the files they need, and what NumPy says of each."""

    def __init__(self, folder):
        self.folder = folder
        self.jobs = []
        self.expected = []

    def save(self, name, array):
        path = f"{name}{len(self.jobs)}.npy"
        np.save(self.folder / path, array)
        return path

    def add(self, expected, op, keys, **operands):
        job = {"op": op, **{name: self.save(name, array) for name, array in operands.items()}, **keys,
               "output": f"out{len(self.jobs)}.npy"}
        self.jobs.append(job)
        self.expected.append(expected)


def add_round(rng, calls):
    shape = tuple(rng.integers(0, 6, rng.integers(1, 5)))
    if rng.random() < 0.1:
        shape = (int(rng.integers(1000, 300000)),)
    dtype = DTYPES[rng.integers(len(DTYPES))]
    data = random_array(rng, shape, dtype)
    share = rng.choice([0.0, 0.01, 0.5, 1.0])

    axis = int(rng.integers(len(shape)))
    line = rng.random(shape[axis]) < share
    calls.add(np.compress(line, data, axis), "gather", {"axis": axis}, data=data, mask=line)
    want = data.copy()
    view = np.moveaxis(want, axis, 0)
    selected = list(shape)
    selected[axis] = int(line.sum())
    updates = random_array(rng, broken(rng, selected), dtype)
    view[line] = np.moveaxis(np.broadcast_to(updates, selected), axis, 0)
    calls.add(want, "scatterupdate", {"axis": axis, "broadcast_updates": True}, data=data, mask=line, updates=updates)

    rank = int(rng.integers(1, len(shape) + 1))
    mask = rng.random(shape[:rank]) < share
    calls.add(data[mask], "gathernd", {}, data=data, mask=mask)
    want = data.copy()
    updates = random_array(rng, broken(rng, data[mask].shape), dtype)
    want[mask] = updates
    calls.add(want, "scatternd", {"broadcast_updates": True}, data=data, mask=mask, updates=updates)
    if dtype in ("int64", "float64"):
        want = data.copy()
        want[mask] += updates
        calls.add(want, "scatternd", {"broadcast_updates": True, "reduction": "add"}, data=data, mask=mask,
                  updates=updates)

    if shape[0] != 0:
        ids = rng.integers(0, shape[0], rng.integers(0, 9))
        calls.add(data[ids], "gathernd", {"reshape": {"indices": f"{ids.size},1"}}, data=data, indices=ids)
        calls.add(data[ids], "gather", {"reshape": {"data": list(map(int, shape))}}, data=data.ravel(), indices=ids)


def check_lookup(rng, checker):
    folder = checker.folder
    """Positions of ids among keys, sorted or not, of the same or another dtype."""
    text = rng.random() < 0.2
    key_type, id_type = ("U4", "U4") if text else rng.choice(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"], 2)
    most = int(rng.choice([3, 100, 3000])) if not text and "1" not in key_type + id_type else 100
    keys = rng.integers(0, most, rng.integers(0, 3000)).astype(key_type)
    if rng.random() < 0.5:
        keys = np.unique(keys)
    ids = rng.integers(0, most, tuple(rng.integers(0, 50, rng.integers(0, 3)))).astype(id_type)
    np.save(folder / "k.npy", keys)
    np.save(folder / "i.npy", ids)
    equal = keys == ids[..., None]
    expected = np.where(equal.any(-1), equal.argmax(-1), -1) if keys.size else np.full(ids.shape, -1)
    lookup = ["lookup", "k.npy", "i.npy", "-o", "p.npy", "--threads", str(rng.integers(1, 4))]
    checker.run(*lookup, "--missing", "-1", "--duplicates", "first", check=True)
    what = f"lookup {keys.dtype} {keys.shape} {ids.dtype} {ids.shape}"
    got = np.load(folder / "p.npy")
    checker.check(what, got.dtype == np.int64 and got.shape == ids.shape and (got == expected).all(), got)
    fails = ids.size and (expected.min() < 0 or equal.sum(-1).max() > 1)
    checker.check(f"{what}, strict", checker.run(*lookup).returncode ==
                  (2 if fails else 0))


def check_all(checker):
    rng = np.random.default_rng(SEED)
    folder = checker.folder
    calls = Calls(folder)
    for _ in range(ROUNDS):
        add_round(rng, calls)
    (folder / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in calls.jobs))
    done = checker.run("run", "jobs.jsonl")
    checker.check("run", done.returncode == 0, done.stderr[-2000:])
    for job, expected in zip(calls.jobs, calls.expected):
        path = folder / job["output"]
        got = np.load(path) if path.exists() else None
        same = got is not None and got.shape == expected.shape and np.array_equal(got, expected)
        checker.check(json.dumps(job), same, f"got {got}, expected {expected}")
    for i in range(40):
        numbers = rng.integers(0, 3, tuple(rng.integers(0, 7, rng.integers(1, 4))))
        array = np.array(numbers.astype(DTYPES[i % 8]))
        np.save(folder / "a.npy", array)
        checker.run("nonzero", "a.npy", "-o", "n.npy", check=True)
        got = np.load(folder / "n.npy")
        expected = np.flatnonzero(array) if array.ndim == 1 else np.argwhere(array)
        checker.check(f"nonzero {array.dtype} {array.shape}", got.shape == expected.shape and (got == expected).all(), got)
    for _ in range(60):
        check_lookup(rng, checker)


run_program(check_all)
