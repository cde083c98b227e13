#!/usr/bin/python3
"""Random access to files larger than the memory of a cgroup, against NumPy.

The limit has room for what the kernel reads ahead, for each thread: it cannot reclaim pages that are being read, and kills
a process whose cgroup has no other ones (docs/large-files.md).
A third of the calls; with TENSOROP_NIGHTLY=1 all.

    /usr/bin/python3 tests/engine/limited_memory.py path/to/tensorop

Needs root, a memory cgroup of version 1 or 2, and 1.5 GiB in /var/tmp; says what is missing and skips everything without
them. The last line is "N passed, N failed".
"""

import itertools
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import memory_cgroup
from support.checker import NIGHTLY, SEED, Checker, drop

THREADS = 2
LIMIT = (32 << 20) + THREADS * memory_cgroup.most_read_ahead()
MOST_READ = 1 << 30  # bytes, of each call
GIVE_UP = 300  # seconds, then it is killed: each call takes up to 10, on a busy disk up to 100
ROWS, WIDTH = 1 << 18, 128  # 128 MiB of int32
COLUMNS = (1 << 11, 1 << 13)  # 64 MiB of int32
RNG = np.random.default_rng(14)
CALLS = itertools.count(SEED)


def save(name, array, fortran=False):
    """Writes an array, and drops its pages from the page cache: they would count for this process."""
    np.save(name, np.asfortranarray(array) if fortran else array)
    drop(name)


def run(checker, name, command, expected, stream=None):
    """Runs tensorop in a cgroup; `expected`: for each file a function that makes what it writes there; `stream`: the file that
    gets its standard output, written outside of the cgroup: the pages of whoever reads the stream are not tensorop's."""
    if next(CALLS) % 3 != 0 and not NIGHTLY:
        return
    for file in os.listdir("."):
        drop(file)
    cgroup = memory_cgroup.MemoryCgroup(LIMIT)
    start = time.monotonic()
    blocks = resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock
    command = [*command, "--threads", str(THREADS)]
    with subprocess.Popen(command, preexec_fn=cgroup.enter, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        timer = threading.Timer(GIVE_UP, process.kill)
        timer.start()
        if stream:
            with open(stream, "wb") as file:
                shutil.copyfileobj(process.stdout, file)
        errors = process.communicate()[1].decode()
        timer.cancel()
    seconds = time.monotonic() - start
    read = (resource.getrusage(resource.RUSAGE_CHILDREN).ru_inblock - blocks) * 512
    failure = "" if process.returncode == 0 else f"status {process.returncode} after {seconds:.1f} s: {errors}"
    peak = cgroup.peak()
    cgroup.remove()
    for file, make in expected.items():
        if not failure:
            array = make()
            result = np.load(file, mmap_mode="r")
            if result.dtype != array.dtype or not np.array_equal(result, array):
                failure = f"another result in {file}"
        pathlib.Path(file).unlink(missing_ok=True)
    if not failure and peak is not None and peak > LIMIT:
        failure = f"{peak} bytes of memory"
    if not failure and read > MOST_READ:
        failure = f"{read >> 20} MiB were read: pages were given up before they were used"
    checker.check(name, not failure, failure)
    print(f"{name}: {time.monotonic() - start:.1f} s, {read >> 20} MiB read", flush=True)


def scattered(data, targets, updates):
    """The last update of each row wins."""
    result = data.copy()
    result[targets] = updates
    return result


def added(data, targets, updates):
    result = data.copy()
    np.add.at(result, targets, updates)
    return result


def summed(data, targets, updates):
    """Each update added to the element at its position in row-major order; sums of these are exact in float64."""
    sums = np.bincount(targets, updates, data.size).reshape(data.shape)
    return (data + sums.astype(np.int64)).astype(np.int32)


def check_rows(checker, binary):
    table = RNG.integers(-1 << 31, 1 << 31, (ROWS, WIDTH), dtype=np.int32)
    few, many, targets = (RNG.integers(-ROWS, ROWS, n) for n in (1000, 100_000, 50_000))
    updates = RNG.integers(-1 << 31, 1 << 31, (len(targets), WIDTH), dtype=np.int32)
    for name, array in (("table", table), ("few", few), ("many", many), ("targets", targets[:, None]),
                        ("updates", updates)):
        save(name + ".npy", array)
    scatter = [binary, "scatternd", "table.npy", "targets.npy", "updates.npy", "-o", "out.npy"]
    run(checker, "gather, few rows", [binary, "gather", "table.npy", "few.npy", "-o", "out.npy"],
        {"out.npy": lambda: table[few]})
    run(checker, "gather, many rows", [binary, "gather", "table.npy", "many.npy", "-o", "out.npy"],
        {"out.npy": lambda: table[many]})
    run(checker, "gather, many rows in 4 MiB",
        [binary, "gather", "table.npy", "many.npy", "-o", "out.npy", "--memory", "4M"], {"out.npy": lambda: table[many]})
    run(checker, "scatternd", scatter, {"out.npy": lambda: scattered(table, targets, updates)})
    run(checker, "scatternd add", scatter + ["--reduction", "add"], {"out.npy": lambda: added(table, targets, updates)})
    jobs = [{"op": "gather", "data": "table.npy", "indices": "many.npy", "output": "a.npy"},
            {"op": "gather", "data": "table.npy", "indices": "few.npy", "output": "b.npy"}]
    pathlib.Path("jobs.jsonl").write_text("\n".join(map(json.dumps, jobs)))
    run(checker, "two jobs", [binary, "run", "jobs.jsonl"], {"a.npy": lambda: table[many], "b.npy": lambda: table[few]})
    # Layouts that are converted while they are read.
    for name, array, fortran in (("Fortran order", table, True), ("big-endian", table.astype(">i4"), False)):
        save("table.npy", array, fortran)
        run(checker, "gather, " + name, [binary, "gather", "table.npy", "few.npy", "-o", "out.npy"],
            {"out.npy": lambda: table[few]})
        run(checker, "convert, " + name, [binary, "convert", "table.npy", "-o", "out.npy"], {"out.npy": lambda: table})
    for file in os.listdir("."):
        os.unlink(file)


def check_columns(checker, binary):
    data = RNG.integers(-1 << 31, 1 << 31, COLUMNS, dtype=np.int32)
    indices = RNG.integers(-COLUMNS[0], COLUMNS[0], COLUMNS, dtype=np.int32)
    updates = RNG.integers(-1 << 31, 1 << 31, COLUMNS, dtype=np.int32)
    for name, array in (("data", data), ("indices", indices), ("updates", updates)):
        save(name + ".npy", array)
    columns = np.arange(COLUMNS[1])[None, :]
    run(checker, "gatherelements, axis 0", [binary, "gatherelements", "data.npy", "indices.npy", "-o", "out.npy"],
        {"out.npy": lambda: data[indices, columns]})
    run(checker, "gatherelements, axis 0, to a stream",
        [binary, "gatherelements", "data.npy", "indices.npy", "-o", "-", "--format", "npy"],
        {"out.npy": lambda: data[indices, columns]}, stream="out.npy")
    scatter = [binary, "scatterelements", "data.npy", "indices.npy", "updates.npy", "-o", "out.npy"]
    run(checker, "scatterelements, axis 0", scatter,
        {"out.npy": lambda: scattered(data, (indices, columns), updates)})
    targets = (indices % COLUMNS[0] * COLUMNS[1] + columns).ravel()
    run(checker, "scatterelements add, axis 0", scatter + ["--reduction", "add"],
        {"out.npy": lambda: summed(data, targets, updates.ravel())})
    # More updates than such memory sorts.
    targets = RNG.integers(0, data.size, 1_500_000)
    save("targets.npy", targets[:, None])
    save("flat.npy", data.ravel())
    some = updates.ravel()[:len(targets)]
    save("some.npy", some)
    add = "scatternd flat.npy targets.npy some.npy --reduction add"
    run(checker, "scatternd add of many elements", [binary, *add.split(), "-o", "out.npy"], {"out.npy": lambda: summed(data.ravel(), targets, some)})
    run(checker, "scatternd add of many elements, to a stream",
        [binary, *add.split(), "-o", "-", "--format", "npy"], {"out.npy": lambda: summed(data.ravel(), targets, some)}, stream="out.npy")


def main():
    binary = os.path.abspath(sys.argv[1])
    checker = Checker()
    lacking = memory_cgroup.missing()
    if lacking:
        print("SKIPPED: " + lacking)
        checker.exit()
    before = os.getcwd()
    # A file in memory would count as memory.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.environ["TMPDIR"] = folder  # so would what is written before it is streamed
        os.chdir(folder)
        check_rows(checker, binary)
        check_columns(checker, binary)
        os.chdir(before)
    checker.exit()


if __name__ == "__main__":
    main()
