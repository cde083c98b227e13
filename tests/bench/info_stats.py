#!/usr/bin/python3
"""Whole-process benchmark of `info --stats`: 1 GiB of float32 in the page cache, by tensorop on two threads and on one,
by NumPy (min, max, mean, isnan), and, as the floor, two threads that add the words of the mapped file.

    tests/bench/info_stats.py build/release/apps/tensorop/tensorop [--runs 5] [--dir DIR]

The contestants take turns. The least wall-clock time and the least CPU time of the runs are printed: on a busy machine,
the latter are the ones to compare.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

PYTHON = sys.executable
READ = """
import numpy as np, threading
a = np.load('a.npy', mmap_mode='r').view(np.uint64)
def add(half):
    for k in range(0, half.size, 1 << 18): np.add.reduce(half[k:k + (1 << 18)])
threads = [threading.Thread(target=add, args=(half,)) for half in np.split(a, 2)]
[t.start() for t in threads]
[t.join() for t in threads]
"""
NUMPY = "import numpy as np\na=np.load('a.npy',mmap_mode='r');print(a.min(),a.max(),a.mean(),np.isnan(a).sum())"
START = "import numpy as np, threading"


def timed(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir", help="where the file goes (default: the temporary directory)")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    stats = [binary, "info", "a.npy", "--stats"]
    contestants = {
        "tensorop, 2 threads": stats + ["--threads", "2"],
        "tensorop, 1 thread": stats + ["--threads", "1"],
        "tensorop --digest, 2 threads": stats + ["--threads", "2", "--digest"],
        "read by 2 threads": [PYTHON, "-c", READ],
        "NumPy": [PYTHON, "-c", NUMPY],
        "start of Python with NumPy": [PYTHON, "-c", START],
    }
    with tempfile.TemporaryDirectory(prefix="tensorop-bench-", dir=options.dir) as folder:
        os.chdir(folder)
        np.save("a.npy", np.random.default_rng(1).standard_normal(1 << 28, dtype=np.float32))
        times = {name: [] for name in contestants}
        for _ in range(options.runs):
            for name, command in contestants.items():
                times[name].append(timed(command))
        os.chdir("/")
    print("| 1 GiB of float32 | s | CPU s |\n| --- | --- | --- |")
    for name, runs in times.items():
        print(f"| {name} | {min(wall for wall, _ in runs):.3f} | {min(cpu for _, cpu in runs):.3f} |")


if __name__ == "__main__":
    main()
