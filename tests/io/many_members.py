#!/usr/bin/python3
"""3000 jobs that name members of an archive of 200,000 (100,000 at each commit) take the time of opening it: a member is not searched for from the
first one on. The archives are written here; each job has the value that its member was given. Only this notices a search
that takes longer the more members there are. One format; with TENSOROP_NIGHTLY=1 all.

    /usr/bin/python3 tests/io/many_members.py path/to/tensorop

The last line is "N passed, N failed".
"""

import functools
import json
import pathlib
import resource
import struct
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import NIGHTLY, Checker, run, run_checks, share

checker = Checker()

MEMBERS = 200_000 if NIGHTLY else 100_000
JOBS = 3000


def name_of(i):
    return f"layer.{i}"


def write_npz(path):
    header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(MEMBERS):
            array = b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + struct.pack("<i", i)
            archive.writestr(zipfile.ZipInfo(name_of(i) + ".npy"), array)


def write_safetensors(path):
    head = {name_of(i): {"dtype": "I32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]} for i in range(MEMBERS)}
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + struct.pack(f"<{MEMBERS}i", *range(MEMBERS)))


def write_index(path):
    write_safetensors(path.with_name("part.safetensors"))
    path.write_text(json.dumps({"weight_map": {name_of(i): "part.safetensors" for i in range(MEMBERS)}}))


def write_gguf(path):
    int32 = 26
    head = bytearray(b"GGUF" + struct.pack("<IQQ", 3, MEMBERS, 0))
    for i in range(MEMBERS):
        name = name_of(i).encode()
        head += struct.pack("<Q", len(name)) + name + struct.pack("<IQIQ", 1, 1, int32, 32 * i)
    path.write_bytes(head + b"\0" * (-len(head) % 32) + b"".join(struct.pack("<i28x", i) for i in range(MEMBERS)))


def processor_seconds(binary, archive, jobs):
    """Of checking the last `jobs` members."""
    path = archive.with_name(f"{jobs}.jsonl")
    path.write_text("".join(
        json.dumps({"op": "add", "a": f"{archive}:{name_of(i)}", "b": {"dtype": "int32", "data": [1]},
                    "expect": {"dtype": "int32", "data": [i + 1]}}) + "\n" for i in range(MEMBERS - jobs, MEMBERS)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(binary, "check", path, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    equal = f"{jobs} case{'s: all' if jobs > 1 else ':'} equal\n"
    checker.check(f"{archive.name}: {jobs} jobs are equal", done.returncode == 0 and done.stdout == equal, done)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check_archive(name, write, binary, folder):
    write(folder / name)
    one = processor_seconds(binary, folder / name, 1)
    many = processor_seconds(binary, folder / name, JOBS)
    times = f"{name}: 1 job {one:.2f} s, {JOBS} jobs {many:.2f} s"
    print(times)
    checker.check(times, many <= 3 * one + 0.5)


def check_member_count(binary, folder):
    """65535 in the count of members says that the count stands in a zip64 record."""
    for count in (0xFFFE, 0xFFFF):
        head = {name_of(i): {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]} for i in range(count)}
        text = json.dumps(head).encode()
        (folder / "count.safetensors").write_bytes(struct.pack("<Q", len(text)) + text)
        done = run(binary, "convert", "count.safetensors", "-o", "count.npz", cwd=folder)
        checker.check(f"{count} members are converted", done.returncode == 0, done)
        has_record = b"PK\6\6" in (folder / "count.npz").read_bytes()[-200:]
        checker.check(f"{count} members have a zip64 record: {has_record}", has_record == (count == 0xFFFF))


FORMATS = (("m.npz", write_npz), ("m.safetensors", write_safetensors), ("m.safetensors.index.json", write_index),
           ("m.gguf", write_gguf))
run_checks(checker, *share([check_member_count, *(functools.partial(check_archive, *kind) for kind in FORMATS)], 5))
