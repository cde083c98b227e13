#!/usr/bin/python3
"""--memory is kept: windows, tiles and the search for duplicates under a limit of the process's own memory, against NumPy.

    /usr/bin/python3 tests/engine/memory_promise.py path/to/tensorop

RLIMIT_DATA limits all memory that is not a mapped file: what --memory gives, and ALLOWANCE for everything else.
Needs 800 MiB in /var/tmp, which no tmpfs may be. The last line is "N passed, N failed".
"""

import os
import resource
import subprocess
import sys
import pathlib
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import Checker, drop

ALLOWANCE = 8 << 20  # the program, its threads' stacks, and what is used in any case
STACK = 256 << 10    # of each thread: the default of 8 MiB would hide what 16 threads take
ROWS = 8 << 20
COLUMNS = (1 << 10, 1 << 13)
SPARSE = 1 << 29
RNG = np.random.default_rng(25)


def save(name, array):
    """Writes an array, and drops its pages: a gather from memory needs no windows."""
    np.save(name, array)
    drop(name)


def limit(memory):
    def apply():
        resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
        resource.setrlimit(resource.RLIMIT_DATA, (memory + ALLOWANCE, memory + ALLOWANCE))

    return apply


def main(tensorop):
    checker = Checker()
    data = RNG.random(ROWS, dtype=np.float32)
    targets = RNG.permutation(ROWS).astype(np.int32)
    updates = RNG.random(ROWS, dtype=np.float32)
    save("data.npy", data)
    save("indices.npy", targets.reshape(ROWS, 1))
    save("indices64.npy", targets.astype(np.int64).reshape(ROWS, 1))
    save("updates.npy", updates)
    rows = RNG.random(COLUMNS, dtype=np.float32)
    along = RNG.integers(0, COLUMNS[0], COLUMNS, dtype=np.int32)
    save("rows.npy", rows)
    save("along.npy", along)
    save("row_updates.npy", rows[::-1])
    # A hole of half a gibibyte, and few updates: finding duplicates takes a bit for each of its bytes.
    few = RNG.choice(SPARSE, 1 << 16, replace=False)
    sparse = np.lib.format.open_memmap("sparse.npy", mode="w+", dtype=np.uint8, shape=(SPARSE,))
    del sparse
    save("few.npy", few.reshape(-1, 1))
    save("few_updates.npy", np.ones(len(few), np.uint8))

    # The mask of a quarter of a gibibyte takes 32 MiB of bits; more updates than --memory can sort.
    many = RNG.integers(0, SPARSE // 2, 3 << 20)
    half = np.lib.format.open_memmap("half.npy", mode="w+", dtype=np.uint8, shape=(SPARSE // 2,))
    del half
    save("many.npy", many.reshape(-1, 1))
    save("many_updates.npy", np.ones(len(many), np.uint8))
    unspecified = np.flatnonzero(np.bincount(many) > 1)

    def expect(make):
        result = make()
        return lambda got: np.array_equal(got, result)

    def scattered():
        result = data.copy()
        result[targets] = updates
        return result

    def along_axis(base, values):
        result = base.copy()
        for row in range(COLUMNS[0]):  # in order: the last update wins
            np.put_along_axis(result, along[row : row + 1], values[row : row + 1], 0)
        return result

    def is_sparse(got):
        return np.count_nonzero(got) == len(few) and bool(np.all(got[few] == 1))

    def is_masked(got):
        mask = np.load("mask.npz")["arr_0"]
        return np.array_equal(np.flatnonzero(mask), unspecified) and bool(np.all(got[many] == 1))

    scatter_rows = ["scatternd", "data.npy", "indices.npy", "updates.npy"]
    scatter_columns = ["scatterelements", "rows.npy", "along.npy", "row_updates.npy"]
    unique = expect(scattered)
    calls = [  # what, whether windows are taken, arguments, whether a result is right
        ("gather", True, ["gathernd", "data.npy", "indices.npy"], expect(lambda: data[targets])),
        ("scatter", True, scatter_rows, unique),
        # One update for each element: with use_init_val false the mean is the update.
        ("mean", True, [*scatter_rows, "--reduction", "mean", "--use-init-val", "false"], unique),
        ("unique", True, [*scatter_rows, "--duplicates", "error"], unique),
        ("gather columns", True, ["gatherelements", "rows.npy", "along.npy"],
         expect(lambda: np.take_along_axis(rows, along, 0))),
        ("scatter columns", True, scatter_columns, expect(lambda: along_axis(rows, rows[::-1]))),
        ("large mask", False, ["scatternd", "half.npy", "many.npy", "many_updates.npy", "--spec", "onnx-13", "--open-mask", "mask.npz"],
         is_masked),
        ("mask", False, ["scatternd", "data.npy", "indices64.npy", "updates.npy", "--spec", "onnx-13", "--open-mask", "mask.npz"], unique),
        ("few unique", False, ["scatternd", "sparse.npy", "few.npy", "few_updates.npy", "--duplicates", "error"], is_sparse),
    ]
    for what, in_windows, arguments, is_right in calls:
        for memory, threads in ((8, 16), (24, 1)):
            for name in arguments:
                if name.endswith(".npy"):
                    drop(name)
            done = subprocess.run(
                [tensorop, *arguments, "-o", "out.npy", "--memory", f"{memory}M", "--threads", str(threads), "--explain-plan"],
                preexec_fn=limit(memory << 20), capture_output=True, text=True)
            failure = "" if done.returncode == 0 else f"status {done.returncode}: {done.stderr}"
            if not failure and in_windows and "plan: windows" not in done.stderr:
                failure = f"no windows: {done.stderr}"
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
