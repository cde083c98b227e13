#!/usr/bin/python3
"""--memory is kept: bands, tiles and the search for duplicates under a limit of the process's own memory, against NumPy.
Only this limits the memory that the process may have to what it was told. One of the calls; with TENSOROP_NIGHTLY=1 all.

    /usr/bin/python3 tests/engine/memory_promise.py path/to/tensorop

RLIMIT_DATA limits all memory that is not a mapped file: what --memory gives, and ALLOWANCE for everything else.
Needs 800 MiB in /var/tmp, which no tmpfs may be. The last line is "N passed, N failed".
"""

import functools
import os
import resource
import subprocess
import sys
import pathlib
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import NIGHTLY, Checker, drop, share

ALLOWANCE = 8 << 20  # the program, its threads' stacks, and what is used in any case
STACK = 256 << 10    # of each thread: the default of 8 MiB would hide what 16 threads take
ROWS = 8 << 20
COLUMNS = (1 << 10, 1 << 13)
SPARSE = 1 << 29
RNG = np.random.default_rng(25)


def limit(memory):
    def apply():
        resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
        resource.setrlimit(resource.RLIMIT_DATA, (memory + ALLOWANCE, memory + ALLOWANCE))

    return apply


# Operands, each made for the first call that names it.
@functools.cache
def rows():
    return {"data": RNG.random(ROWS, dtype=np.float32), "targets": RNG.permutation(ROWS).astype(np.int32),
            "updates": RNG.random(ROWS, dtype=np.float32)}


@functools.cache
def columns():
    return {"base": RNG.random(COLUMNS, dtype=np.float32), "along": RNG.integers(0, COLUMNS[0], COLUMNS, dtype=np.int32)}


# Few updates of half a gibibyte: finding duplicates takes a bit for each of its bytes.
@functools.cache
def few():
    return RNG.choice(SPARSE, 1 << 16, replace=False)


# The mask of a quarter of a gibibyte takes 32 MiB of bits; more updates than --memory can sort.
@functools.cache
def many():
    return RNG.integers(0, SPARSE // 2, 3 << 20)


MAKERS = {
    "data.npy": lambda: rows()["data"],
    "indices.npy": lambda: rows()["targets"].reshape(ROWS, 1),
    "indices64.npy": lambda: rows()["targets"].astype(np.int64).reshape(ROWS, 1),
    "updates.npy": lambda: rows()["updates"],
    "rows.npy": lambda: columns()["base"],
    "along.npy": lambda: columns()["along"],
    "row_updates.npy": lambda: columns()["base"][::-1],
    "few.npy": lambda: few().reshape(-1, 1),
    "few_updates.npy": lambda: np.ones(len(few()), np.uint8),
    "many.npy": lambda: many().reshape(-1, 1),
    "many_updates.npy": lambda: np.ones(len(many()), np.uint8),
}
HOLES = {"sparse.npy": SPARSE, "half.npy": SPARSE // 2}


def make(name):
    """Writes the operand unless it is there, and drops its pages: a gather from memory needs no bands."""
    if pathlib.Path(name).exists():
        drop(name)
    elif name in HOLES:
        array = np.lib.format.open_memmap(name, mode="w+", dtype=np.uint8, shape=(HOLES[name],))
        del array
    else:
        np.save(name, MAKERS[name]())
        drop(name)


# Whether a result is right.


def is_gathered(got):
    return np.array_equal(got, rows()["data"][rows()["targets"]])


def is_scattered(got):
    result = rows()["data"].copy()
    result[rows()["targets"]] = rows()["updates"]
    return np.array_equal(got, result)


def is_gathered_along(got):
    return np.array_equal(got, np.take_along_axis(columns()["base"], columns()["along"], 0))


def is_scattered_along(got):
    result, along, values = columns()["base"].copy(), columns()["along"], columns()["base"][::-1]
    for row in range(COLUMNS[0]):  # in order: the last update wins
        np.put_along_axis(result, along[row : row + 1], values[row : row + 1], 0)
    return np.array_equal(got, result)


def is_sparse(got):
    return np.count_nonzero(got) == len(few()) and bool(np.all(got[few()] == 1))


def is_masked(got):
    mask = np.load("mask.npz")["arr_0"]
    return np.array_equal(np.flatnonzero(mask), np.flatnonzero(np.bincount(many()) > 1)) and bool(np.all(got[many()] == 1))


SCATTER = ["scatternd", "data.npy", "indices.npy", "updates.npy"]
CALLS = [  # what, whether bands are taken, arguments, whether a result is right
    ("gather", True, ["gathernd", "data.npy", "indices.npy"], is_gathered),
    ("scatter", True, SCATTER, is_scattered),
    # One update for each element: with use_init_val false the mean is the update.
    ("mean", True, [*SCATTER, "--reduction", "mean", "--use-init-val", "false"], is_scattered),
    ("unique", True, [*SCATTER, "--duplicates", "error"], is_scattered),
    ("gather columns", True, ["gatherelements", "rows.npy", "along.npy"], is_gathered_along),
    ("scatter columns", True, ["scatterelements", "rows.npy", "along.npy", "row_updates.npy"], is_scattered_along),
    ("mask", False, ["scatternd", "data.npy", "indices64.npy", "updates.npy", "--spec", "onnx-13", "--open-mask", "mask.npz"],
     is_scattered),
    ("few unique", False, ["scatternd", "sparse.npy", "few.npy", "few_updates.npy", "--duplicates", "error"], is_sparse),
]
if NIGHTLY:  # it takes five times as long as any other
    CALLS.append(("large mask", False,
                  ["scatternd", "half.npy", "many.npy", "many_updates.npy", "--spec", "onnx-13", "--open-mask", "mask.npz"],
                  is_masked))


def main(tensorop):
    checker = Checker()
    calls = [(call, limits) for limits in ((8, 16), (24, 1)) for call in CALLS]
    for (what, in_bands, arguments, is_right), (memory, threads) in share(calls, len(CALLS)):
        for name in arguments:
            if name.endswith(".npy"):
                make(name)
        done = subprocess.run(
            [tensorop, *arguments, "-o", "out.npy", "--memory", f"{memory}M", "--threads", str(threads), "--explain-plan"],
            preexec_fn=limit(memory << 20), capture_output=True, text=True)
        failure = "" if done.returncode == 0 else f"status {done.returncode}: {done.stderr}"
        if not failure and in_bands and "plan: bands" not in done.stderr:
            failure = f"no bands: {done.stderr}"
        if not failure and not is_right(np.load("out.npy", mmap_mode="r")):
            failure = "another result"
        pathlib.Path("out.npy").unlink(missing_ok=True)
        checker.check(f"{what}, {memory} MiB, {threads} threads", not failure, failure)
    return checker


if __name__ == "__main__":
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chdir(folder)
        result = main(program)
        os.chdir("/")
    result.exit()
