#!/usr/bin/python3
"""After one array of a safetensors file was replaced or added, each array that was aligned to the size of its elements
is, and all others hold what they held.

    /usr/bin/python3 tests/io/safetensors_alignment.py path/to/tensorop [ROUNDS]

Files and their reader are made here, from the text of the format: 8 bytes with the length of the header, the header,
the data. The last line is "N passed, N failed".
"""

import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED

SIZES = {"F64": 8, "I64": 8, "C64": 8, "F32": 4, "I32": 4, "U32": 4, "F16": 2, "BF16": 2, "I16": 2, "U8": 1, "BOOL": 1}
DTYPES = {"F64": "float64", "I64": "int64", "F32": "float32", "I32": "int32", "F16": "float16", "I16": "int16",
          "U8": "uint8"}


def write(path, arrays, padding):
    """`arrays`: (name, dtype, elements) in the order of the data. `padding`: spaces behind the header."""
    head, data = {}, b""
    for name, dtype, count in arrays:
        end = len(data) + count * SIZES[dtype]
        head[name] = {"dtype": dtype, "shape": [count], "data_offsets": [len(data), end]}
        data += bytes((len(name) + i) % 2 for i in range(count * SIZES[dtype]))
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8 + padding)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """The dtype, the bytes and the alignment of each array. Asserts that the data has no holes and no bytes after it."""
    with open(path, "rb") as file:
        raw = file.read()
    begin = 8 + struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8:begin])
    out, at = {}, 0
    for name, array in sorted(head.items(), key=lambda item: item[1]["data_offsets"]):
        first, last = array["data_offsets"]
        assert first == at, (name, first, at)
        at = last
        size = SIZES[array["dtype"]]
        out[name] = (array["dtype"], raw[begin + first:begin + last], first == last or (begin + first) % size == 0)
    assert begin + at == len(raw)
    return out


def patch(binary, path, name, dtype, count):
    array = json.dumps({"dtype": DTYPES[dtype], "shape": [count], "data": [1] * count})
    subprocess.run([binary, "convert", array, "-o", f"{path}:{name}"], check=True, stderr=subprocess.DEVNULL)


def check(binary, folder, arrays, padding, name, dtype, count):
    path = os.path.join(folder, "m.safetensors")
    write(path, arrays, padding)
    before = read(path)
    patch(binary, path, name, dtype, count)
    after = read(path)
    assert set(after) == set(before) | {name}
    for other, (kind, data, aligned) in before.items():
        if other == name:
            continue
        assert after[other][:2] == (kind, data), other
        assert after[other][2] or not aligned, (other, "lost its alignment")
    assert after[name][2], (name, "is not aligned")
    assert after[name][0] == dtype and len(after[name][1]) == count * SIZES[dtype]
    # `info` says the same as the reader.
    lines = subprocess.run([binary, "info", path, "--json"], check=True, capture_output=True, text=True).stdout
    for line in map(json.loads, filter(None, lines.split("\n"))):
        assert line.get("unaligned", False) != after[line["path"][len(path) + 1:]][2], line
    status = subprocess.run([binary, "info", path, "--fail-if", "unaligned"], stdout=subprocess.DEVNULL).returncode
    assert status == (0 if all(aligned for _, _, aligned in after.values()) else 1), status


def main():
    binary = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 120
    rng = random.Random(SEED)
    cases = [
        ([("x", "U8", 4), ("b", "F32", 2)], 0, "x", "U8", 3),  # b would begin at byte 3
        ([("b", "F32", 2)], 3, "b", "F32", 20),  # a header of unpadded length, which gets longer
        ([("b", "F32", 2), ("x", "U8", 1)], 4, "x", "U8", 100),  # the remainder 4 is kept
    ]
    for _ in range(rounds):
        arrays = [(f"{'n' * rng.randrange(1, 9)}{i}", rng.choice(list(SIZES)), rng.randrange(0, 6))
                  for i in range(rng.randrange(1, 6))]
        name = rng.choice([arrays[0][0], arrays[-1][0], "new"])
        cases.append((arrays, rng.choice([0, 0, 4, rng.randrange(8)]), name, rng.choice(list(DTYPES)),
                      rng.randrange(0, 40)))
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(binary, folder, *case)
            except AssertionError as error:
                failed += 1
                print(f"TENSOROP_SEED={SEED}", case, error)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
