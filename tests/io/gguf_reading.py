#!/usr/bin/python3
"""Reads GGUF files that a writer of this file's own makes, from the text of the format.

    /usr/bin/python3 tests/io/gguf_reading.py path/to/tensorop

Every type, ranks, alignments, values of the metadata. Headers that lie: testdata/inputs/bad_gguf.txt. The last line is
"N passed, N failed".
"""

import json
import pathlib
import random
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import Checker, npy, run, run_checks

checker = Checker()
NUMBERS = {0: ("F32", "f4"), 1: ("F16", "f2"), 24: ("I8", "i1"), 25: ("I16", "i2"), 26: ("I32", "i4"), 27: ("I64", "i8"), 28: ("F64", "f8")}
# Elements and bytes of a block.
QUANTISED = {2: ("Q4_0", 32, 18), 8: ("Q8_0", 32, 34), 12: ("Q4_K", 256, 144), 14: ("Q6_K", 256, 210), 39: ("MXFP4", 32, 17)}
VALUES = "BbHhIif?  Qqd"


def text(string):
    return struct.pack("<Q", len(string.encode())) + string.encode()


def value(kind, item):
    if kind == 8:
        return text(item)
    if kind == 9:
        element, items = item
        return struct.pack("<IQ", element, len(items)) + b"".join(value(element, i) for i in items)
    return struct.pack("<" + VALUES[kind], item)


def gguf(keys, tensors, alignment=32, version=3):
    """keys: (name, kind, value); tensors: (name, kind, shape, bytes)."""
    infos, data = b"", b""
    for name, kind, shape, content in tensors:
        data += b"\0" * (-len(data) % alignment)
        infos += text(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *reversed(shape))
        infos += struct.pack("<IQ", kind, len(data))
        data += content
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
    head += b"".join(text(name) + struct.pack("<I", kind) + value(kind, item) for name, kind, item in keys) + infos
    return head + b"\0" * (-len(head) % alignment) + data


def check_tensors(binary, folder):
    draw = random.Random(3)
    for alignment in (32, 8, 4096):
        tensors, arrays = [], {}
        for kind, (name, code) in NUMBERS.items():
            for shape in ((), (3,), (2, 5), (2, 0, 3), (1, 2, 3, 4)):
                label = f"{name} {shape}"
                array = np.frombuffer(draw.randbytes(int(np.prod(shape)) * np.dtype(code).itemsize), code).reshape(shape)
                arrays[label] = array
                tensors.append((label, kind, shape, array.tobytes()))
        for kind, (name, elements, size) in QUANTISED.items():
            tensors.append((name, kind, (2, elements), draw.randbytes(2 * size)))
        tensors.append(("bf16", 30, (2,), struct.pack("<2H", 0x3F80, 0xC000)))
        keys = [("general.alignment", 4, alignment), ("general.name", 8, "n\u00e4me"), ("on", 7, True), ("rate", 6, 0.5), ("big", 10, 2**64 - 1)]
        keys += [("small", 1, -3), ("long", 11, -(2**63)), ("precise", 12, 1e300), ("ids", 9, (5, [1, 2, 3])), ("words", 9, (8, ["a", "bc"]))]
        keys += [("nested", 9, (9, [(4, [1]), (8, ["x"])]))]
        for version in (2, 3):
            (folder / "m.gguf").write_bytes(gguf(keys, tensors, alignment, version))
            for label, array in arrays.items():
                done = run(binary, "convert", f"m.gguf:{label}", "-o", "x.npy", cwd=folder)
                checker.check(f"{label}, {alignment}, {version}", (folder / "x.npy").read_bytes() == npy(array), done.stderr)
                (folder / "x.npy").unlink()
        done = run(binary, "convert", "m.gguf:bf16", cwd=folder)
        checker.check("bfloat16", json.loads(done.stdout) == {"dtype": "bfloat16", "shape": [2], "data": [1.0, -2.0]}, done.stdout)
        done = run(binary, "info", "--json", "m.gguf", cwd=folder)
        document = json.loads(done.stdout)
        wanted = {"general.alignment": str(alignment), "general.name": "näme", "on": "true", "rate": "0.5", "big": str(2**64 - 1)}
        wanted |= {"small": "-3", "long": str(-(2**63)), "precise": "1e+300", "ids": "list of 3 int32", "words": "list of 2 string"}
        wanted["nested"] = "list of 2 list"
        checker.check("metadata", document["files"][0]["metadata"] == wanted, document["files"])
        arrays_shown = document["arrays"]
        checker.check("all tensors", [array["path"] for array in arrays_shown] == [f"m.gguf:{t[0]}" for t in tensors], done.stderr)
        stored = {array["path"][7:]: (array["stored"], array["shape"], array["bytes"]) for array in arrays_shown}
        for kind, (name, elements, size) in QUANTISED.items():
            checker.check(f"info of {name}", stored[name] == (name, [2, elements], 2 * size), stored[name])
            done = run(binary, "convert", f"m.gguf:{name}", cwd=folder)
            checker.check(f"{name} is refused", done.returncode == 2 and f"quantised as {name}".encode() in done.stderr, done.stderr)
        done = run(binary, "convert", "[1]", "-o", "m.gguf:x", cwd=folder)
        checker.check("only read", done.returncode == 2 and b"only read" in done.stderr, done.stderr)


def check_new_type(binary, folder):
    (folder / "n.gguf").write_bytes(gguf([], [("x", 99, (5,), bytes(18)), ("y", 24, (1,), b"\7")]))
    done = run(binary, "info", "n.gguf", cwd=folder)
    checker.check("info of a new type", done.returncode == 0 and b"n.gguf:x: " in done.stdout and b"type 99" in done.stdout, done.stdout)
    checker.check("beside it", run(binary, "convert", "n.gguf:y", "--format", "nested", cwd=folder).stdout == b"[7]\n")
    done = run(binary, "convert", "n.gguf:x", cwd=folder)
    checker.check("a new type", done.returncode == 2 and b"is of type 99, which is not known" in done.stderr, done.stderr)


if __name__ == "__main__":
    run_checks(checker, check_tensors, check_new_type)
