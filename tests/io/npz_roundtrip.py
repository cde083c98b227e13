#!/usr/bin/python3
"""Holds tensorop's archives to NumPy's and to Python's zipfile, both ways.

    /usr/bin/python3 tests/io/npz_roundtrip.py path/to/tensorop [--large]

What numpy.savez and zipfile write, tensorop reads: every dtype, stored and deflated, both byte orders, both memory
orders, 64-bit sizes. What tensorop writes, numpy.load and zipfile read, and each member is byte for byte what
numpy.save writes; so do unzip and 7z where the machine has them. With --large, also arrays of more than 4 GiB (12 GB on disk, two minutes). The last line is "N passed, N failed".
"""

import io
import os
import pathlib
import random
import shutil
import struct
import sys
import zipfile
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import checker as harness
from support.checker import Checker, run, run_checks

ARRAYS = {
    "bool": np.array([[True, False], [False, True]]),
    "int8": np.arange(-3, 3, dtype="i1"),
    "int16": np.arange(12, dtype="i2").reshape(3, 4),
    "int32": np.array(7, dtype="i4"),
    "int64": np.arange(-5, 5),
    "uint8": np.zeros((0, 3), dtype="u1"),
    "uint16": np.arange(6, dtype="u2").reshape(1, 2, 3),
    "uint32": np.array([2**32 - 1], dtype="u4"),
    "uint64": np.array([2**64 - 1], dtype="u8"),
    "float16": np.array([0.5, -0.0, np.inf], dtype="f2"),
    "float32": np.linspace(0, 1, 1000, dtype="f4").reshape(10, 100),
    "float64": np.array([np.nan, 1e300]),
    "complex64": np.array([1 + 2j], dtype="c8"),
    "complex128": np.array([[1j, 2]], dtype="c16"),
    "string": np.array(["a", "", "naïve \U0001f600"]),
    "large": (np.arange(400_000) * 2654435761 % 1000003).reshape(400, 1000),
}

checker = Checker()


def npy(array):
    """What numpy.save writes of the array in C order and little-endian."""
    array = np.asarray(array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return harness.npy(np.array(array, order="C"))


def convert(binary, operand, cwd, *options):
    """The operand as NPY bytes, or None with a line where it is refused."""
    done = run(binary, "convert", operand, "--format", "npy", *options, cwd=cwd)
    if done.returncode == 0 and not done.stderr:
        return done.stdout
    print(done.stderr.decode())
    return None


def zip64_member(archive, name, data, method):
    """A member whose own header has 64-bit sizes."""
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    with archive.open(info, "w", force_zip64=True) as member:
        member.write(data)


class Unseekable(io.RawIOBase):
    """Where zipfile cannot go back: it writes sizes after the data."""

    def __init__(self):
        super().__init__()
        self.bytes = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.bytes += data
        return len(data)


def archives_of_python(folder):
    """Name of the file, and what each array in it is."""
    np.savez(folder / "stored.npz", **ARRAYS)
    yield "stored.npz", ARRAYS
    np.savez_compressed(folder / "deflated.npz", **ARRAYS)
    yield "deflated.npz", ARRAYS
    others = {}
    for name, array in ARRAYS.items():
        others[f"F {name}"] = np.asfortranarray(array)
        others[f"big {name}"] = array.astype(array.dtype.newbyteorder(">"))
    np.savez(folder / "orders.npz", **others)
    yield "orders.npz", others
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        path = f"zip64_{method}.npz"
        with zipfile.ZipFile(folder / path, "w") as archive:
            for name, array in ARRAYS.items():
                zip64_member(archive, f"{name}.npy", npy(array), method)
            archive.comment = b"a comment, PK\5\6 in it and all that may stand there: 0123456789"
        yield path, ARRAYS
        stream = Unseekable()
        with zipfile.ZipFile(stream, "w", method) as archive:
            for name, array in ARRAYS.items():
                archive.writestr(f"{name}.npy", npy(array))
        path = f"streamed_{method}.npz"
        (folder / path).write_bytes(stream.bytes)
        yield path, ARRAYS
    # Told that zip counts no further than this, zipfile puts all sizes and places beyond in 64 bits.
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 100
    np.savez(folder / "zip64_directory.npz", **ARRAYS)
    np.savez_compressed(folder / "zip64_deflated.npz", **ARRAYS)
    zipfile.ZIP64_LIMIT = limit
    yield "zip64_directory.npz", ARRAYS
    yield "zip64_deflated.npz", ARRAYS
    names = {"naïve": ARRAYS["int8"], "a:b=c": ARRAYS["int16"], "dir/x": ARRAYS["int32"], " ": ARRAYS["int64"]}
    np.savez(folder / "names.npz", **names)
    yield "names.npz", names


def check_reading(binary, folder):
    for path, arrays in archives_of_python(folder):
        for name, array in harness.share(list(arrays.items()), 4):
            member = f"{path}:{name}"
            checker.check(member, convert(binary, member, folder) == npy(array))
            in_pieces = convert(binary, member, folder, "--memory", "1")
            checker.check(f"{member} through a temporary file", in_pieces == npy(array))
        info = run(binary, "info", path, cwd=folder)
        checker.check(f"info {path}", info.returncode == 0 and len(info.stdout.splitlines()) == len(arrays))


def zip_of(name, data, packed, extra):
    """An archive of one member that is deflated already, with an extra field in the directory alone."""
    sizes = struct.pack("<HHLLLHH", 0, 0x21, zlib.crc32(data), len(packed), len(data), len(name), len(extra))
    without = sizes[:-2] + b"\0\0"
    front = b"PK\3\4" + struct.pack("<HHH", 20, 0, 8) + without + name + packed
    entry = b"PK\1\2" + struct.pack("<HHHH", 20, 20, 0, 8) + sizes + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + name + extra
    return front + entry + b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(entry), len(front), 0)


def deflated_in_blocks(data, size, flush):
    """The deflate stream, and where its blocks end."""
    deflater = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = b""
    ends = []
    for first in range(0, len(data), size):
        packed += deflater.compress(data[first:first + size])
        packed += deflater.flush(flush if first + size < len(data) else zlib.Z_FINISH)
        ends.append(len(packed))
    return packed, ends


def check_block_index(binary, folder):
    """Archives of tensorop 0.2 and 0.3 have an extra field with the sizes of the blocks, which means nothing now."""
    block = 1 << 20
    rows = np.arange(16_000, dtype="i8")  # their repetitions reach from one block into the next
    data = npy(np.tile(rows, 40))
    packed, ends = deflated_in_blocks(data, block, zlib.Z_SYNC_FLUSH)
    sizes = [end - begin for begin, end in zip([0, *ends], ends)]
    for called, by in (("true", 0), ("wrong", 7)):
        content = struct.pack(f"<{1 + len(sizes)}L", block, sizes[0] + by, *sizes[1:])
        extra = struct.pack("<HHLHH", 1234, 4, 99, 0x6F74, len(content)) + content
        (folder / "blocks.npz").write_bytes(zip_of(b"x.npy", data, packed, extra))
        with zipfile.ZipFile(folder / "blocks.npz") as archive:
            checker.check(f"{called}: zipfile reads it", archive.read("x.npy") == data)
        for threads in ("1", "2"):
            read = convert(binary, "blocks.npz:x", folder, "--threads", threads)
            checker.check(f"{called} index: {threads} threads", read == data)


def check_names(binary, folder):
    """Bytes of a name that no flag says to be UTF-8 are CP437, and find the member too."""
    data = npy(ARRAYS["int16"])
    for first in range(128, 256, 16):
        stored = bytes(range(first, first + 16))
        (folder / "names.npz").write_bytes(zip_of(stored + b".npy", data, zlib.compress(data, wbits=-15), b""))
        (name,) = np.load(folder / "names.npz").files
        checker.check(f"names.npz:{name}", convert(binary, f"names.npz:{name}", folder) == data)
        checker.check(f"names.npz:{stored}", convert(binary, b"names.npz:" + stored, folder) == data)


def check_members(binary, folder):
    """What begins as an NPY file is an array, as in NumPy; a warning names the other members."""
    kept = {"x": npy(ARRAYS["int8"]), "stored": npy(ARRAYS["int16"]), "dir/deflated": npy(ARRAYS["int32"])}
    with zipfile.ZipFile(folder / "members.npz", "w") as archive:
        archive.writestr("x.npy", kept["x"])
        archive.writestr("stored", kept["stored"])
        archive.writestr("dir/deflated", kept["dir/deflated"], zipfile.ZIP_DEFLATED)
        archive.writestr("readme.txt", b"hello", zipfile.ZIP_DEFLATED)
        archive.writestr("empty", b"")
        archive.writestr("bzip2", b"hello", zipfile.ZIP_BZIP2)
    loaded = np.load(folder / "members.npz")
    arrays = [name for name in loaded.files if isinstance(loaded[name], np.ndarray)]
    checker.check("members.npz: what NumPy says", arrays == list(kept))
    said = b"tensorop: warning: %s: members that cannot be read as arrays are left out: readme.txt, empty, bzip2\n"
    done = run(binary, "convert", "members.npz", "-o", "again.npz", cwd=folder)
    checker.check("members.npz: convert", done.returncode == 0 and not done.stderr, done.stderr)
    again = np.load(folder / "again.npz")
    checker.check("again.npz: all members stay", again.files == loaded.files, again.files)
    for name, data in kept.items():
        checker.check(f"members.npz:{name}", convert(binary, f"members.npz:{name}", folder) == data)
        checker.check(f"again.npz:{name}", npy(again[name]) == data)
    for command in (["info", "members.npz"], ["compare", "members.npz", "again.npz"]):
        done = run(binary, *command, cwd=folder)
        warnings = b"".join(said % file.encode() for file in command[1:])
        checker.check(f"{command}", done.returncode == 0 and done.stderr == warnings, done.stderr)


def check_many_members(binary, folder):
    """More members than 16 bits count."""
    with zipfile.ZipFile(folder / "many.npz", "w") as archive:
        for i in range(66_000):
            archive.writestr(f"{i}.npy", npy(np.int32(i)) if i % 11_000 == 0 else b"")
    checker.check("many.npz:55000", convert(binary, "many.npz:55000", folder) == npy(np.int32(55_000)))
    once = run(binary, "info", "many.npz:0", cwd=folder)
    checker.check("info many.npz:0", once.returncode == 0)


def check_large(binary, folder):
    """More bytes than 32 bits count; the disk holds only the bytes that are not zero."""
    elements = (2**32 + 64) // 8
    path = folder / "large.npy"
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<i8", "fortran_order": False, "shape": (elements,)})
    with open(path, "wb") as out:
        out.write(head.getvalue())
        out.truncate(len(head.getvalue()) + 8 * elements)
        out.seek(-8, os.SEEK_END)
        out.write(np.int64(77).tobytes())
    small = npy(ARRAYS["int16"])
    with zipfile.ZipFile(folder / "python.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.write(path, "large.npy")
        archive.writestr("small.npy", small)
    (folder / "small.npy").write_bytes(small)
    for made in ("stored", "deflated"):
        flag = ["--compress"] if made == "deflated" else []
        done = run(binary, "convert", "large.npy", "small.npy", "-o", f"{made}.npz", *flag, cwd=folder)
        checker.check(f"convert large.npy -o {made}.npz", done.returncode == 0)
        with zipfile.ZipFile(folder / f"{made}.npz") as archive:
            checker.check(f"{made}.npz: zipfile reads it", archive.read("small.npy") == small)
            checker.check(f"{made}.npz: its size", archive.getinfo("large.npy").file_size == path.stat().st_size)
    for made in ("python", "stored", "deflated"):
        checker.check(f"{made}.npz:small", convert(binary, f"{made}.npz:small", folder) == small)
        last = run(binary, "gather", f"{made}.npz:large", "-1", "--format", "nested", cwd=folder)
        checker.check(f"{made}.npz:large", last.stdout == b"77\n")


def check_written(what, data, arrays, method):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        checker.check(f"{what}: testzip", archive.testzip() is None)
        checker.check(f"{what}: order", archive.namelist() == [f"{name}.npy" for name in arrays])
        for info, (name, array) in zip(archive.infolist(), arrays.items()):
            checker.check(f"{what}: {name} bytes", archive.read(info) == npy(array))
            checker.check(f"{what}: {name} method", info.compress_type == method)
            checker.check(f"{what}: {name} date", info.date_time == (1980, 1, 1, 0, 0, 0))
            checker.check(f"{what}: {name} host", (info.create_system, info.external_attr) == (0, 0))
    loaded = np.load(io.BytesIO(data))
    for name, array in arrays.items():
        checker.check(f"{what}: numpy.load {name}", npy(loaded[name]) == npy(array))


def check_writing(binary, folder):
    for name, array in ARRAYS.items():
        np.save(folder / f"{name}.npy", np.array(array, order="F"))
    np.save(folder / "eins.npy", ARRAYS["int8"])
    arrays = dict(ARRAYS)
    arrays["naïve"] = ARRAYS["int8"]
    operands = [f"{name}.npy" for name in ARRAYS] + ["naïve=eins.npy"]
    for method, flags in ((zipfile.ZIP_STORED, []), (zipfile.ZIP_DEFLATED, ["--compress"])):
        made = []
        for again in ("1", "2"):
            done = run(binary, "convert", *operands, "-o", f"out{again}.npz", *flags, "--threads", again, cwd=folder)
            checker.check(f"convert {method} to a file", done.returncode == 0 and not done.stderr)
            made.append((folder / f"out{again}.npz").read_bytes())
        checker.check(f"the same bytes again, {method}", made[0] == made[1])
        check_written(f"file {method}", made[0], arrays, method)
        for tester in (["unzip", "-t", "-qq"], ["7z", "t"]):
            if shutil.which(tester[0]):
                done = run(*tester, "out1.npz", cwd=folder)
                # 1: a warning, of unzip 6 about a name in UTF-8 before an extra field.
                checker.check(f"{tester[0]} tests the file, {method}", done.returncode <= 1)
        done = run(binary, "convert", *operands, "--format", "npz", *flags, cwd=folder)
        checker.check(f"convert {method} to a pipe", done.returncode == 0 and not done.stderr)
        check_written(f"pipe {method}", done.stdout, arrays, method)
        (folder / "piped.npz").write_bytes(done.stdout)
        for name, array in arrays.items():
            checker.check(f"piped.npz:{name}", convert(binary, f"piped.npz:{name}", folder) == npy(array))


def check_changes(binary, folder):
    """One array is replaced or added; all other members stay."""
    path = folder / "c.npz"
    draw = random.Random(5)
    for number in range(80 if harness.NIGHTLY else 25):
        members = {}
        with zipfile.ZipFile(path, "w") as archive:
            archive.comment = comment = draw.choice([b"", b"of the archive"])
            for name in draw.sample("abcdefä", draw.randrange(1, 7)):
                members[name] = draw.randbytes(draw.randrange(200)) if draw.random() < 0.2 else npy(np.arange(draw.randrange(50)))
                info = zipfile.ZipInfo(f"{name}.npy", date_time=(1999, 1, 2, 3, 4, 6))
                info.comment = draw.choice([b"", b"text"])
                info.compress_type = draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
                info.external_attr = 0o640 << 16
                with archive.open(info, "w", force_zip64=draw.random() < 0.3) as out:
                    out.write(members[name])
        before = {info.filename: info for info in zipfile.ZipFile(path).infolist()}
        name = draw.choice("abcdefäg")
        new = np.arange(draw.randrange(9), dtype=draw.choice(["i2", "f8"]))
        np.save(folder / "new.npy", new)
        done = run(binary, "convert", "new.npy", "-q", "-o", f"c.npz:{name}", cwd=folder)
        changed = members | {name: npy(new)}
        what = f"change {number}: {name} of {sorted(members)}"
        checker.check(what, done.returncode == 0, done.stderr)
        with zipfile.ZipFile(path) as archive:
            checker.check(f"{what}: all bytes", archive.testzip() is None)
            checker.check(f"{what}: comment", archive.comment == comment, archive.comment)
            checker.check(f"{what}: order", archive.namelist() == [f"{n}.npy" for n in changed], archive.namelist())
            found = {info.filename[:-4]: archive.read(info) for info in archive.infolist()}
            checker.check(f"{what}: members", found == changed)
            for info in archive.infolist():
                old = before.get(info.filename)
                if old is None or info.filename == f"{name}.npy":
                    continue
                same = all(getattr(old, key) == getattr(info, key) for key in ("date_time", "comment", "external_attr", "compress_type", "CRC", "compress_size"))
                checker.check(f"{what}: {info.filename}", same)
        if all(data.startswith(b"\x93NUMPY") for data in changed.values()):
            checker.check(f"{what}: NumPy", all(np.array_equal(np.load(path)[n], np.load(io.BytesIO(changed[n]))) for n in changed))
            checker.check(f"{what}: tensorop", all(convert(binary, f"c.npz:{n}", folder) == changed[n] for n in changed))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("README.txt", "text")
    before = path.read_bytes()
    done = run(binary, "convert", "new.npy", "-o", "c.npz:README.txt", cwd=folder)
    checker.check("a member that is not an array", done.returncode == 2 and b"is not an array" in done.stderr and path.read_bytes() == before, done.stderr)


def main():
    large = [check_large] if "--large" in sys.argv[2:] else []
    run_checks(checker, check_reading, check_block_index, check_names, check_members, check_many_members, check_writing,
               check_changes, *large)


if __name__ == "__main__":
    main()
