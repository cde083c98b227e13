"""Processes in a memory cgroup of version 1 or 2. Needs root."""

import itertools
import os
import pathlib

numbers = itertools.count()


def _root():
    """The folder of the memory controller and its version, or None."""
    with open("/proc/self/mounts") as mounts:
        for line in mounts:
            _, folder, kind, options = line.split()[:4]
            if kind == "cgroup" and "memory" in options.split(","):
                return pathlib.Path(folder), 1
            controllers = pathlib.Path(folder, "cgroup.controllers")
            if kind == "cgroup2" and controllers.exists() and "memory" in controllers.read_text().split():
                return pathlib.Path(folder), 2
    return None


def missing():
    """What this machine lacks, or None."""
    root = _root()
    if root is None:
        return "a memory cgroup of version 1 or 2 is needed, and none is mounted"
    try:
        MemoryCgroup(1 << 30).remove()
    except OSError as error:
        return f"root is needed, to make a memory cgroup in {root[0]}: {error.strerror}"
    return None


def most_read_ahead():
    """Bytes that the kernel reads around a page of a mapped file: the most of all disks."""
    sizes = pathlib.Path("/sys/block").glob("*/queue/read_ahead_kb")
    return max((int(size.read_text()) for size in sizes), default=128) << 10


class MemoryCgroup:
    """Limits what enters it, with its page cache, to `limit` bytes; None: no limit, but counted. Without swap."""

    def __init__(self, limit):
        root, self.version = _root()
        self.folder = root / f"tensorop-{os.getpid()}-{next(numbers)}"
        if self.version == 2 and "memory" not in (root / "cgroup.subtree_control").read_text().split():
            (root / "cgroup.subtree_control").write_text("+memory")
        self.folder.mkdir()
        if limit is None:
            return
        if self.version == 1:
            self._set("memory.limit_in_bytes", limit)
            self._set("memory.memsw.limit_in_bytes", limit)
        else:
            self._set("memory.max", limit)
            self._set("memory.swap.max", 0)

    def _set(self, name, value):
        file = self.folder / name
        if file.exists() or "sw" not in name:
            file.write_text(str(value))

    def enter(self):
        """To be called by the process that enters, as preexec_fn."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def peak(self):
        """The most bytes that it had, page cache included; None where the kernel does not count."""
        file = self.folder / ("memory.max_usage_in_bytes" if self.version == 1 else "memory.peak")
        return int(file.read_text()) if file.exists() else None

    def remove(self):
        self.folder.rmdir()
