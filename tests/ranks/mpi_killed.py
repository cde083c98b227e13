#!/usr/bin/python3
"""What an MPI job leaves whose ranks are killed or ended while they work, or whose input shrinks: the old file or the
whole new one. A few kills; with TENSOROP_NIGHTLY=1 23.

    /usr/bin/python3 tests/ranks/mpi_killed.py path/to/tensorop [path/to/tensorop-mpi]

Needs mpirun of Open MPI; says so and skips what needs it. The last line is "N passed, N failed".
"""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

import numpy as np

from mpi import RNG, SEED, descendants, finish, leftovers, own_lines, run_parts, wait_until
from support.checker import NIGHTLY, share

KILLS = 15 if NIGHTLY else 4


class Large:
    """A call of some 100 MB, in memory where there is a folder for it."""

    def __init__(self, program, ranks=3):
        self.program, self.ranks = program, ranks
        where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.holder = tempfile.TemporaryDirectory(dir=where)
        self.folder = pathlib.Path(self.holder.name)
        rows = 1 << 20
        np.save(self.folder / "data.npy", RNG.integers(0, 99, (rows, 16), dtype=np.int32))
        np.save(self.folder / "indices.npy", RNG.integers(-rows, rows, (1_600_000, 1)))
        self.result = self.folder / "result.npy"
        self.words = ["gathernd", "data.npy", "indices.npy", "-o", "result.npy"]
        done = program.alone(self.words, self.folder)
        program.check("large: alone", done.status == 0, done.err)
        self.complete = self.folder / "complete.npy"
        self.result.rename(self.complete)
        # How long it takes, and from when on it has a file.
        start = time.monotonic()
        process = program.start(ranks, self.words, self.folder)
        self.wait_for_file(process)
        self.before = time.monotonic() - start
        done = finish(process)
        self.seconds = time.monotonic() - start
        program.check("large: ranks", done.status == 0, done.err)
        program.check("large: bytes", self.is_complete())

    def is_writing(self):
        return any(name.startswith(".tensorop-") for name in os.listdir(self.folder))

    def wait_for_file(self, process):
        wait_until(lambda: self.is_writing() or process.poll() is not None)

    def prepare(self, with_old):
        """The destination is not there, or is an old file: its bytes."""
        self.result.unlink(missing_ok=True)
        if with_old:
            self.result.write_bytes(b"old")
        return b"old" if with_old else None

    def remove_leftovers(self):
        for path in self.folder.glob(".tensorop-*"):
            path.unlink()

    def is_complete(self):
        return (self.result.exists() and self.result.stat().st_size == self.complete.stat().st_size
                and subprocess.run(["cmp", "-s", self.result, self.complete]).returncode == 0)

    def check_end(self, what, done, old):
        """After a call that was ended: the destination is as before, or complete."""
        self.program.check(f"{what}: ends", done.status != "did not end", done.err)
        now = self.result.read_bytes() if self.result.exists() and self.result.stat().st_size < 100 else None
        as_before = now == old if old is not None else not self.result.exists()
        complete = not as_before and self.is_complete()
        self.program.check(f"{what}: destination", complete or (as_before and done.status != 0), (done.status, now))
        return complete


def is_running(pid):
    """Whether one of its threads is: they end one by one, and the last of them closes the files."""
    for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            if stat.read_text().rpartition(")")[2].split()[0] not in "ZX":
                return True
        except OSError:  # it has ended meanwhile
            pass
    return False


def check_killed(program, large):
    """kill -9 of a rank at any moment."""
    rng = random.Random(SEED)
    at_work, left, published = 0, 0, 0
    for number in range(KILLS):
        what = f"kill -9, {number}"
        old = large.prepare(number % 2 == 1)
        process = program.start(large.ranks, large.words, large.folder)
        pids = {}

        def all_started():
            pids.update({pid: name for pid, name in descendants(process.pid).items() if name == "tensorop-mpi"})
            return len(pids) >= large.ranks or process.poll() is not None

        wait_until(all_started)
        if number % 5 != 0:  # most of them into the work
            large.wait_for_file(process)
            time.sleep(rng.uniform(0, (large.seconds - large.before) * 0.6))
        else:
            time.sleep(rng.uniform(0, large.seconds))
        at_work += large.is_writing()
        try:
            os.kill(rng.choice(sorted(pids)), signal.SIGKILL)
        except (ProcessLookupError, IndexError):
            pass
        done = finish(process)
        program.check(f"{what}: ranks end", wait_until(lambda: not any(map(is_running, pids)), 10))
        published += large.check_end(what, done, old)
        if leftovers(large.folder):
            left += 1
            again = program.ranks(2, ["gathernd", "data.npy", "[[1]]", "-o", "result.npy"], large.folder)
            program.check(f"{what}: next run", again.status == 0, again.err)
            large.remove_leftovers()
    program.check("kill -9: some were at work", at_work >= KILLS // 3, at_work)
    print(f"kill -9: {KILLS} times, {at_work} while the result was written; {left} left a file, {published} were late")


def check_terminated(program, large):
    """SIGTERM and SIGINT for mpirun, which passes SIGTERM on: nothing is left."""
    rng = random.Random(SEED)
    for number, name in enumerate(share((signal.SIGTERM, signal.SIGINT, signal.SIGTERM, signal.SIGTERM), 4)):
        what = f"{name.name} for mpirun, {number}"
        old = large.prepare(number % 2 == 1)
        process = program.start(large.ranks, large.words, large.folder, environment={})
        large.wait_for_file(process)
        pids = descendants(process.pid)
        time.sleep(rng.uniform(0, (large.seconds - large.before) * 0.3))
        process.send_signal(name)
        done = finish(process)
        program.check(f"{what}: ranks end", wait_until(lambda: not any(map(is_running, pids)), 10))
        large.check_end(what, done, old)
        program.check(f"{what}: no leftover", not leftovers(large.folder), leftovers(large.folder))
        large.remove_leftovers()


def check_shrinking(program, large):
    """An input that becomes shorter while it is read."""
    data = large.folder / "data.npy"
    kept = large.folder / "kept.npy"
    data.rename(kept)
    for number in range(3 if NIGHTLY else 1):
        what = f"shrinking input, {number}"
        shutil.copy(kept, data)
        large.prepare(False)
        process = program.start(large.ranks, large.words, large.folder)
        large.wait_for_file(process)
        os.truncate(data, 4096)
        done = finish(process)
        complete = large.check_end(what, done, None)
        lines = own_lines(done.err)
        said = any(re.search("became shorter|changed while|cannot", line) for line in lines)
        program.check(f"{what}: message", complete or said, (done.status, done.err[-500:]))
        large.remove_leftovers()  # as after kill -9, where mpirun ended the first rank
    data.unlink()
    kept.rename(data)


if __name__ == "__main__":
    run_parts((check_killed, check_terminated, check_shrinking), lambda program: [Large(program)])
