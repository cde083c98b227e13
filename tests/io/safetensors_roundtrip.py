#!/usr/bin/python3
"""Holds tensorop's safetensors files to a model of the reference implementation, both ways.

    /usr/bin/python3 tests/io/safetensors_roundtrip.py path/to/tensorop

What the model writes, tensorop reads; what tensorop writes is byte for byte what the model writes: every dtype, names
and metadata of all characters, into files and pipes. Also a header with a million arrays, or one that is as long as
it may be. A share of the arrays and changes; with TENSOROP_NIGHTLY=1 all. The last line is "N passed, N failed".
"""

import json
import pathlib
import random
import resource
import struct
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import NIGHTLY, Checker, npy, run, run_checks, share

checker = Checker()
CHANGES = 150 if NIGHTLY else 40

# The model: tensor.rs of huggingface/safetensors. The order of its dtypes, whose position is the key of sorting.
ORDER = (
    "BOOL F4 F6_E2M3 F6_E3M2 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16 I32 U32 F32 C64 F64 "
    "I64 U64"
).split()


def reference(arrays, metadata=None):
    """The file of {name: (dtype, shape, bytes)}."""
    order = sorted(arrays, key=lambda name: (-ORDER.index(arrays[name][0]), name.encode()))
    header, at = {}, 0
    if metadata is not None:
        header["__metadata__"] = metadata
    for name in order:
        dtype, shape, data = arrays[name]
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(arrays[name][2] for name in order)


CODES = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "I16": "i2", "U16": "u2", "F16": "f2", "I32": "i4", "U32": "u4", "F32": "f4",
    "C64": "c8", "F64": "f8", "I64": "i8", "U64": "u8",
}  # fmt: skip
# Dtypes that NumPy does not have, with the bytes of an element.
OTHERS = {"BF16": 2, "F8_E5M2": 1, "F8_E4M3": 1, "F8_E8M0": 1, "F8_E4M3FNUZ": 1, "F8_E5M2FNUZ": 1, "F4": 0.5}
SHAPES = [(), (3,), (2, 0, 5), (2, 3, 4), (1, 1)]


def samples():
    """Arrays of every dtype that NumPy has, and of the others as {name: (dtype, shape, bytes)}."""
    draw = random.Random(7)
    arrays, others = {}, {}
    for number, shape in enumerate(SHAPES):
        elements = int(np.prod(shape))
        for dtype, code in CODES.items():
            # One of two names sorts against the order of dtypes.
            data = bytes(draw.randrange(2 if dtype == "BOOL" else 256) for _ in range(elements * np.dtype(code).itemsize))
            arrays[f"{draw.choice('zZaä_.')}{dtype}.{number}"] = np.frombuffer(data, code).reshape(shape)
        for dtype, width in OTHERS.items():
            if elements * width % 1 == 0:
                data = bytes(draw.randrange(256) for _ in range(int(elements * width)))
                others[f"o{dtype}.{number}"] = (dtype, shape, data)
    return arrays, others


def codes_of(array):
    return next(dtype for dtype, code in CODES.items() if np.dtype(code) == array.dtype)


def described(arrays):
    return {name: (codes_of(array), array.shape, array.tobytes()) for name, array in arrays.items()}


def check_both_ways(binary, folder):
    arrays, others = samples()
    whole = reference({**described(arrays), **others}, {"format": "pt"})
    (folder / "all.safetensors").write_bytes(whole)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    for name, array in share(list(arrays.items()), 4):
        done = run(binary, "convert", f"all.safetensors:{name}", "--format", "npy", cwd=folder)
        checker.check(f"all.safetensors:{name}", done.stdout == npy(array), done.stderr)
        alone = reference(described({name: array}))
        piped = run(binary, "convert", "-", "--format", "npy", cwd=folder, input=alone)
        checker.check(f"{name} from a pipe", piped.stdout == npy(array), piped.stderr)
        pieces = run(binary, "convert", "-", "--format", "npy", "--memory", "1", cwd=folder, input=alone)
        checker.check(f"{name} through a temporary file", pieces.stdout == npy(array), pieces.stderr)
    for name, (dtype, shape, data) in share(list(others.items()), 4):
        alone = reference({name: (dtype, shape, data)})
        for options in ((), ("--memory", "1")):
            piped = run(binary, "convert", f"{name}=-", "--format", "safetensors", *options, cwd=folder, input=alone)
            checker.check(f"{name} from a pipe", piped.stdout == alone, piped.stderr)
    for name, array in share(list(arrays.items()), 4):
        # Without padding most data is not aligned.
        text = json.dumps({name: {"dtype": codes_of(array), "shape": array.shape, "data_offsets": [0, array.nbytes]}})
        text = b"\n " + text.encode()
        (folder / "odd").write_bytes(struct.pack("<Q", len(text)) + text + array.tobytes())
        odd = run(binary, "convert", "odd", "--format", "npy", cwd=folder)
        checker.check(f"{name} at odd bytes", odd.stdout == npy(array), odd.stderr)
    info = run(binary, "info", "--json", "all.safetensors", cwd=folder)
    document = json.loads(info.stdout)
    checker.check("info has the metadata", document["files"][0]["metadata"] == {"format": "pt"})
    shown = {array["path"].partition(":")[2]: (array["stored"], tuple(array["shape"]), array["bytes"]) for array in document["arrays"]}
    wanted = {name: (dtype, tuple(shape), len(data)) for name, (dtype, shape, data) in {**described(arrays), **others}.items()}
    checker.check("info has every array", shown == wanted)
    for again in ("1", "3"):
        done = run(binary, "convert", "all.safetensors", "-o", "again.safetensors", "--threads", again, cwd=folder)
        checker.check("the whole file again", done.returncode == 0, done.stderr)
        checker.check("the same bytes", (folder / "again.safetensors").read_bytes() == whole)
    done = run(binary, "convert", "all.safetensors", "--format", "safetensors", cwd=folder)
    checker.check("the same bytes into a pipe", done.stdout == whole, done.stderr)
    files = [f"{name}.npy" for name in sorted(arrays)]
    done = run(binary, "convert", *files, "-o", "files.safetensors", cwd=folder)
    checker.check("files into safetensors", (folder / "files.safetensors").read_bytes() == reference(described(arrays)), done.stderr)
    done = run(binary, "convert", "files.safetensors", "-o", "files.npz", "--compress", cwd=folder)
    loaded = np.load(folder / "files.npz")
    checker.check("safetensors into NPZ", all(npy(loaded[name]) == npy(array) for name, array in arrays.items()), done.stderr)
    done = run(binary, "convert", "files.npz", "-o", "back.safetensors", cwd=folder)
    checker.check("and back", (folder / "back.safetensors").read_bytes() == reference(described(arrays)), done.stderr)
    done = run(binary, "compare", "files.npz", "files.safetensors", cwd=folder)
    checker.check("compare of both", done.returncode == 0, done.stdout + done.stderr)


def check_text(binary, folder):
    """Metadata of any characters, and names of many."""
    metadata = {"".join(map(chr, range(32))): "\"\\/\x7fä😀", "": "", "long": "x" * 5000}
    array = {"na\"me\\ ä": ("U8", (1,), b"\7")}
    whole = reference(array, metadata)
    (folder / "t.safetensors").write_bytes(whole)
    done = run(binary, "convert", "t.safetensors", "-o", "u.safetensors", cwd=folder)
    checker.check("text is written as it was", (folder / "u.safetensors").read_bytes() == whole, done.stderr)
    info = run(binary, "info", "--json", "t.safetensors", cwd=folder)
    checker.check("info has the text", json.loads(info.stdout)["files"][0]["metadata"] == metadata)


def unordered(arrays, order, data_order, metadata):
    """A file of another writer: the header in one order, the data in another one."""
    header = {"__metadata__": metadata}
    places = placed(arrays, data_order)
    for name in order:
        header[name] = {"dtype": arrays[name][0], "shape": list(arrays[name][1]), "data_offsets": places[name]}
    text = json.dumps(header, indent=1).encode()
    return struct.pack("<Q", len(text)) + text + b"".join(arrays[name][2] for name in data_order)


def read_file(data):
    """The names in the order of the header, the arrays, the metadata, the places, and where the data of a file begins."""
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__", None)
    arrays, places, end = {}, {}, 0
    for name in sorted(header, key=lambda name: header[name]["data_offsets"]):
        begin, stop = places[name] = header[name]["data_offsets"]
        assert begin == end, "a hole"
        end = stop
        arrays[name] = (header[name]["dtype"], tuple(header[name]["shape"]), data[8 + size + begin : 8 + size + end])
    assert len(data) == 8 + size + end
    return list(header), arrays, metadata, places, 8 + size


def order_with(arrays, order, name, keeps_place):
    """The order after the array was written: its place is kept, or in front of the first that sorts after it."""
    if keeps_place:
        return order
    others = [other for other in order if other != name]
    key = {other: (-ORDER.index(arrays[other][0]), other.encode()) for other in arrays}
    at = next((i for i, other in enumerate(others) if key[other] > key[name]), len(others))
    return others[:at] + [name] + others[at:]


def placed(arrays, order):
    """The places of arrays in this order."""
    places, at = {}, 0
    for name in order:
        places[name] = [at, at + len(arrays[name][2])]
        at = places[name][1]
    return places


def is_aligned(array, at):
    dtype, _, data = array
    width = OTHERS.get(dtype) or np.dtype(CODES[dtype]).itemsize
    return not data or at % max(1, int(width)) == 0


def check_changes(binary, folder):
    """One array is replaced or added; all others stay, unless one would no longer be aligned by that."""
    draw = random.Random(11)
    layouts = [0, 0]  # kept, anew
    path = folder / "c.safetensors"
    metadata = {"format": "pt", "ä": '"\n'}
    for number in range(CHANGES):
        arrays = {}
        for name in draw.sample("abcdefgh", draw.randrange(1, 8)):
            dtype = draw.choice(["BOOL", "U8", "I16", "F32", "I64", "F4", "BF16"])
            width = OTHERS.get(dtype) or np.dtype(CODES[dtype]).itemsize
            shape = (draw.randrange(4), 2)
            arrays[name] = (dtype, shape, draw.randbytes(int(shape[0] * 2 * width)))
        name = draw.choice("abcdefghi")
        dtype = arrays[name][0] if name in arrays and draw.random() < 0.5 else draw.choice(["U8", "I16", "F32", "I64"])
        if dtype not in CODES or dtype == "BOOL":
            dtype = "U8"
        new = np.frombuffer(draw.randbytes(64), CODES[dtype])[: draw.randrange(5)]
        np.save(folder / "new.npy", new)
        changed = arrays | {name: (dtype, new.shape, new.tobytes())}
        what = f"change {number}: {name} of {sorted(arrays)}"

        path.write_bytes(reference(arrays, metadata))
        done = run(binary, "convert", "new.npy", "-o", f"c.safetensors:{name}", cwd=folder)
        checker.check(what, path.read_bytes() == reference(changed, metadata), done.stderr)
        warns = name in arrays and arrays[name][0] != dtype
        checker.check(f"{what}: warning", (b"its dtype was" in done.stderr) == warns, done.stderr)

        order, data_order = (draw.sample(sorted(arrays), len(arrays)) for _ in range(2))
        before = unordered(arrays, order, data_order, metadata)
        path.write_bytes(before)
        done = run(binary, "convert", "new.npy", "-o", f"c.safetensors:{name}", cwd=folder)
        data = path.read_bytes()
        in_header, found, text, places, at = read_file(data)
        checker.check(f"{what}, other writer", found == changed and text == metadata, done.stderr)
        start = 8 + struct.unpack("<Q", before[:8])[0]
        old_places = read_file(before)[3]
        keeps_place = name in arrays and arrays[name][0] == dtype
        new_places = placed(changed, order_with(changed, data_order, name, keeps_place))
        loses = any(
            not is_aligned(changed[n], start + new_places[n][0])
            and (n == name or is_aligned(arrays[n], start + old_places[n][0]))
            for n in changed
        )
        if loses:
            checker.check(f"{what}, laid out anew", data == reference(changed, metadata), f"{in_header} {places}")
        else:
            wanted = order_with(changed, order, name, keeps_place)
            checker.check(f"{what}, order", in_header == wanted, f"{in_header}, not {wanted}")
            # The place of an array without bytes may be at either end of others.
            has_place = {n: place for n, place in places.items() if changed[n][2]}
            wanted = {n: new_places[n] for n in has_place}
            checker.check(f"{what}, place", has_place == wanted, f"{has_place}, not {wanted}")
            checker.check(f"{what}, header", at % 8 == start % 8, f"{at}, {start}")
        layouts[loses] += 1
        aligned = {n: is_aligned(found[n], at + places[n][0]) for n in found}
        done = run(binary, "info", "--json", path, cwd=folder)
        shown = {array["path"].rpartition(":")[2]: not array["unaligned"] for array in json.loads(done.stdout)["arrays"]}
        checker.check(f"{what}: info has the alignment", shown == aligned, f"{shown}, not {aligned}")
    # Guards the check itself.
    checker.check("files are laid out anew or not", min(layouts) >= CHANGES // 8, f"{layouts}")


def check_million_arrays(binary, folder):
    text = ",".join('"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"unknown":"................"}' % i for i in range(1_000_000))
    text = ("{" + text + "}").encode()
    (folder / "million").write_bytes(struct.pack("<Q", len(text)) + text)
    start = time.monotonic()
    done = run(binary, "convert", "million:999999", cwd=folder)
    seconds = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    checker.check("a million arrays", done.stdout == b'{"dtype":"uint8","shape":[0],"data":[]}\n', done.stderr)
    # The file itself is mapped.
    checker.check("their memory", peak < 6 * len(text), f"{peak} bytes for {len(text)}")
    print(f"a million arrays in {len(text)} bytes: {seconds:.2f} s, {peak >> 20} MiB")


def check_longest_header(binary, folder):
    fixed = len(reference({"a": ("U8", (0,), b"")}, {"k": ""})) - 8
    longest = reference({"a": ("U8", (0,), b"")}, {"k": "x" * (100_000_000 - fixed)})
    (folder / "longest.safetensors").write_bytes(longest)
    done = run(binary, "convert", "longest.safetensors", "-o", "same.safetensors", cwd=folder)
    checker.check("the longest header", (folder / "same.safetensors").read_bytes() == longest, done.stderr)
    done = run(binary, "convert", "longest.safetensors", "b=[1]", "-o", "more.safetensors", cwd=folder)
    checker.check("a longer header", b"at most 100000000" in done.stderr and done.returncode == 2, done.stderr)
    checker.check("nothing is written", not (folder / "more.safetensors").exists())


if __name__ == "__main__":
    run_checks(checker, check_both_ways, check_text, check_changes, *share((check_million_arrays, check_longest_header), 2))
