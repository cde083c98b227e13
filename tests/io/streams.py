#!/usr/bin/python3
"""Streams and limits that a shell cannot make in a line: non-blocking standard input and output, which another program may
have left so; a file that cannot be mapped; the time of JSON strings of escapes.

    /usr/bin/python3 tests/io/streams.py path/to/tensorop

The last line is "N passed, N failed".
"""

import fcntl
import os
import pathlib
import resource
import struct
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import Checker, run, run_checks

checker = Checker()


def write_npy(path, count, dtype="u1"):
    header = f"{{'descr': '|{dtype}', 'fortran_order': False, 'shape': ({count},), }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header)
        file.truncate(10 + len(header) + count)


def non_blocking_pipe(end):
    """The two ends of a pipe; the end 0 or 1 does not block."""
    ends = os.pipe()
    fcntl.fcntl(ends[end], fcntl.F_SETFL, fcntl.fcntl(ends[end], fcntl.F_GETFL) | os.O_NONBLOCK)
    return ends


def check_non_blocking(binary, folder):
    write_npy(folder / "a.npy", 1 << 20)
    bytes_of_it = (folder / "a.npy").read_bytes()

    reading, writing = non_blocking_pipe(1)
    process = subprocess.Popen([binary, "convert", "a.npy", "--format", "npy"], stdout=writing, cwd=folder)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        # The pipe is full, or will be, before the first byte is read: the program must wait.
        written = pipe.read()
    checker.check("a result on a non-blocking pipe", process.wait() == 0 and written == bytes_of_it, len(written))

    reading, writing = non_blocking_pipe(0)
    process = subprocess.Popen([binary, "convert", "-", "--format", "npy"], stdin=reading, stdout=subprocess.PIPE)
    os.close(reading)

    def feed():
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(bytes_of_it)

    feeder = threading.Thread(target=feed)
    feeder.start()
    written = process.communicate()[0]
    feeder.join()
    checker.check("an operand from a non-blocking pipe", process.returncode == 0 and written == bytes_of_it, len(written))


def check_address_space(binary, folder):
    if b"__asan_init" in pathlib.Path(binary).read_bytes() or b"__tsan_init" in pathlib.Path(binary).read_bytes():
        return  # a sanitizer needs more address space than this
    count = 1 << 30
    limit = 400_000_000
    write_npy(folder / "large.npy", count)
    os.link(folder / "large.npy", folder / "large.bin")
    for name in ("a", "b"):
        header = b'{"%s":{"dtype":"U8","shape":[%d],"data_offsets":[0,%d]}}' % (name.encode(), count, count)
        with open(folder / f"{name}.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + count)
    (folder / "m.safetensors.index.json").write_text('{"weight_map":{"a":"a.safetensors","b":"b.safetensors"}}')
    (folder / "job.jsonl").write_text('{"op":"gather","data":"large.npy","indices":[1],"output":"x.npy"}')
    hint = "hint: ulimit -v unlimited lifts the limit of the address space\n"

    def limited(*words, **options):
        return run(binary, *words, cwd=folder, text=True,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)), **options)

    for file, words in (("large.npy", "gather large.npy 0:2"), ("large.npy", "gather large.npy 0:2 --dry-run"),
                        ("large.npy", "why gather large.npy 0:2"), ("large.npy", "run job.jsonl"),
                        ("large.npy", "convert large.npy --dtype int16 -o x.npy"), ("large.npy", "info large.npy --stats"),
                        ("large.npy", "compare large.npy large.npy"), ("large.npy", "lookup large.npy [1]"),
                        ("large.npy", "nonzero large.npy"), ("large.bin", "info uint8[?]@large.bin"),
                        ("a.safetensors", "info a.safetensors --digest --stats"),
                        ("a.safetensors", "gather a.safetensors:a 0:2"), ("a.safetensors", "convert [1] -o a.safetensors:c"),
                        ("a.safetensors", "convert a.safetensors b.safetensors -o x.npz"),
                        ("a.safetensors", "gather m.safetensors.index.json:a 0:2"),
                        ("a.safetensors", "info m.safetensors.index.json"),
                        ("a.safetensors", "compare m.safetensors.index.json m.safetensors.index.json")):
        done = limited(*words.split())
        size = (folder / file).stat().st_size
        message = f"{file}: cannot map: it has {size} bytes, and the limit of the address space (ulimit -v) is {limit} bytes\n"
        said = done.stdout + done.stderr
        checker.check(words, done.returncode == 2 and message in said and hint in said, done)
    with open(folder / "large.npy", "rb") as file:
        file.read(1)
        done = limited("gather", "uint8[?]@-", "0:2", stdin=file)
    checker.check("a stream", done.returncode == 2 and hint in done.stderr, done)


def seconds(binary, text, folder):
    """The least of three times of reading an array of a safetensors file with that metadata."""
    header = b'{"__metadata__":{"m":"' + text + b'"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    (folder / "m.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"\7")
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run(binary, "gather", "m.safetensors", "0", cwd=folder, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        checker.check("the array is read", done.stdout == '{"dtype":"uint8","shape":[],"data":7}\n', done)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def check_escapes(binary, folder):
    size = 6_000_000
    plain = seconds(binary, b"a" * size, folder)
    for name, escape in (("quotes", b'\\"'), ("zeros", b"\\u0000"), ("JSON in JSON", b'\\"key\\":\\"value\\",')):
        time = seconds(binary, escape * (size // len(escape)), folder)
        times = f"6 MB of {name}: {time:.3f} s, plain {plain:.3f} s"
        print(times)
        checker.check(times, time <= 3 * plain + 0.1)


run_checks(checker, check_non_blocking, check_address_space, check_escapes)
