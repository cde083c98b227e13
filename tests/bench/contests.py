#!/usr/bin/python3
"""Whole processes that take turns at the same work: a table of contests.

    tests/bench/contests.py build/release/apps/tensorop/tensorop [formats|info_stats|tiny_jobs]... [--runs 5] [--dir DIR]

Prints the median and the least wall-clock time of each contestant, its least CPU time (on a busy machine the one to
compare) and its median relative to the first one's. Results of one name are compared byte for byte.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
JOBS = 10_000
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


def formats(binary):
    """The same operand of 1 GiB of float32 as NPY, TensorProto and safetensors."""
    rng = np.random.default_rng(1)
    rows = 1 << 20
    np.save("data.npy", rng.standard_normal((rows, 256), dtype=np.float32))
    np.save("rows.npy", rng.integers(0, rows, rows // 2))
    np.save("mask.npy", rng.random((rows, 1)) < 0.5)
    files = ("a.npy", "a.pb", "a.safetensors")
    for name in files:
        subprocess.run([binary, "convert", "data.npy", "-o", "written-" + name], check=True)
        # How a file was written decides how large its pages in the page cache are, and with them what mapping costs:
        # all files are written by cp.
        subprocess.run(["cp", "written-" + name, name], check=True)
        os.unlink("written-" + name)
    # The elements of the TensorProto begin at an odd address.
    assert open("a.pb", "rb").read(64).index(open("a.npy", "rb").read(136)[128:]) % 2 == 1
    os.sync()
    for what, words in (("gather, half of the rows", "gather FILE rows.npy"), ("add a scalar", "add FILE [1.5]"),
                        ("where", "where mask.npy FILE [0.0]"), ("convert to float16", "convert FILE --dtype float16"),
                        ("scatterelements of one element", "scatterelements FILE [[5]] [[2.5]]"),
                        ("convert to NPY", "convert FILE"), ("compare", "compare FILE data.npy")):
        output = [] if what == "compare" else ["-o", "out.npy"]
        yield what, "out.npy", {name: [binary, *words.replace("FILE", name).split(), *output, "-q"] for name in files}


def info_stats(binary):
    """`info --stats` of 1 GiB of float32, NumPy's min, max, mean and isnan, and two threads that add the mapped words."""
    np.save("a.npy", np.random.default_rng(1).standard_normal(1 << 28, dtype=np.float32))
    stats = [binary, "info", "a.npy", "--stats", "--threads"]
    python = [sys.executable, "-c"]
    yield "info --stats", "", {
        "2 threads": stats + ["2"], "1 thread": stats + ["1"], "--digest, 2 threads": stats + ["2", "--digest"],
        "read by 2 threads": python + [READ], "NumPy": python + [NUMPY],
        "start of Python with NumPy": python + ["import numpy as np, threading"]}


def tiny_jobs(binary):
    """10,000 tiny jobs, and a C program that creates and renames as many files, on the file system of --dir."""
    subprocess.run(["cc", "-O2", "-o", "tiny_files", HERE / "tiny_files.c"], check=True)
    job = {"op": "gathernd", "data": [[1, 2], [3, 4]], "indices": [[0, 0], [1, 1]]}
    with open("jobs.jsonl", "w") as out:
        out.writelines(json.dumps(job | {"output": f"out/{i}.npy"}) + "\n" for i in range(JOBS))
    run = [binary, "run", "-q", "jobs.jsonl"]
    yield "tiny jobs", "out", {"C program": ["./tiny_files", "out", str(JOBS)], "run": run,
                               "run, 1 thread": run + ["--threads", "1"]}


def make_way(result, runs):
    """For the next run. A folder is moved, not removed: ext4 is slow to give out what was freed in the last seconds."""
    if result == "out":
        if os.path.exists(result):
            assert len(os.listdir(result)) == JOBS
            os.rename(result, f"old{runs}")
        os.mkdir(result)
    elif result and os.path.exists(result):
        os.rename(result, "expected.npy")


def measure(commands, result, runs):
    """The wall-clock and CPU times of each contestant."""
    times = {name: [] for name in commands}
    for run in range(runs):
        for name, command in commands.items():
            make_way(result, sum(map(len, times.values())))
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            wall = time.perf_counter() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times[name].append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
            if run == 0 and result == "out.npy" and os.path.exists("expected.npy") and os.path.exists(result):
                subprocess.run(["cmp", result, "expected.npy"], check=True)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("contests", nargs="*", metavar="formats|info_stats|tiny_jobs")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir", help="where the files go (default: the temporary directory)")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    print("| contest | contestant | median s | least s | least CPU s | relative |\n" + "| --- " * 6 + "|")
    for contest in (formats, info_stats, tiny_jobs):
        if options.contests and contest.__name__ not in options.contests:
            continue
        folder = tempfile.mkdtemp(prefix="tensorop-bench-", dir=options.dir)
        os.chdir(folder)
        for what, result, commands in contest(binary):
            times = measure(commands, result, options.runs)
            pathlib.Path("expected.npy").unlink(missing_ok=True)
            pathlib.Path("out.npy").unlink(missing_ok=True)
            medians = {name: statistics.median(wall for wall, _ in own) for name, own in times.items()}
            for name, own in times.items():
                print(f"| {what} | {name} | {medians[name]:.3f} | {min(own)[0]:.3f} | {min(cpu for _, cpu in own):.3f} | "
                      f"{medians[name] / next(iter(medians.values())):.2f} |", flush=True)
        os.chdir("/")
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
