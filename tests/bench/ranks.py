#!/usr/bin/python3
"""Ranks of tensorop-mpi on one machine: docs/scaling.md.

    tests/bench/ranks.py build/release/apps timed|counted|limited [--dir DIR] [--gib N] [--runs N] [--ranks N,N]

timed:    two ranks against one process with two threads; operands and results in memory (--dir: /dev/shm).
counted:  what each rank reads, sends and writes, as --explain-plan says, of data that is on a disk and not in memory.
limited:  two ranks with 512 MiB each against one process with 1 GiB, data of 4 GiB on a disk: memory cgroups. Needs root.
Times are medians, of runs in turn. All results of a row are compared.
"""
import argparse
import filecmp
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import memory_cgroup

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1")
ROW = 128  # float32 of a row of 512 bytes


def save(path, shape, block):
    """An NPY file, made some rows at a time."""
    if path.exists():
        return
    first_block = block(0, 0)
    array = np.lib.format.open_memmap(path, "w+", dtype=first_block.dtype, shape=shape)
    step = max(1, (64 << 20) * shape[0] // array.nbytes)
    for first in range(0, shape[0], step):
        array[first:first + step] = block(first, min(shape[0], first + step))
    array.flush()


class Bench:
    def __init__(self, options):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tensorop-ranks-", dir=options.dir))
        self.one = options.apps / "tensorop" / "tensorop"
        self.many = options.apps / "tensorop-mpi" / "tensorop-mpi"
        self.random = np.random.default_rng(1)
        self.rows = (options.gib << 30) // (4 * ROW)
        self.runs = options.runs
        self.ranks = options.ranks

    def floats(self, name, rows, columns=ROW):
        path = self.folder / name
        save(path, (rows, columns), lambda first, end: self.random.standard_normal((end - first, columns), dtype="f4"))
        return path

    def indices(self, name, shape, size):
        path = self.folder / name
        save(path, shape, lambda first, end: self.random.integers(0, size, (end - first,) + shape[1:]))
        return path

    def run(self, command, output, preexec=None):
        """Seconds, and standard error."""
        output.unlink(missing_ok=True)
        start = time.perf_counter()
        done = subprocess.run([str(word) for word in command] + ["-o", str(output)], env=ENVIRONMENT, text=True,
                              capture_output=True, preexec_fn=preexec)
        seconds = time.perf_counter() - start
        if done.returncode != 0:
            sys.exit(f"{command}: {done.stderr}")
        return seconds, done.stderr

    def mpirun(self, ranks, words):
        return ["mpirun", "-n", ranks, self.many, *words]


def movements(bench):
    """Names and command lines."""
    rows = bench.rows
    data = bench.floats("data.npy", rows)
    updates = bench.floats("updates.npy", rows // 2)
    tuples = bench.indices("tuples.npy", (rows, 1), rows)
    half = bench.indices("half.npy", (rows // 2, 1), rows)
    inner = bench.indices("inner.npy", (ROW,), ROW)
    each = bench.indices("each.npy", (rows // 4, ROW), rows)
    each_update = bench.floats("each_update.npy", rows // 4)
    mask = bench.folder / "mask.npy"
    save(mask, (rows, 1), lambda first, end: bench.random.integers(0, 2, (end - first, 1)) == 1)
    other = bench.floats("other.npy", rows)
    return [
        ("gathernd, rows of 512 bytes", ["gathernd", data, tuples]),
        ("gather along the last axis", ["gather", data, inner, "--axis", "1"]),
        ("gatherelements along axis 0", ["gatherelements", data, each, "--axis", "0"]),
        ("scatternd, rows of 512 bytes", ["scatternd", data, half, updates]),
        ("scatternd, added", ["scatternd", data, half, updates, "--reduction", "add"]),
        ("scatterelements along axis 0", ["scatterelements", data, each, each_update, "--axis", "0"]),
        ("where", ["where", mask, data, other]),
        ("expand of a row", ["expand", bench.floats("row.npy", 1), "--shape", f"{rows},{ROW}"]),
    ]


def timed(bench):
    out_one, out_many = bench.folder / "one.npy", bench.folder / "many.npy"
    start = statistics.median(bench.run(bench.mpirun(2, ["gather", "[1]", "[0]"]), out_many)[0] for _ in range(5))
    print(f"start of two ranks: {start:.2f} s\n")
    print("| call | one process, 2 threads, s | 2 ranks, s | ratio | without the start |\n| --- | --- | --- | --- | --- |")
    for name, words in movements(bench):
        one, many = [], []
        for _ in range(bench.runs):
            one.append(bench.run([bench.one, *words, "--threads", "2"], out_one)[0])
            many.append(bench.run(bench.mpirun(2, words), out_many)[0])
        if not filecmp.cmp(out_one, out_many, shallow=False):
            sys.exit(f"{name}: the results differ")
        a, b = statistics.median(one), statistics.median(many)
        print(f"| {name} | {a:.2f} | {b:.2f} | {b / a:.2f} | {(b - start) / a:.2f} |", flush=True)


def drop_caches():
    subprocess.run(["sync"], check=True)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")


def counted(bench):
    data = bench.floats("data.npy", bench.rows)
    tuples = bench.indices("tuples.npy", (bench.rows // 2, 1), bench.rows)
    out_one, out_many = bench.folder / "one.npy", bench.folder / "many.npy"
    bench.run([bench.one, "gathernd", data, tuples], out_one)
    print("| ranks | s | read, MiB | sent, MiB | written, MiB | most read | most sent |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    unit = {"bytes": 1 / (1 << 20), "KiB": 1 / 1024, "MiB": 1, "GiB": 1024}
    for ranks in bench.ranks:
        drop_caches()
        seconds, said = bench.run(bench.mpirun(ranks, ["gathernd", data, tuples, "--explain-plan"]), out_many)
        if not filecmp.cmp(out_one, out_many, shallow=False):
            sys.exit(f"{ranks} ranks: the results differ")
        found = re.findall(r"rank \d+: reads ([\d.]+) (\w+), sends ([\d.]+) (\w+), writes ([\d.]+) (\w+)", said)
        costs = [[float(line[i]) * unit[line[i + 1]] for i in (0, 2, 4)] for line in found]
        totals = [sum(column) for column in zip(*costs)]
        most = [max(column) / (total / ranks) - 1 if total else 0 for column, total in zip(zip(*costs), totals)]
        print(f"| {ranks} | {seconds:.2f} | {totals[0]:.0f} | {totals[1]:.0f} | {totals[2]:.0f} | "
              f"+{100 * most[0]:.1f} % | +{100 * most[1]:.1f} % |", flush=True)


def limited(bench):
    if memory_cgroup.missing():
        sys.exit(memory_cgroup.missing())
    data = bench.floats("data.npy", bench.rows)
    tuples = bench.indices("tuples.npy", (bench.rows // 4, 1), bench.rows)
    updates = bench.floats("updates.npy", bench.rows // 4)
    out_one, out_many = bench.folder / "one.npy", bench.folder / "many.npy"
    print("| call | one process, 1 GiB, s | 2 ranks, 512 MiB each, s | ratio |\n| --- | --- | --- | --- |")
    for name, words in [("gathernd, rows of 512 bytes", ["gathernd", data, tuples]),
                        ("scatternd, added", ["scatternd", data, tuples, updates, "--reduction", "add"])]:
        one, many = [], []
        for _ in range(bench.runs):
            drop_caches()
            whole = memory_cgroup.MemoryCgroup(1 << 30)
            one.append(bench.run([bench.one, *words], out_one, whole.enter)[0])
            whole.remove()
            drop_caches()
            parts = [memory_cgroup.MemoryCgroup(512 << 20) for _ in range(2)]
            enter = f'echo $$ > "$(eval echo \\$FOLDER_$OMPI_COMM_WORLD_RANK)/cgroup.procs"; exec "$@"'
            command = ["mpirun", "-n", 2, "-x", "FOLDER_0", "-x", "FOLDER_1", "sh", "-c", enter, "sh", bench.many, *words]
            ENVIRONMENT.update({f"FOLDER_{i}": str(part.folder) for i, part in enumerate(parts)})
            many.append(bench.run(command, out_many)[0])
            for part in parts:
                part.remove()
        if not filecmp.cmp(out_one, out_many, shallow=False):
            sys.exit(f"{name}: the results differ")
        a, b = statistics.median(one), statistics.median(many)
        print(f"| {name} | {a:.2f} | {b:.2f} | {b / a:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("apps", type=pathlib.Path)
    parser.add_argument("what", choices=["timed", "counted", "limited"])
    parser.add_argument("--dir", default=None)
    parser.add_argument("--gib", type=int, default=None)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[2, 4, 8])
    options = parser.parse_args()
    options.gib = options.gib or {"timed": 1, "counted": 2, "limited": 4}[options.what]
    options.dir = options.dir or ("/dev/shm" if options.what == "timed" else "/var/tmp")
    bench = Bench(options)
    try:
        globals()[options.what](bench)
    finally:
        subprocess.run(["rm", "-rf", str(bench.folder)], check=True)


if __name__ == "__main__":
    main()
