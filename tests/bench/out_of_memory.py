#!/usr/bin/python3
"""Random access to files larger than memory, and to cold files: docs/benchmarks.md.

    tests/bench/out_of_memory.py build/release/apps/tensorop/tensorop [--dir DIR] [--runs N] [--before BINARY]
                                 [--only NAME] [--huge] [--keep]

Needs root, a memory cgroup and 10 GiB of disk space; with --huge 24 GiB. Before each run the page cache is dropped.
Every result is compared with NumPy's. The reference of rows is read_rows.c, the better of its strategies `ahead` and
`sorted`; for columns it is columns.c, beside the least that must be read and written, by cat and dd; for everything
else it is that least, by cat, cp and dd. References run under the same limit. Times are medians.
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from support import memory_cgroup

MIB = 1 << 20
GIB = 1 << 30
BLOCK = 64 * MIB  # bytes of an array at a time, where it is made and checked
GIVE_UP = 600     # seconds
GIVE_UP_BEFORE = 60
HEADER = 128      # bytes of an NPY header of version 1.0 with a short shape


def values(positions, factor):
    """The elements at these positions of a whole array: their positions times an odd factor, modulo 2**32."""
    return (positions.astype(np.uint64) * np.uint64(factor)).astype(np.uint32).view(np.int32)


def table_rows(rows, width, factor=2654435761):
    """Rows of a table with `width` int32 elements a row."""
    return values(rows.astype(np.int64)[:, None] * width + np.arange(width), factor)


def save_blocks(name, dtype, shape, block):
    """An NPY file of rank 2; `block(first, end)` has rows first..end-1."""
    step = max(1, BLOCK // (np.dtype(dtype).itemsize * shape[1]))
    if os.path.exists(name):
        return
    with open(name + ".part", "wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": shape})
        assert file.tell() == HEADER
        for first in range(0, shape[0], step):
            file.write(np.ascontiguousarray(block(first, min(shape[0], first + step)), dtype))
    os.rename(name + ".part", name)


def same_blocks(name, dtype, shape, block):
    """Whether the file is that array."""
    out = np.load(name, mmap_mode="r")
    if out.shape != shape or out.dtype != dtype:
        return False
    step = max(1, BLOCK // (np.dtype(dtype).itemsize * shape[1]))
    return all(np.array_equal(out[first:first + step], block(first, min(shape[0], first + step)))
               for first in range(0, shape[0], step))


class Measured:
    def __init__(self, seconds, read, private, peak, output, failure):
        self.seconds = seconds
        self.read = read        # bytes read from the disk
        self.private = private  # the most bytes of private memory
        self.peak = peak        # the most bytes of the cgroup
        self.output = output
        self.failure = failure


def private_bytes(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon")), 0)
    except OSError:
        return 0


def run_cold(command, limit, give_up=GIVE_UP):
    """One run with an empty page cache in a cgroup of `limit` bytes."""
    subprocess.run(["sync"], check=True)
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3")
    cgroup = memory_cgroup.MemoryCgroup(limit)
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.STDOUT,
                                   preexec_fn=cgroup.enter)
        private = 0
        failure = ""
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            seconds = time.perf_counter() - start
            if pid != 0:
                break
            if seconds > give_up:
                failure = f"over {give_up} s"
                process.kill()
            private = max(private, private_bytes(process.pid))
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace").strip()
    if process.returncode != 0 and not failure:
        failure = f"status {process.returncode}: {text}"
    peak = cgroup.peak()
    cgroup.remove()
    return Measured(seconds, usage.ru_inblock * 512, private, peak, text, failure)


class Case:
    def __init__(self, name, limit, make, args, reference, check, goal, rows=None):
        self.name = name
        self.limit = limit          # bytes, or None
        self.make = make            # writes the inputs, where they are not there
        self.args = args            # of tensorop, without -o
        self.reference = reference  # reference(case): seconds and what they are of
        self.check = check          # check(name): whether the result is right
        self.goal = goal            # times the reference, or None
        self.rows = rows            # of a gather: table, bytes of a row, list, how many


def seconds_of(command, limit):
    measured = run_cold(command, limit)
    if measured.failure:
        sys.exit(f"{command}: {measured.failure}")
    return measured.seconds


def read_rows(case, how, give_up=GIVE_UP):
    table, row_bytes, positions, count = case.rows
    return run_cold(["./read_rows", how, table, HEADER, row_bytes, positions, HEADER, count, "ref.raw", give_up],
                    case.limit, give_up + 60)


def better_reader(case):
    times = {}
    for how in ("ahead", "sorted"):
        measured = read_rows(case, how)
        if not measured.failure:  # `sorted` may need more memory than there is
            times[how] = measured.seconds
    best = min(times, key=times.get)
    return times[best], best


def least_transfer(read=(), copied=(), written=0, readings=1):
    """Reading and copying these files once, and writing this number of bytes."""
    def reference(case):
        seconds = 0
        if read:
            seconds += readings * seconds_of(["sh", "-c", 'cat "$@" > /dev/null', "sh", *read], case.limit)
        for name in copied:
            seconds += seconds_of(["cp", name, "ref.raw"], case.limit)
        if written:
            seconds += seconds_of(["dd", "if=/dev/zero", "of=ref.raw", "bs=4M", "count=%d" % (written // (4 * MIB)),
                                   "status=none"], case.limit)
        return seconds, "read, write"
    return reference


def make_table(rows, width):
    save_blocks("table.npy", np.int32, (rows, width), lambda first, end: table_rows(np.arange(first, end), width))


def gather_case(name, limit, rows, width, count, goal, reference=better_reader):
    chosen = np.random.default_rng(count).integers(0, rows, count)

    def make():
        make_table(rows, width)
        np.save("list.npy", chosen)

    def check(out):
        return same_blocks(out, np.int32, (count, width), lambda first, end: table_rows(chosen[first:end], width))
    return Case(name, limit, make, ["gather", "table.npy", "list.npy"], reference, check, goal,
                ("table.npy", width * 4, "list.npy", count))


def cases_of_rows():
    """4 GiB in rows of 512 B."""
    rows, width, limit = 8 << 20, 128, 512 * MIB
    count = 600_000
    targets = np.random.default_rng(1).integers(0, rows, count)

    def make_updates():
        make_table(rows, width)
        np.save("targets.npy", targets[:, None])
        save_blocks("updates.npy", np.int32, (count, width),
                    lambda first, end: table_rows(np.arange(first, end), width, 7))

    def check_scattered(out):
        last = np.full(rows, -1)
        last[targets] = np.arange(count)

        def scattered(first, end):
            block = table_rows(np.arange(first, end), width)
            update = last[first:end]
            block[update >= 0] = table_rows(update[update >= 0], width, 7)
            return block
        return same_blocks(out, np.int32, (rows, width), scattered)
    return [
        gather_case("gather, 50,000 random rows, memory free", None, rows, width, 50_000, 1.3),
        gather_case("gather, 50,000 random rows", limit, rows, width, 50_000, 1.3),
        gather_case("gather, 600,000 random rows", limit, rows, width, count, 1.5),
        Case("scatternd, 600,000 random rows", limit, make_updates,
             ["scatternd", "table.npy", "targets.npy", "updates.npy"],
             least_transfer(read=["updates.npy"], copied=["table.npy"]), check_scattered, 1.5),
        gather_case("gather, 4 million random rows (2 GiB)", limit, rows, width, 4 << 20, 2,
                    least_transfer(read=["table.npy"], written=2 * GIB, readings=8)),
    ]


def cases_of_columns():
    """Axis 0 of [16384,16384]: 1 GiB each of data, indices and updates, in small numbers, so that every sum is exact."""
    n, limit = 16384, 512 * MIB
    shape = (n, n)

    def make():
        def numbers(factor, below):
            return lambda first, end: (table_rows(np.arange(first, end), n, factor).view(np.uint32) >> 8) % below
        save_blocks("data.npy", np.float32, shape, numbers(2654435761, 100))
        save_blocks("updates.npy", np.float32, shape, numbers(2246822519, 100))
        save_blocks("indices.npy", np.int32, shape, numbers(3266489917, n))

    def check(column):
        """Compares with what `column` makes of columns of data, indices and updates."""
        def compare(out):
            files = [np.load(name, mmap_mode="r") for name in ("data.npy", "indices.npy", "updates.npy", out)]
            if files[3].shape != shape or files[3].dtype != np.float32:
                return False
            for first in range(0, n, 512):
                data, indices, updates, result = (np.ascontiguousarray(f[:, first:first + 512].T) for f in files)
                if not all(np.array_equal(column(*c), r) for *c, r in zip(data, indices, updates, result)):
                    return False
            return True
        return compare

    def scattered(data, indices, updates):
        data[indices] = updates
        return data

    def reference(how, inputs):
        def seconds(case):
            least, _ = least_transfer(read=inputs, written=GIB)(case)
            pathlib.Path("ref.raw").unlink()
            # As much memory as tensorop takes by default.
            columns = seconds_of(["./columns", how, "data.npy", "indices.npy", "updates.npy", "ref.raw", n,
                                  (limit >> 20) // 2 - 1], case.limit)
            return columns, "columns; read, write %.2f" % least
        return seconds
    args = ["scatterelements", "data.npy", "indices.npy", "updates.npy"]
    return [
        Case("gatherelements, axis 0", limit, make, ["gatherelements", "data.npy", "indices.npy"],
             reference("gather", ["data.npy", "indices.npy"]),
             check(lambda data, indices, updates: data[indices]), 1.2),
        Case("scatterelements, axis 0", limit, make, args, reference("replace", args[1:]), check(scattered), 1.2),
        Case("scatterelements add, axis 0", limit, make, args + ["--reduction", "add"], reference("add", args[1:]),
             check(lambda data, indices, updates: data + np.bincount(indices, updates, n).astype(np.float32)), 1.2),
    ]


def cases_of_a_huge_table():
    """20 GiB in rows of 160 B, 1 GiB of memory."""
    return [gather_case("gather, %s rows of 160 B from 20 GiB" % format(count, ","), GIB, 1 << 27, 40, count, None)
            for count in (320_000, 4_000_000)]


def seconds_text(seconds):
    return "%.2f" % seconds if seconds < 100 else "%.0f" % seconds


def measure(case, options):
    ours, references, before, wrong = [], [], None, ""
    command = case.args + ["-o", "out.npy"]
    for _ in range(options.runs):
        references.append(case.reference(case))
        pathlib.Path("ref.raw").unlink()
        ours.append(run_cold([options.binary, *command], case.limit))
        if ours[-1].failure:
            wrong = ours[-1].failure
            break
    if not wrong and not case.check("out.npy"):
        wrong = "WRONG RESULT"
    if options.before:
        pathlib.Path("out.npy").unlink(missing_ok=True)
        before = run_cold([options.before, *command], case.limit, GIVE_UP_BEFORE)
    pathlib.Path("out.npy").unlink(missing_ok=True)
    reference = statistics.median(seconds for seconds, _ in references)
    seconds = statistics.median(m.seconds for m in ours)
    print("| %s | %s | %s | %s (%s) | %s | %s | %.2f | %s | %.0f |%s" % (
        case.name, "%d MiB" % (case.limit >> 20) if case.limit else "", wrong or seconds_text(seconds),
        seconds_text(reference), references[-1][1], "" if wrong else "%.2f" % (seconds / reference), case.goal or "",
        ours[-1].read / GIB, "%d" % (max(m.peak for m in ours) >> 20) if ours[-1].peak else "",
        max(m.private for m in ours) >> 20,
        " %s |" % (before.failure or seconds_text(before.seconds)) if before else ""), flush=True)
    return not wrong, seconds


def per_row(case, seconds):
    """What one row takes, beside mappings without advice ahead."""
    count = case.rows[3]
    parts = ["tensorop %.1f" % (seconds / count * 1e6)]
    for how in ("ahead", "sorted", "random", "mapped"):
        measured = read_rows(case, how, 60)
        done = 0 if measured.failure else int(measured.output)
        parts.append("%s %s" % (how, "%.1f" % (measured.seconds / done * 1e6) if done else "none"))
    pathlib.Path("ref.raw").unlink()
    print("\nµs a row, %s: %s\n" % (case.name, ", ".join(parts)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--dir", help="where the files go (default: the temporary directory)")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--before", help="another tensorop, run once and given up after a minute")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--huge", action="store_true", help="a table of 20 GiB too")
    parser.add_argument("--keep", action="store_true", help="keep the inputs in DIR, and use those of an earlier run")
    options = parser.parse_args()
    needed = memory_cgroup.missing()
    if needed:
        print("out_of_memory.py: " + needed, file=sys.stderr)
        return 2
    options.binary = os.path.abspath(options.binary)
    options.before = options.before and os.path.abspath(options.before)
    root = pathlib.Path(options.dir or tempfile.gettempdir())
    root = root / "tensorop-inputs" if options.keep else pathlib.Path(tempfile.mkdtemp(prefix="tensorop-", dir=root))
    failed = 0
    print("| workload | memory | tensorop s | reference s | ratio | goal | read GiB | cgroup MiB | private MiB |" +
          (" before s |" if options.before else ""))
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |" + (" --- |" if options.before else ""))
    groups = [cases_of_rows, cases_of_columns] + ([cases_of_a_huge_table] if options.huge else [])
    try:
        for group in groups:
            folder = root / group.__name__
            folder.mkdir(parents=True, exist_ok=True)
            os.chdir(folder)
            for name in ("read_rows", "columns"):
                subprocess.run(["cc", "-O2", "-pthread", "-o", name, HERE / (name + ".c")], check=True)
            for case in group():
                if options.only not in case.name:
                    continue
                case.make()
                ok, seconds = measure(case, options)
                failed += not ok
                if ok and group is cases_of_a_huge_table:
                    per_row(case, seconds)
            os.chdir("/")
            if not options.keep:
                shutil.rmtree(folder)
    finally:
        os.chdir("/")
        if not options.keep:
            shutil.rmtree(root)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
