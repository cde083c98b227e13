#!/usr/bin/python3
"""More updates than are sorted, along an outer axis with batching dimensions, in rows of one and more elements: NumPy's result.
One width; with TENSOROP_NIGHTLY=1 all.

    /usr/bin/python3 tests/engine/many_updates.py path/to/tensorop

The last line is "N passed, N failed".
"""

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


run_program(lambda program: [check_rows(program, width) for width in share((1, 3, 40), 3)])
