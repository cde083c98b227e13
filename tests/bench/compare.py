#!/usr/bin/python3
"""tensorop compare beside cmp, on the same files in turn; warm page cache.

    tests/bench/compare.py build/release/apps/tensorop/tensorop [--mib 1024] [--dir DIR] [--runs 5]

Needs three times as many MiB of disk. cmp ends at the first byte that differs, so its time on equal files stands beside all
others.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np


def make_files(mib):
    rng = np.random.default_rng(1)
    values = rng.standard_normal(mib << 18, dtype=np.float32)
    np.save("a.npy", values)
    np.save("same.npy", values)
    values *= 1 + (rng.random(values.size, dtype=np.float32) - np.float32(0.5)) * np.float32(1e-6)
    np.save("near.npy", values)


def seconds(command, status):
    begin = time.perf_counter()
    run = subprocess.run(command, stdout=subprocess.DEVNULL)
    taken = time.perf_counter() - begin
    if run.returncode != status:
        sys.exit("%s: exit status %d" % (" ".join(command), run.returncode))
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir")
    options = parser.parse_args()
    compare = [os.path.abspath(options.binary), "compare"]
    rows = [("cmp, equal", ["cmp", "a.npy", "same.npy"], 0),
            ("equal", compare + ["a.npy", "same.npy"], 0),
            ("equal, one thread", compare + ["a.npy", "same.npy", "--threads", "1"], 0),
            ("equal, --nan-unequal", compare + ["a.npy", "same.npy", "--nan-unequal"], 0),
            ("near everywhere, --tolerance auto", compare + ["a.npy", "near.npy", "--tolerance", "auto"], 0),
            ("the same, one thread", compare + ["a.npy", "near.npy", "--tolerance", "auto", "--threads", "1"], 0),
            ("different everywhere", compare + ["a.npy", "near.npy"], 1),
            ("different everywhere, -q", compare + ["a.npy", "near.npy", "-q"], 1)]
    folder = tempfile.mkdtemp(prefix="tensorop-compare-", dir=options.dir)
    os.chdir(folder)
    try:
        make_files(options.mib)
        times = [[] for _ in rows]
        for _ in range(options.runs):
            for taken, (_, command, status) in zip(times, rows):
                taken.append(seconds(command, status))
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    for taken, (name, _, _) in zip(times, rows):
        print("%-36s %.3f s (%.3f..%.3f)" % (name, statistics.median(taken), min(taken), max(taken)))


if __name__ == "__main__":
    main()
