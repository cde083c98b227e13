#!/usr/bin/python3
"""10,000 tiny jobs against a C program that creates and renames as many files: docs/benchmarks.md.

    /usr/bin/python3 tests/bench/tiny_jobs.py build/release/apps/tensorop/tensorop [FOLDER]

FOLDER is on the file system to measure; default: the one of temporary files. Prints the least of five times each.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
JOBS = 10_000
ROUNDS = 5


def least_time(command, folder):
    least = float("inf")
    for _ in range(ROUNDS):
        # Not removed: ext4 is slow to give out what was freed in the last seconds, to whoever asks.
        if folder.exists():
            folder.rename(tempfile.mkdtemp(dir=folder.parent) + "/old")
        folder.mkdir()
        start = time.perf_counter()
        subprocess.run(command, check=True)
        least = min(least, time.perf_counter() - start)
    assert len(list(folder.iterdir())) == JOBS
    return least


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as name:
        root = pathlib.Path(name)
        reference = root / "tiny_files"
        subprocess.run(["cc", "-O2", "-o", reference, HERE / "tiny_files.c"], check=True)
        jobs = root / "jobs.jsonl"
        job = {"op": "gathernd", "data": [[1, 2], [3, 4]], "indices": [[0, 0], [1, 1]]}
        with jobs.open("w") as out:
            for i in range(JOBS):
                print(json.dumps(job | {"output": f"out/{i}.npy"}), file=out)
        files = least_time([reference, root / "out", str(JOBS)], root / "out")
        ours = least_time([binary, "run", "-q", jobs], root / "out")
        one = least_time([binary, "run", "-q", "--threads", "1", jobs], root / "out")
    print(f"C program {files:.3f} s, run {ours:.3f} s ({ours / files:.2f} times), on one thread {one:.3f} s")


if __name__ == "__main__":
    main()
