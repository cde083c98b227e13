#!/usr/bin/python3
"""Holds tensorop-mpi, on the ranks of MPI jobs, to what tensorop does alone: the same files, output, messages and exit
status; and to what it promises where ranks fail or do not see the same files. Only this starts tensorop-mpi, with files that
ranks exchange. A share of the calls and of the parts; with TENSOROP_NIGHTLY=1 all.

    /usr/bin/python3 tests/ranks/mpi.py path/to/tensorop [path/to/tensorop-mpi]

Needs mpirun of Open MPI, and root to mount a small file system; says what is missing and skips what needs it. The last
line is "N passed, N failed".
"""

import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, Checker, drop, share

GIVE_UP = 20  # seconds: a call takes less than one
COUNTS = (1, 3)
CONCURRENT = 4  # a start of mpirun is mostly waiting
# Open MPI as root, with more ranks than cores.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0"}
# After a failure mpirun gives the ranks a second to end; these have ended, or need not be waited for.
AT_ONCE = {"OMPI_MCA_odls_base_sigkill_timeout": "0"}
RNG = np.random.default_rng(SEED)

Result = collections.namedtuple("Result", "status out err")


def own_lines(text):
    """Without those of mpirun."""
    return [line for line in text.splitlines() if line.startswith(("tensorop:", "hint:"))]


def sorted_lines(result):
    """Where they come as jobs end."""
    return result._replace(err="\n".join(sorted(own_lines(result.err))))


def descendants(pid):
    """The processes that it has started, as {pid: name of the program}."""
    parents, names = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = pathlib.Path("/proc", entry, "stat").read_text()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
        if rest[0] != "Z":
            parents[int(entry)], names[int(entry)] = int(rest[1]), name
    found = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return {child: names[child] for child in found if child in names and child != pid}
        found |= more


def end_all(process):
    """A job that hangs, with all its ranks."""
    pids = descendants(process.pid)
    for pid in (process.pid, *pids):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def states(parent):
    """What the process and those it has started wait for."""
    found = []
    for pid in (parent, *descendants(parent)):
        try:
            folder = pathlib.Path(f"/proc/{pid}")
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            found.append((pid, (folder / "comm").read_text().strip(), state, (folder / "wchan").read_text()))
        except OSError:  # it has ended meanwhile
            pass
    return found


def finish(process, stdin=None, seconds=GIVE_UP):
    """Waits for the process; the status is "did not end" where it hangs."""
    try:
        out, err = process.communicate(stdin, timeout=seconds)
        return Result(process.returncode, out, err.decode(errors="replace"))
    except subprocess.TimeoutExpired:
        alive = states(process.pid)
        end_all(process)
        out, err = process.communicate()
        return Result("did not end", out, f"{err.decode(errors='replace')}alive: {alive}")


def tree(folder):
    """What the folder holds, but for links to inputs: the path and the bytes of each file."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or path.is_fifo():
            continue
        found[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else None
    return found


def write_lines(path, lines):
    """A file of jobs or cases."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def leftovers(folder):
    return sorted(str(path) for path in folder.rglob(".tensorop-*"))


def wait_until(condition, seconds=GIVE_UP):
    """Whether it came true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


class Program(Checker):
    def __init__(self, binary, mpi, root):
        super().__init__()
        self.binary, self.mpi, self.root = str(binary), str(mpi), root
        # What Open MPI leaves where a rank is killed.
        self.holder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.places = {f"OMPI_MCA_{name}": self.holder.name for name in ("btl_vader_backing_directory",
                                                                       "orte_tmpdir_base")}
        self.pool = concurrent.futures.ThreadPoolExecutor(CONCURRENT)
        self.numbers = itertools.count()

    def folder(self, name="w"):
        """A new one, with a link to the inputs."""
        folder = self.root / f"{name}{next(self.numbers)}"
        folder.mkdir()
        (folder / "in").symlink_to(self.root / "in")
        return folder

    def start(self, ranks, words, cwd, environment=AT_ONCE, options=(), stdin=subprocess.DEVNULL):
        command = ["mpirun", *options, "-n", str(ranks), self.mpi, *map(str, words)]
        return self.spawn(command, cwd, environment, stdin)

    def spawn(self, command, cwd, environment=AT_ONCE, stdin=subprocess.DEVNULL):
        return subprocess.Popen(command, cwd=cwd, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=os.environ | OPEN_MPI | self.places | environment)

    def alone(self, words, cwd, stdin=None):
        given = subprocess.PIPE if stdin else subprocess.DEVNULL
        return finish(self.spawn([self.binary, *map(str, words)], cwd, stdin=given), stdin)

    def ranks(self, count, words, cwd, stdin=None, options=()):
        given = subprocess.PIPE if stdin else subprocess.DEVNULL
        return finish(self.start(count, words, cwd, options=options, stdin=given), stdin)

    def shell(self, ranks, script, cwd, environment=AT_ONCE):
        """Each rank runs the script, in which $TOOL is the program."""
        command = ["mpirun", "-n", str(ranks), "sh", "-c", script]
        return finish(self.spawn(command, cwd, environment | {"TOOL": self.mpi}))

    def apart(self, words, cwd, count=2, other_words=None):
        """All ranks but the last one run in the folder; that one runs in its folder `other`."""
        script = "cd other && exec " + shlex.join([self.mpi, *map(str, other_words or words)])
        command = ["mpirun", "-n", str(count - 1), self.mpi, *map(str, words), ":", "-n", "1", "sh", "-c", script]
        return finish(self.spawn(command, cwd))

    def map(self, function, items):
        """The results, in order; a few at a time."""
        return list(self.pool.map(function, items))

    def check_same(self, what, wanted, found):
        lines = own_lines(found.err), own_lines(wanted.err)
        self.check(f"{what}: status", found.status == wanted.status, f"{found.status}, not {wanted.status}: {lines[0]}")
        self.check(f"{what}: output", found.out == wanted.out, f"{found.out[:300]!r}, not {wanted.out[:300]!r}")
        self.check(f"{what}: messages", lines[0] == lines[1], f"{lines[0]}, not {lines[1]}")

    def check_tree(self, what, wanted, folder):
        found = tree(folder)
        names = sorted(wanted.keys() ^ found.keys())
        self.check(f"{what}: files", not names, f"only on one side: {names}")
        others = [name for name in wanted.keys() & found.keys() if wanted[name] != found[name]]
        self.check(f"{what}: bytes", not others, others)

    def check_refused(self, what, result, message, folder, status=2):
        """One message, and nothing published."""
        self.check(f"{what}: status", result.status == status, (result.status, own_lines(result.err)))
        lines = [line for line in own_lines(result.err) if line.startswith("tensorop:")]
        ok = len(lines) == 1 and re.search(message, lines[0])
        self.check(f"{what}: message", ok, lines)
        self.check(f"{what}: no output", result.out == b"", result.out[:300])
        self.check(f"{what}: no leftover", not leftovers(folder), leftovers(folder))


# What ranks do together.


def make_inputs(program):
    folder = program.root / "in"
    folder.mkdir()
    data = RNG.standard_normal((13, 7)).astype(np.float32)
    bad = RNG.integers(-13, 13, 11)
    bad[[4, 9]] = 99, -14
    tuples = np.stack([RNG.integers(-13, 13, 9), RNG.integers(-7, 7, 9)], 1).astype(np.int32)
    bad_tuples = tuples.copy()
    bad_tuples[7, 1], bad_tuples[2, 0] = 7, -20
    whole = RNG.integers(-50, 50, (13, 7))
    divisors = whole.copy()
    divisors[whole == 0] = 1
    divisors[[3, 12], [2, 6]] = 0
    arrays = {
        "data": data, "whole": whole, "divisors": divisors, "fortran": np.asfortranarray(data),
        "big": whole.astype(">i2"), "half": data.astype(np.float16), "double": data.astype(np.float64),
        "complex": (data + 1j * data[::-1]).astype(np.complex64), "cond": RNG.random((13, 7)) < 0.5,
        "row": data[0], "column": data[:, :1], "empty": data[:0], "thin": data[:, :0], "scalar": np.float32(2.5),
        "indices": RNG.integers(-13, 13, 11), "none": np.zeros(0, np.int64), "bad": bad, "one": np.int64(-1),
        "tuples": tuples, "notuples": tuples[:0], "badtuples": bad_tuples, "rows": RNG.integers(-13, 13, (6, 1)),
        "slices": RNG.integers(0, 3, (13, 2, 1)), "batched": RNG.standard_normal((13, 3, 5)).astype(np.float32),
        "elements": RNG.integers(-13, 13, (4, 7)), "badelements": np.where(whole % 9 == 0, 13, whole % 13),
        "across": RNG.integers(-7, 7, (13, 3)), "updates": RNG.standard_normal((6, 7)).astype(np.float32),
        "nine": RNG.standard_normal(9).astype(np.float32), "four": RNG.standard_normal((4, 7)).astype(np.float32),
        "mask": RNG.random(13) < 0.4, "shape": np.array([3, 13, 7]), "words": RNG.integers(0, 255, (5, 3), np.uint8),
        "five": RNG.standard_normal((5, 1, 7)).astype(np.float32), "eleven": RNG.standard_normal((11, 3)),
        "distinct": RNG.permutation(13)[:6, None],
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    np.savez(folder / "arrays.npz", data=data, indices=arrays["indices"])
    (folder / "table.csv").write_text("1,2,3\n4,5,6\n7,8,9\n")
    (folder / "untyped.json").write_text("[[1,2.5],[3,4]]")
    (folder / "broken.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'")
    (folder / "short.npy").write_bytes((folder / "data.npy").read_bytes()[:-4])
    (folder / "folder").mkdir()
    for name in ("data.pb", "data.safetensors", "indices.pb"):
        program.alone(["convert", name.partition(".")[0] + ".npy", "-o", name], folder)
    medium = {"table": RNG.integers(-99, 99, (30011, 17)).astype(np.int16), "picks": RNG.integers(-30011, 30011, 70001)}
    medium["targets"] = RNG.integers(-30011, 30011, (50021, 1))
    medium["added"] = RNG.integers(-99, 99, (50021, 17)).astype(np.int16)
    medium["floats"] = RNG.standard_normal((30011, 17)).astype(np.float32)
    medium["places"] = RNG.integers(0, 30011, (40009, 17))
    medium["moved"] = RNG.standard_normal((40009, 17)).astype(np.float32)
    late = medium["picks"].copy()
    late[[60000, 69999]] = 30011, -30012
    medium["late"] = late
    for name, array in medium.items():
        np.save(folder / f"m_{name}.npy", array)


def check_table(program):
    # Words are split at spaces; @ stands for in/NAME.npy.
    lines = pathlib.Path(__file__).with_name("calls.txt").read_text().splitlines()
    calls = [re.sub(r"@(\w+)", r"in/\1.npy", line).split() for line in share(lines, 36)]
    rng = random.Random(SEED)
    # One count each: each has its share, and one rank, which is hardly more than one process, the smallest.
    counts = [1 if i % 12 == 0 else 7 if i % 12 == 6 else rng.choice((2, 3)) for i in range(len(calls))]

    def run(item):
        words, count = item
        folder = program.folder("table")
        if words and words[-1] == "r.npy":  # what a failed call must leave
            (folder / "r.npy").write_bytes(b"old")
        result = program.alone(words, folder) if count == 0 else program.ranks(count, words, folder)
        found = tree(folder)
        shutil.rmtree(folder)
        return result, found

    items = [(words, count) for words, wanted in zip(calls, counts) for count in (0, wanted)]
    wanted = None
    for (words, count), (result, found) in zip(items, program.map(run, items)):
        if count == 0:
            wanted, files = result, found
            continue
        what = f"{' '.join(words)}, {count} ranks"
        program.check_same(what, wanted, result)
        names = [name for name in files.keys() | found.keys() if files.get(name, 0) != found.get(name, 0)]
        program.check(f"{what}: files", not names, names)


def check_destinations(program):
    """What becomes of the file that the destination names."""
    for words in (["add", "in/data.npy", "in/row.npy", "-o", "r.npy"],
                  ["gather", "r.npy", "[3,1]", "-o", "r.npy"]):
        seen = []
        for count in (0, 3):
            folder = program.folder()
            shutil.copy(program.root / "in/data.npy", folder / "real.npy")
            os.chmod(folder / "real.npy", 0o640)
            (folder / "r.npy").symlink_to("real.npy")
            result = program.ranks(count, words, folder) if count else program.alone(words, folder)
            modes = {path.name: oct(path.lstat().st_mode) for path in folder.iterdir()}
            seen.append((result.status, modes, tree(folder)))
        program.check(f"{words[0]}: link, mode", seen[0] == seen[1], seen)
    # A reader of a FIFO takes what comes until the end, once.
    folder = program.folder()
    os.mkfifo(folder / "fifo")
    for name in ("npy", "json", "npy", "json", "npy"):  # again: the reader need not see it
        words = ["add", "in/data.npy", "1", "--format", name]
        wanted = program.alone(words, folder)
        reader = subprocess.Popen(["cat", folder / "fifo"], stdout=subprocess.PIPE)
        result = program.ranks(7, [*words, "-o", "fifo"], folder)
        taken = finish_reader(reader)
        program.check(f"FIFO as destination, {name}: status", result.status == 0, result)
        program.check(f"FIFO as destination, {name}: bytes", taken == wanted.out, len(taken))


def finish_reader(reader):
    try:
        return reader.communicate(timeout=GIVE_UP)[0]
    except subprocess.TimeoutExpired:
        reader.kill()
        return reader.communicate()[0]


def check_streams(program):
    """What only one process can read is refused; one rank reads it."""
    folder = program.folder()
    os.mkfifo(folder / "fifo")
    job = {"op": "add", "a": 1, "b": 1, "output": "made.npy"}
    jobs = (json.dumps(job) + "\n").encode()
    refused = "several|stream|standard input|cannot"
    calls = [(["add", "-", "1", "-o", "r.npy"], b"[1,2]"), (["add", "-", "1"], b"[1,2]"),
             (["add", "-", "1", "--dry-run"], b"[1,2]"), (["add", "fifo", "1", "-o", "r.npy"], None),
             (["add", "1", "fifo"], None), (["add", "fifo", "1", "--dry-run"], None),
             (["expand", "1", "--shape", "fifo", "-o", "r.npy"], None),
             (["gather", "in/data.npy", "--mask", "fifo", "-o", "r.npy"], None),
             (["gather", "in/data.npy", "-", "--spec", "onnx-13", "--onnx-case", "c"], b"[1,2]"),
             (["add", "/dev/stdin", "1", "-o", "r.npy"], b"[1,2]"), (["run", "-"], jobs), (["run", "/dev/stdin"], jobs),
             (["run", "fifo"], None)]

    def run(call):
        # A FIFO that nobody writes: who opens it waits.
        return program.ranks(3, call[0], folder, stdin=call[1])

    for (words, _), result in zip(calls, program.map(run, calls)):
        what = f"stream: {' '.join(words)}"
        if words[-1] == "c" and result.status == 0:
            continue  # the first rank alone writes a case
        program.check(f"{what}: status", result.status == 2, (result.status, own_lines(result.err)))
        text = "\n".join(own_lines(result.err)) + result.out.decode()
        program.check(f"{what}: message", re.search(refused, text), text)
    made = {name for name in tree(folder) if not name.startswith("c")}
    program.check("stream: nothing made", not made, made)

    # One rank, and commands that the first rank alone runs.
    for count, words, stdin in ((1, ["add", "-", "1"], b"[1,2]"), (1, ["run", "-"], jobs), (2, ["info", "-"], b"[1,2]"),
                                (3, ["convert", "-", "-o", "made.npy"], b"[1,2]")):
        folders = program.folder(), program.folder()
        wanted = program.alone(words, folders[0], stdin=stdin)
        found = program.ranks(count, words, folders[1], stdin=stdin)
        program.check_same(f"{' '.join(words)}, {count} ranks", wanted, found)
        program.check_tree(f"{' '.join(words)}, {count} ranks", tree(folders[0]), folders[1])
    process = program.start(1, ["add", "fifo", "1"], folder)
    with open(folder / "fifo", "w") as file:
        file.write("[1,2]")
    result = finish(process)
    program.check("a FIFO, one rank", result.status == 0 and json.loads(result.out)["data"] == [2, 3], result)


def check_descriptors(program):
    """Standard streams that are closed or full, on all ranks or on one."""
    folder = program.folder()
    write_lines(folder / "jobs.jsonl", [
        {"op": "add", "a": "none.npy" if i == 5 else 1, "b": i, "id": str(i)} for i in range(40)])
    calls = ["run jobs.jsonl", "run jobs.jsonl --json", "run jobs.jsonl --junit -", "run jobs.jsonl --list",
             "add in/data.npy 1", "gather in/data.npy in/indices.npy --dry-run", "ops", "--help", "--version",
             "info in/data.npy", "run jobs.jsonl --junit /dev/full", "run nothing.jsonl"]
    scripts = [(call, "exec $TOOL " + call + " > /dev/full") for call in calls]
    scripts += [(call, "exec $TOOL " + call + " >&-") for call in ("add 1 2", "run jobs.jsonl --json", "ops")]
    scripts += [("add 1 2 -o closed.npy", f"exec $TOOL add 1 2 -o closed.npy {closed}") for closed in
                ("<&-", "<&- >&-", "<&- >&- 2>&-", "2>&-")]
    found = program.map(lambda item: program.shell(3, item[1], folder), scripts)
    alone = program.map(
        lambda item: finish(program.spawn(["sh", "-c", item[1]], folder, {"TOOL": program.binary})), scripts)
    for (_, script), result, wanted in zip(scripts, found, alone):
        program.check_same(script, wanted, result)
    (folder / "closed.npy").unlink(missing_ok=True)
    program.check("descriptors: no leftover", not leftovers(folder), leftovers(folder))


# Exchange of rows: operands on a disk, with nothing of them in memory.


def check_exchange(program):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = pathlib.Path(name)
        rows = 300_007
        table = RNG.standard_normal((rows, 32)).astype(np.float32)
        picks = RNG.integers(-rows, rows, 50_000)
        wrong = picks.copy()
        wrong[[20_000, 49_999]] = rows, -rows - 1
        targets = RNG.integers(-rows, rows, (40_000, 1))
        targets[1000:9000] = targets[0]
        updates = RNG.standard_normal((40_000, 32)).astype(np.float32)
        for file, array in (("table", table), ("picks", picks), ("wrong", wrong), ("targets", targets),
                            ("updates", updates)):
            np.save(folder / f"{file}.npy", array)
        scatter = ["scatternd", "table.npy", "targets.npy", "updates.npy"]
        calls = [["gather", "table.npy", "picks.npy"], ["gather", "table.npy", "picks.npy", "--memory", "2M"],
                 ["gather", "table.npy", "wrong.npy"], ["gathernd", "table.npy", "targets.npy"],
                 scatter + ["--reduction", "add"], scatter + ["--reduction", "add", "--memory", "3M"], scatter,
                 scatter[:2] + ["wrong.npy", "updates.npy"]]
        exchanged = 0
        for count, words in zip(itertools.cycle((2, 3, 7)), calls):
            what = f"exchange: {' '.join(words)}, {count} ranks"
            wanted = program.alone(words + ["-o", "alone.npy"], folder)
            for file in ("table", "updates"):
                drop(folder / f"{file}.npy")
            found = program.ranks(count, words + ["-o", "ranks.npy", "--explain-plan"], folder)
            plans = [line for line in own_lines(found.err) if line.startswith("tensorop: plan:")]
            others = [line for line in own_lines(found.err) if not line.startswith("tensorop: plan:")]
            program.check(f"{what}: status", found.status == wanted.status, (found.status, own_lines(found.err)))
            program.check(f"{what}: messages", others == own_lines(wanted.err), others)
            exchanged += any("exchange" in line for line in plans)
            if wanted.status == 0:
                ranks = [line for line in plans if re.match(r"tensorop: plan: rank \d+: reads", line)]
                program.check(f"{what}: a line for each rank", len(ranks) == count, plans)
                same = (folder / "alone.npy").read_bytes() == (folder / "ranks.npy").read_bytes()
                program.check(f"{what}: bytes", same)
            for file in ("alone.npy", "ranks.npy"):
                (folder / file).unlink(missing_ok=True)
            program.check(f"{what}: no leftover", not leftovers(folder), leftovers(folder))
        # A file system in memory has everything in memory.
        if exchanged == 0:
            print("note: no call exchanged rows")


# Faults.


def check_progress(program):
    """One bar, of the first rank; it comes after a second."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(program.root)) as name:
        folder = pathlib.Path(name)
        os.mkfifo(folder / "fifo")
        lines = [{"op": "add", "a": 1, "b": i, "output": f"{i}.npy"} for i in range(3)]
        lines.append({"op": "add", "a": "fifo", "b": 1, "output": "slow.npy"})
        write_lines(folder / "jobs.jsonl", lines)
        process = program.start(3, ["run", "jobs.jsonl", "--progress", "always"], folder, options=["--tag-output"])
        seen = b""
        while b"/4" not in seen and select.select([process.stderr], [], [], 10)[0]:
            piece = os.read(process.stderr.fileno(), 65536)
            seen += piece
            if not piece:
                break
        program.check("progress, run: a bar while jobs run", b"/4" in seen, seen)
        with open(os.open(folder / "fifo", os.O_RDWR), "w") as file:
            file.write("[1]")
            file.flush()
            wait_until(lambda: (folder / "slow.npy").exists() or process.poll() is not None, 5)
        done = finish(process)
        done = done._replace(err=seen.decode() + done.err)
        program.check("progress, run: status", done.status == 0, done)
        ranks = set(re.findall(r"\[1,(\d+)\]<std", done.err))
        program.check("progress, run: one bar", ranks <= {"0"}, repr(done.err))
        # An operator that computes for some time.
        np.save(folder / "row.npy", RNG.random(40_000).astype(np.float16) + 1)
        np.save(folder / "column.npy", RNG.random((1000, 1)).astype(np.float16))
        words = ["pow", "row.npy", "column.npy", "-o", "powers.npy", "--progress", "always", "--threads", "1"]
        done = program.ranks(2, words, folder, options=["--tag-output"])
        program.check("progress, pow: status", done.status == 0, done.err[-500:])
        ranks = set(re.findall(r"\[1,(\d+)\]<std", done.err))
        program.check("progress, pow: one bar", ranks == {"0"}, repr(done.err[-500:]))
        shares = [int(share) for share in re.findall(r"(\d+)%", done.err)]
        program.check("progress, pow: one total", shares == sorted(shares), shares)


def check_full_disk(program):
    folder = program.folder("full")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder], capture_output=True, text=True)
    if mounted.returncode != 0:
        program.skip(f"a full disk: cannot mount: {mounted.stderr.strip()}")
        return
    try:
        large = program.root / "in" / "large.npy"
        np.save(large, RNG.integers(1 << 30, (1 << 31) - 1, (70_000, 16), dtype=np.int32))
        np.save(program.root / "in/order.npy", RNG.permutation(70_000))
        (folder / "old.npy").write_bytes(b"old")
        (folder / "old.csv").write_bytes(b"old")
        inputs = program.root / "in"
        write_lines(program.root / "full.jsonl", [
            {"op": "add", "a": str(large), "b": i, "output": str(folder / f"{i}.npy")} for i in range(4)])
        write_lines(program.root / "many.jsonl", [
            {"op": "add", "a": 1, "b": 1, "id": f"{i}", "name": f"{i}" * 9000} for i in range(300)])
        gather = ["gather", inputs / "large.npy", inputs / "order.npy"]
        scatter = ["scatternd", inputs / "large.npy", "[[3],[5]]", "[[1],[2]]", "--reshape", "updates=2,1"]
        calls = [gather + ["-o", "r.npy"], gather + ["-o", "old.npy"], gather + ["-o", "r.csv"],
                 gather + ["-o", "old.csv"], gather + ["-o", "r.safetensors"], gather + ["-o", "r.pb"],
                 gather + ["-o", "r.npz"],
                 gather + ["-o", "r.npy", "--fsync"], gather + ["-o", program.root / "outside.npy", "--spec", "onnx-13",
                                                               "--onnx-case", folder / "case"],
                 scatter + ["-o", "r.npy"], ["expand", "1", "--shape", "3,400000", "-o", "r.npy"],
                 gather + ["--spec", "onnx-13", "--onnx-case", "case"],
                 ["run", program.root / "many.jsonl", "--junit", "report.xml"],
                 ["run", program.root / "full.jsonl"]]
        for count, words in zip(itertools.cycle((3, 2, 7)), calls):
            what = f"full disk: {' '.join(map(str, words))}, {count} ranks"
            wanted = program.alone(words, folder)
            before = tree(folder)
            for path in folder.glob("?.npy"):
                path.unlink()
            found = program.ranks(count, words, folder)
            if words[-1] == program.root / "full.jsonl":  # which of them find room is not said
                program.check(f"{what}: status", found.status == 2, found)
                made = [path for path in folder.glob("?.npy") if path.stat().st_size != large.stat().st_size * 2]
                program.check(f"{what}: no partial file", not made or all(
                    np.load(path).shape == (70_000, 16) for path in made), made)
            else:
                program.check_same(what, wanted, found)
                program.check_tree(what, before, folder)
            program.check(f"{what}: no leftover", not leftovers(folder), leftovers(folder))
            for path in folder.glob("?.npy"):
                path.unlink()
    finally:
        subprocess.run(["umount", folder], check=False)


def check_apart(program):
    """Ranks that see different files of the same names."""
    folder = program.folder("apart")
    other = folder / "other"
    other.mkdir()
    data = np.arange(12.0).reshape(4, 3)
    for where in (folder, other):
        np.save(where / "same.npy", data)
        (where / "broken").mkdir()
        (where / "broken" / "x").write_text("")
    shutil.copystat(folder / "same.npy", other / "same.npy")
    for name, here, there in (("missing", data, None), ("values", data, data + 1), ("shape", data, data[:3]),
                              ("dtype", data, data.astype(np.float32)), ("malformed", data, None),
                              ("folder", data, None), ("fortran", np.asfortranarray(data), np.asfortranarray(data + 1))):
        np.save(folder / f"{name}.npy", here)
        if there is not None:
            np.save(other / f"{name}.npy", there)
    (other / "malformed.npy").write_bytes(b"\x93NUMPY")
    (other / "folder.npy").mkdir()
    for name, here, there in (("text", "[[1,2,3]]", "[[1,2,4]]"), ("target", "[4,3]", "[2,4,3]"),
                              ("indices", "[1,2]", "[1,7]")):
        (folder / f"{name}.json").write_text(here)
        (other / f"{name}.json").write_text(there)
    np.savez(folder / "zip.npz", x=data)
    np.savez(other / "zip.npz", x=data + 1)
    differ = "do not see the same"
    out = str(folder / "result.npy")
    calls = [(["add", "same.npy", "missing.npy"], r"missing\.npy: cannot open"),
             (["add", "same.npy", "values.npy"], differ),
             (["add", "same.npy", "shape.npy"], differ + "|shape|broadcast"),
             (["add", "same.npy", "dtype.npy"], differ + "|float"), (["add", "same.npy", "malformed.npy"], "malformed"),
             (["add", "same.npy", "folder.npy"], r"folder\.npy"), (["add", "same.npy", "fortran.npy"], differ),
             (["add", "same.npy", "text.json"], differ), (["gather", "same.npy", "indices.json"], differ + "|range"),
             (["expand", "same.npy", "--shape", "target.json"], differ), (["add", "same.npy", "zip.npz"], differ)]
    calls = [(words + ["-o", out], message) for words, message in calls]
    calls += [(["add", "same.npy", "missing.npy"], r"missing\.npy: cannot open"),
              (["add", "same.npy", "values.npy"], differ),
              (["add", "same.npy", "missing.npy", "--dry-run"], r"missing\.npy: cannot open"),
              (["add", "same.npy", "shape.npy", "--dry-run"], differ + "|shape|broadcast"),
              (["add", "same.npy", "same.npy", "-o", "here.npy"], r"here\.npy"),
              (["add", "same.npy", "missing.npy", "-o", str(folder / "result.csv")], r"missing\.npy: cannot open"),
              (["add", "same.npy", "text.json", "-o", str(folder / "result.csv")], differ)]
    results = program.map(lambda call: program.apart(call[0], folder, 3 if len(call[0]) % 2 else 2), calls)
    for (words, message), result in zip(calls, results):
        program.check_refused(f"apart: {' '.join(words)}", result, message, folder)
    made = [path.name for path in folder.iterdir() if path.name.startswith(("result", "here"))]
    program.check("apart: nothing published", not made, made)

    # The same bytes with the same time under two names are the same file.
    result = program.apart(["add", "same.npy", "1", "-o", out], folder)
    program.check("apart: a copy", result.status == 0 and np.array_equal(np.load(out), data + 1), result.err)

    # Operands on the command line that differ: no sense in it, but an end. The environment of a machine may differ.
    result = program.apart(["add", "1", "2", "-o", out], folder, 2, ["add", "1", "[2,3]", "-o", out])
    program.check("apart: other operands", result.status == 2, result)
    script = '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && export TENSOROP_MEMORY=much; exec $TOOL '
    for words in ("add same.npy 1 -o memory.npy", "run jobs.jsonl"):
        (folder / "jobs.jsonl").write_text('{"op":"add","a":1,"b":1,"output":"memory.npy"}\n')
        result = program.shell(2, script + words, folder)
        program.check(f"TENSOROP_MEMORY of one rank, {words}: status", result.status == 2, result)
        program.check(f"TENSOROP_MEMORY of one rank, {words}: nothing made", not (folder / "memory.npy").exists())
        (folder / "memory.npy").unlink(missing_ok=True)


def check_apart_batches(program):
    """Job files that differ between ranks."""
    folder = program.folder("batches")
    other = folder / "other"
    other.mkdir()
    few = [{"op": "add", "a": 1, "b": i, "output": str(folder / f"{i}.npy")} for i in range(2)]
    many = few + [{"op": "add", "a": 1, "b": i, "output": str(folder / f"{i}.npy")} for i in range(2, 6)]
    for name, here, there in (("more", few, many), ("less", many, few)):
        write_lines(folder / f"{name}.jsonl", here)
        write_lines(other / f"{name}.jsonl", there)
    write_lines(folder / "norun.jsonl", few)
    calls = [["run", "more.jsonl"], ["run", "less.jsonl"], ["run", "norun.jsonl"]]
    for words, result in zip(calls, program.map(lambda words: program.apart(words, folder), calls)):
        what = f"apart: {' '.join(words)}"
        program.check(f"{what}: status", result.status == 2, (result.status, result.err[-700:]))
        said = own_lines(result.err) or re.search(rb"cannot|the same", result.out)
        program.check(f"{what}: message", said, (result.out[:300], result.err[-300:]))
    program.check("apart, batches: no leftover", not leftovers(folder), leftovers(folder))


# Batches.


def check_refusals(program):
    """Calls that are refused on several ranks."""
    folder = program.folder("refused")
    write_lines(folder / "cases.jsonl", [{"op": "add", "a": 1, "b": 1, "expect": 2, "output": "r.npy"}])
    for words, message in ((["check", "cases.jsonl"], "cases are for one process"),
                           (["run", "cases.jsonl", "--missing"], "--missing is for one process")):
        program.check_refused(" ".join(words), program.ranks(2, words, folder), message, folder)


def job_lines():
    """Jobs that use results by id and by file; some of them fail."""
    rng = random.Random(SEED)
    lines = []
    for i in range(60):
        operands = []
        for _ in range(2):
            choice = rng.random()
            if lines and choice < 0.35:
                operands.append(f"@{rng.randrange(len(lines))}")
            elif lines and choice < 0.7:
                operands.append(f"{rng.randrange(len(lines))}.npy")
            else:
                operands.append({"dtype": "int64", "data": [rng.randrange(1 << 40) for _ in range(3)]})
        line = {"op": rng.choice(("add", "sub", "mul", "max")), "operands": operands, "id": str(i),
                "output": f"{i}.npy"}
        if i in (17, 41):  # what needs these is skipped
            line = {"op": "gather", "data": [1, 2], "indices": [5], "id": str(i), "output": f"{i}.npy"}
        if i == 30:
            line = {"op": "add", "a": "missing.npy", "b": 1, "id": str(i), "output": f"{i}.npy"}
        lines.append(line)
    lines.append({"op": "scatter", "spec": "onnx-11", "data": [1, 2], "indices": [0, 0], "updates": [8, 9],
                  "output": "warned.json"})
    lines.append({"op": "gather", "data": ["a", "b"], "indices": [1], "output": "sub.json"})
    lines.append({"op": "add", "a": "warned.json", "b": 1, "output": "last.csv"})
    lines.append({"op": "add", "a": 1, "b": 1, "output": "nowhere/x.npy"})
    return lines


def check_runs(program):
    files = {"graph": job_lines(), "none": [],
             "chain": [{"op": "add", "a": f"{i}.npy" if i else 1, "b": 1, "output": f"{i + 1}.npy"} for i in range(9)],
             "failing": [{"op": "add", "a": f"{i}.npy" if i else 1, "b": 1 if i != 5 else "missing.npy",
                          "output": f"{i + 1}.npy"} for i in range(9)],
             "same": [{"op": "add", "a": 1, "b": i, "output": "one.npy"} for i in range(3)],
             "ids": [{"op": "add", "a": 1, "b": i, "id": f"{i}"} for i in range(3)] +
                    [{"op": "max", "operands": ["@0", "@1", "@2"], "output": "most.npy"}],
             "unknown": [{"op": "add", "a": "@later", "b": 1, "output": "x.npy"}],
             "bad": [{"op": "add", "a": 1, "b": 1, "output": "x.npy"}, {"op": "nothing"}],
             "cases": [{"op": "gather", "spec": "onnx-13", "data": [i, i + 1], "indices": [i % 4], "name": f"n{i}"}
                       for i in range(6)],
             "plans": [{"op": "gather", "data": "in/wide.npy", "indices": "in/few.npy", "output": f"{i}.npy"}
                       for i in range(3)]}
    with open(program.root / "in/wide.npy", "wb") as file:
        np.save(file, np.zeros((1 << 20, 9), np.float32))
        file.flush()
        os.fsync(file.fileno())  # a page that is being written to the disk does not count as in memory
    np.save(program.root / "in/few.npy", RNG.integers(0, 1 << 20, 2000))
    calls = [("graph", [], COUNTS), ("graph", ["-q", "--threads", "2"], (3,)), ("none", [], (2,)),
             ("chain", [], (2, 3)),
             ("failing", [], (2, 3)), ("failing", ["--fail-fast"], COUNTS), ("graph", ["--fail-fast"], (2, 3, 7)),
             ("same", [], (2, 3)), ("ids", [], (1, 3)), ("unknown", [], (2,)), ("bad", [], (2,)),
             ("cases", ["--onnx-case", "made"], (1, 2, 7)), ("cases", ["--onnx-case", "made", "--fail-fast"], (2,)),
             ("chain", ["--fsync", "--jobs", "1"], (3,)), ("plans", ["--explain-plan"], (1, 3))]

    def run(item):
        name, options, count = item
        folder = program.folder("run")
        write_lines(folder / "jobs.jsonl", files[name])
        words = ["run", "jobs.jsonl", *options]
        result = program.ranks(count, words, folder) if count else program.alone(words, folder)
        return result, tree(folder)

    items = [(name, options, count) for name, options, counts in share(calls, 2) for count in (0, *counts)]
    for (name, options, count), (result, found) in zip(items, program.map(run, items)):
        if count == 0:
            wanted, made = result, found
            continue
        what = f"run {name} {' '.join(options)}, {count} ranks"
        if "--explain-plan" in options:  # as jobs end
            result, wanted = sorted_lines(result), sorted_lines(wanted)
        program.check_same(what, wanted, result)
        if "--fail-fast" in options:
            # Jobs that were running when one failed may have ended: not the jobs before it.
            lost = [file for file in made if file not in found and name != "graph"]
            other = [file for file in made.keys() & found.keys() if made[file] != found[file]]
            program.check(f"{what}: files", not lost and not other, (lost, other))
        else:
            names = [file for file in made.keys() | found.keys() if made.get(file, 0) != found.get(file, 0)]
            program.check(f"{what}: files", not names, names)
        program.check(f"{what}: no leftover", not any(".tensorop-" in file for file in found), sorted(found))


def check_file_limit(program):
    """One rank that may not write so much."""
    folder = program.folder("limit")
    script = "ulimit -f 20000; exec $TOOL expand 7 --shape 3000000 -o r.npy"
    result = program.shell(2, script, folder)
    program.check_refused("file limit, all ranks", result, "r\\.npy: cannot (reserve|write)", folder)
    script = '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && ulimit -f 8000; exec $TOOL expand 7 --shape 2000000 -o r.npy'
    result = program.shell(2, script, folder)
    program.check("file limit, rank 1: ends", result.status != "did not end", result)
    made = (folder / "r.npy").exists()
    program.check("file limit, rank 1: nothing published unless done", made == (result.status == 0), result)
    program.check("file limit, rank 1: no leftover", not leftovers(folder), leftovers(folder))


def check_concurrent(program):
    """Several calls with one destination: none disturbs another."""
    folder = program.folder("concurrent")
    np.save(folder / "data.npy", np.arange(1_000_000))
    for _ in range(3):
        processes = [program.start(count, ["add", "data.npy", "1", "-o", "r.npy"], folder) for count in (2, 3)]
        processes.append(program.spawn([program.binary, "add", "data.npy", "1", "-o", "r.npy"], folder))
        results = [finish(process) for process in processes]
        program.check("concurrent: status", all(result.status == 0 for result in results), results)
        program.check("concurrent: result", np.array_equal(np.load(folder / "r.npy"), np.arange(1, 1_000_001)))
        program.check("concurrent: no leftover", not leftovers(folder), leftovers(folder))


def check_singleton(program):
    """Without mpirun it is the only rank."""
    for words, stdin in (("gather in/data.npy in/indices.npy -o r.npy", None), ("add - 1 --format npy", b"[1,2]"),
                         ("gather in/data.npy in/bad.npy -o r.npy", None)):
        folders = program.folder(), program.folder()
        wanted = program.alone(words.split(), folders[0], stdin=stdin)
        process = program.spawn([program.mpi, *words.split()], folders[1], stdin=subprocess.PIPE if stdin else None)
        program.check_same(f"without mpirun: {words}", wanted, finish(process, stdin))
        program.check_tree(f"without mpirun: {words}", tree(folders[0]), folders[1])


def run_parts(checks, prepare):
    """Runs each check with the programs and what `prepare` makes of them, and exits with the counts."""
    if len(sys.argv) not in (2, 3):
        sys.exit(f"usage: {sys.argv[0]} path/to/tensorop [path/to/tensorop-mpi]")
    binary = pathlib.Path(sys.argv[1]).resolve()
    mpi = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else binary.parents[1] / "tensorop-mpi" / "tensorop-mpi"
    mpi = mpi.resolve()
    if shutil.which("mpirun") is None or not mpi.exists():
        lacking = "no mpirun (package openmpi-bin)" if mpi.exists() else f"no {mpi}"
        checker = Checker()
        checker.skip(lacking)
        checker.exit()
    with tempfile.TemporaryDirectory() as directory:
        program = Program(binary, mpi, pathlib.Path(directory))
        prepared = prepare(program) or []
        for check in checks:
            name = check.__name__.removeprefix("check_")
            start = time.monotonic()
            failed = program.failed
            try:
                check(program, *prepared)
            except Exception as error:  # the other parts go on
                program.check(name, False, repr(error))
            print(f"{name}: {time.monotonic() - start:.1f} s, {program.failed - failed} failed", flush=True)
    program.exit()


if __name__ == "__main__":
    run_parts((check_table, *share((check_destinations, check_streams, check_descriptors, check_exchange, check_refusals,
                                    check_runs, check_apart, check_apart_batches, check_full_disk, check_file_limit,
                                    check_concurrent, check_singleton, check_progress), 13)), make_inputs)
