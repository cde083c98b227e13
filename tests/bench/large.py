#!/usr/bin/python3
"""Files beyond 4 GiB and results larger than the memory allowed: real runs, checked against NumPy.

    tests/bench/large.py build/release/apps/tensorop/tensorop [--dir DIR]

Needs some 25 GiB of disk. Every run of tensorop has RLIMIT_DATA at 64 MiB: private writable memory, heap and thread stacks
included, cannot grow beyond that, while mapped files are free. A run that needed more would fail.
"""
import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np

LIMIT = 64 << 20
ROWS = 5 << 20  # rows of 1 KiB: 5 GiB


def limited():
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


def make_rows(name, rows):
    array = np.lib.format.open_memmap(name, "w+", np.float32, (rows, 256))
    for first in range(0, rows, 1 << 16):
        n = min(1 << 16, rows - first)
        array[first:first + n] = (np.arange(first, first + n, dtype=np.float32)[:, None] +
                                  np.arange(256, dtype=np.float32) / 256)
    array.flush()
    return np.load(name, mmap_mode="r")


def check(name, binary, args, expected_rows, expected_shape):
    """Runs tensorop and compares the rows that expected_rows(first, n) gives, a block at a time."""
    if os.path.exists("out.npy"):
        os.remove("out.npy")
    run = subprocess.run([binary] + args + ["-o", "out.npy"], preexec_fn=limited, stderr=subprocess.PIPE, text=True)
    ok = run.returncode == 0
    if ok:
        out = np.load("out.npy", mmap_mode="r")
        ok = out.shape == expected_shape
        for first in range(0, expected_shape[0] if ok else 0, 1 << 16):
            n = min(1 << 16, expected_shape[0] - first)
            ok = ok and np.array_equal(out[first:first + n], expected_rows(first, n))
        size = os.path.getsize("out.npy")
    print("%-6s %s: %s" % ("ok" if ok else "FAILED", name, "%.1f GiB" % (size / 2**30) if ok else run.stderr), flush=True)
    return ok


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--dir")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    folder = tempfile.mkdtemp(prefix="tensorop-large-", dir=options.dir)
    os.chdir(folder)
    results = []
    try:
        data = make_rows("a.npy", ROWS)
        rng = np.random.default_rng(1)
        index = rng.integers(-ROWS, ROWS, ROWS)
        np.save("i.npy", index)
        results.append(check("gather 5 GiB of rows", binary, ["gather", "a.npy", "i.npy"],
                             lambda first, n: data[index[first:first + n]], data.shape))
        pairs = np.stack([rng.integers(ROWS - 1000, ROWS, 1 << 20), rng.integers(0, 256, 1 << 20)], axis=1)
        np.save("p.npy", pairs)
        results.append(check("gathernd scalars above 4 GiB", binary, ["gathernd", "a.npy", "p.npy"],
                             lambda first, n: data[pairs[first:first + n, 0], pairs[first:first + n, 1]], (1 << 20,)))
        targets = np.unique(rng.integers(0, ROWS, 1 << 18))
        np.save("t.npy", targets[:, None])
        np.save("u.npy", np.full((len(targets), 256), -1, np.float32))
        updated = np.zeros(ROWS, bool)
        updated[targets] = True

        def scattered(first, n):
            block = np.array(data[first:first + n])
            block[updated[first:first + n]] = -1
            return block
        results.append(check("scatternd into 5 GiB", binary, ["scatternd", "a.npy", "t.npy", "u.npy"], scattered, data.shape))
        many = rng.integers(0, ROWS, (3 << 20, 1))
        np.save("t.npy", many)
        np.save("u.npy", np.ones((3 << 20, 256), np.float32))
        times = np.bincount(many[:, 0], minlength=ROWS)

        def added(first, n):
            block = np.array(data[first:first + n])
            counts = times[first:first + n]
            for k in range(1, counts.max() + 1):
                block[counts >= k] += np.float32(1)
            return block
        results.append(check("scatternd add, 3M rows with duplicates", binary,
                             ["scatternd", "a.npy", "t.npy", "u.npy", "--reduction", "add"], added, data.shape))
        np.save("b.npy", np.arange(256, dtype=np.float32)[None])
        results.append(check("add 5 GiB and a row", binary, ["add", "a.npy", "b.npy"],
                             lambda first, n: data[first:first + n] + np.arange(256, dtype=np.float32), data.shape))
        results.append(check("broadcast to 5 GiB", binary, ["broadcast", "b.npy", "--shape", "%d,256" % ROWS],
                             lambda first, n: np.broadcast_to(np.arange(256, dtype=np.float32), (n, 256)), data.shape))
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    print("%d passed, %d failed" % (sum(results), len(results) - sum(results)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
