#!/usr/bin/python3
"""More updates than are sorted, along an outer axis with batching dimensions, in rows of one and more elements; and sorted
updates of rows whose bytes are no power of two, to a stream: NumPy's result. One width of each; with TENSOROP_NIGHTLY=1 all.

    /usr/bin/python3 tests/engine/many_updates.py path/to/tensorop

The last line is "N passed, N failed".
"""

import io
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, run_program, share

UPDATES = 3  # of each column
COLUMNS = 750_000


def check_rows(program, width):
    rng = np.random.default_rng(SEED)
    data = rng.integers(0, 100, (5, COLUMNS, width)).astype(np.int16)
    indices = rng.integers(0, 5, (UPDATES, COLUMNS, 1)).astype(np.int32)
    updates = rng.integers(0, 100, (UPDATES, COLUMNS, width)).astype(np.int16)
    for name, array in (("data", data), ("indices", indices), ("updates", updates)):
        np.save(program.folder / f"{name}.npy", array)
    done = program.run("scatterslices", "data.npy", "indices.npy", "updates.npy", "--input-batching-dims", "1",
                       "--scatter-indices-batching-dims", "1", "--index-vector-dim", "2", "--inserted-window-dims", "0",
                       "--scatter-dims-to-operand-dims", "0", "--update-window-dims", "2", "--reduction", "add",
                       "-o", "out.npy", "--explain-plan")
    program.check(f"rows of {width} elements are updated", done.returncode == 0, done.stderr)
    if done.returncode != 0:
        return
    print(done.stderr, end="")
    expected = data.copy()
    for update in range(UPDATES):
        expected[indices[update, :, 0], np.arange(COLUMNS)] += updates[update]
    out = np.load(program.folder / "out.npy")
    wrong = int((out != expected).sum())
    program.check(f"rows of {width} elements: {wrong} of {out.size} elements are wrong", wrong == 0)


def check_stream(program, width):
    rng = np.random.default_rng(SEED)
    rows = 2_000_000 // width
    data, updates = (rng.integers(0, 100, (rows, width)).astype(np.int32) for _ in range(2))
    indices = rng.integers(0, rows, (rows, 1))
    for name, array in (("data", data), ("indices", indices), ("updates", updates)):
        np.save(program.folder / f"{name}.npy", array)
    np.add.at(data, indices[:, 0], updates)
    for threads in ("1", "2"):
        done = program.run("scatternd", "data.npy", "indices.npy", "updates.npy", "--reduction", "add", "--format", "npy",
                           "--threads", threads, "--explain-plan", text=False)
        what = f"rows of {width} elements to a stream, {threads} threads"
        program.check(f"{what}: are sorted", done.returncode == 0 and b" sorted" in done.stderr, (done.returncode, done.stderr))
        is_right = done.returncode == 0 and np.array_equal(np.load(io.BytesIO(done.stdout)), data)
        program.check(f"{what}: are right", is_right)


def check_all(program):
    for width in share((1, 3, 40), 3):
        check_rows(program, width)
    for width in share((3, 5, 25), 3):
        check_stream(program, width)


run_program(check_all)
