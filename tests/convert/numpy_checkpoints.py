#!/usr/bin/python3
"""Holds what docs/checkpoints.md does to checkpoints to NumPy: random safetensors files of float32 and bfloat16.

    /usr/bin/python3 tests/convert/numpy_checkpoints.py path/to/tensorop

The last line is "N passed, N failed".
"""

import json
import pathlib
import re
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, run_program

CODES = {"F32": np.float32, "BF16": np.uint16, "I64": np.int64}  # bfloat16 as its bits


def write(path, arrays, metadata):
    """The file of {name: (code, array)}."""
    header, data = {"__metadata__": metadata}, b""
    for name, (code, array) in arrays.items():
        header[name] = {"dtype": code, "shape": array.shape, "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """{name: (code, array)} and the metadata."""
    whole = path.read_bytes()
    (size,) = struct.unpack_from("<Q", whole)
    header = json.loads(whole[8 : 8 + size])
    metadata = header.pop("__metadata__", None)
    arrays = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(whole[8 + size + begin : 8 + size + end], CODES[entry["dtype"]])
        arrays[name] = (entry["dtype"], array.reshape(entry["shape"]))
    return arrays, metadata


def widened(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def rounded(array):
    """float32 to the bits of bfloat16, ties to even."""
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def random_checkpoint(rng):
    arrays = {"ids": ("I64", rng.integers(-9, 9, 5))}
    for layer in range(int(rng.integers(2, 6))):
        weight = rng.standard_normal((int(rng.integers(1, 40)), 8)).astype(np.float32)
        arrays[f"model.layers.{layer}.weight"] = ("BF16", rounded(weight))
        arrays[f"model.layers.{layer}.bias"] = ("F32", weight[0] / 3)
    return arrays


def same(found, expected):
    return found.keys() == expected.keys() and all(
        found[name][0] == code and np.array_equal(found[name][1], array) for name, (code, array) in expected.items()
    )


def check_edit(program, rng):
    arrays = random_checkpoint(rng)
    write(program.folder / "in.safetensors", arrays, {"format": "pt"})
    left = int(rng.integers(0, 2))
    words = ["--exclude", f"model.layers.{left}.*", "--rename-regex", "^model[.]=", "--rename-regex",
             r"layers\.([0-9]+)\.(weight|bias)=\2/\1", "--dtype", "bfloat16=float32"]  # fmt: skip
    status = program.run("convert", "in.safetensors", *words, "-o", "out.safetensors")
    program.check("convert edits", status.returncode == 0, status.stderr)
    expected = {}
    for name, (code, array) in arrays.items():
        if name.startswith(f"model.layers.{left}."):
            continue
        _, _, layer, kind = name.split(".") if name != "ids" else ("", "", "", "")
        expected[f"{kind}/{layer}" if kind else name] = ("F32", widened(array)) if code == "BF16" else (code, array)
    found, metadata = read(program.folder / "out.safetensors")
    program.check("an edited archive is what NumPy makes", same(found, expected), f"{found.keys()} {expected.keys()}")
    program.check("its metadata is kept", metadata == {"format": "pt"}, metadata)


def check_resize(program, rng):
    """The commands of docs/checkpoints.md, of other sizes."""
    rows, width = int(rng.integers(1, 300)), int(rng.integers(1, 50))
    old = rounded(rng.standard_normal((rows, width)))
    rest = ("F32", np.float32([1, 2]))
    write(program.folder / "old.safetensors", {"emb": ("BF16", old), "fc": rest}, {"format": "pt"})
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/checkpoints.md").read_text()
    jobs = re.search(r"resize.jsonl <<'END'\n(.*?)> END", page, re.S).group(1).replace("> ", "")
    jobs = jobs.replace("[4]", f"[{rows}]").replace("[[0,0,0]]", str([[0] * width])).replace("[12,3]", f"[{rows + 8},{width}]")
    (program.folder / "resize.jsonl").write_text(jobs)
    for words in re.findall(r"^\$ tensorop (.*(?:old.safetensors.* -o (?:emb.npy|new.safetensors)|resize.jsonl))$", page, re.M):
        status = program.run(*words.split())
        program.check(words, status.returncode == 0, status.stderr)
    mean = widened(old).astype(np.float64).mean(axis=0)
    found, _ = read(program.folder / "new.safetensors")
    emb = widened(found["emb"][1])
    program.check("old rows stay", found["emb"][0] == "BF16" and np.array_equal(found["emb"][1][:rows], old))
    # Half a unit in the last place of bfloat16, and what sums of float32 lose.
    near = np.abs(emb[rows:] - mean) <= np.abs(mean) * 2.0**-8 + 1e-5
    program.check("8 new rows are the mean", emb.shape == (rows + 8, width) and near.all(), f"{emb[rows:]} {mean}")
    program.check("the rest stays", same({"fc": found["fc"]}, {"fc": rest}))


def check_table(program, rng):
    """Two fine-tunes, the second one as bfloat16 or not."""
    first, second, expected = {}, {}, []
    is_rounded = bool(rng.integers(0, 2))
    for number in range(int(rng.integers(1, 9))):
        old = rng.standard_normal((int(rng.integers(1, 40)), 7)).astype(np.float32) * np.float32(10.0 ** rng.integers(-3, 4))
        new = old + (rng.random(old.shape) < rng.choice([0, 0.1, 1])) * old * np.float32(rng.choice([1e-6, 0.1, -3]))
        name = f"layer/{number}"
        first[name] = ("F32", new)
        second[name] = ("BF16", rounded(old)) if is_rounded else ("F32", old)
        a, e = new.astype(np.float64).ravel(), (widened(rounded(old)) if is_rounded else old).astype(np.float64).ravel()
        cosine = 1.0 if np.array_equal(a, e) else a @ e / (np.sqrt(a @ a) * np.sqrt(e @ e))
        rms, largest, count = np.sqrt(np.mean((a - e) ** 2)), np.abs(a - e).max(), np.count_nonzero(a != e)
        expected.append((rms, largest, cosine, count, a.size, name))
    write(program.folder / "first.safetensors", first, {})
    write(program.folder / "second.safetensors", second, {})
    for column, key in enumerate(["rms", "max", "cosine", "elements"]):
        result = program.run("compare", "first.safetensors", "second.safetensors", f"--table={key}", "--by-value", "-q")
        program.check("compare --table ends as compare", result.returncode == any(line[3] for line in expected), result.stderr)
        lines = [line.split() for line in result.stdout.splitlines()[1:]]
        found = {line[6]: (*map(float, line[:3]), int(line[3]), int(line[5])) for line in lines}
        for rms, largest, cosine, count, size, name in expected:
            name = name if len(expected) > 1 else "first.safetensors"  # a pair
            near = np.isclose([rms, largest], found[name][:2], rtol=5e-4, atol=0).all() and abs(cosine - found[name][2]) < 1e-12
            program.check(f"{name} is what NumPy computes", near and found[name][3:] == (count, size), f"{found[name]} {expected}")
        values = [found[line[6]][column] for line in lines]
        worst_first = sorted(values, reverse=key != "cosine")
        program.check(f"sorted by {key}", len(lines) == len(expected) and values == worst_first, result.stdout)


def body(program):
    rng = np.random.default_rng(SEED)
    for _ in range(10):
        for file in program.folder.glob("*.safetensors"):
            file.unlink()
        check_edit(program, rng)
        check_resize(program, rng)
        check_table(program, rng)


run_program(body)
