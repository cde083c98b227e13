#!/usr/bin/python3
"""Holds `info --stats` to NumPy: random arrays of every dtype, with NaN, infinities, zeros and subnormal numbers among
them, in NPY files (also big-endian and in Fortran order) and in an archive, for one thread and for several.

    /usr/bin/python3 tests/convert/numpy_statistics.py path/to/tensorop

Means are compared with sums that Python rounds once (math.fsum). The last line is "N passed, N failed".
"""

import hashlib
import json
import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, Program, run_program, share

SHAPES = [(), (1,), (3, 5), (0, 2), (4096,), (5000,), (70, 300), (1 << 21,)]
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
          "float32", "float64", "complex64", "complex128"]
PARTS = {"complex64": np.float32, "complex128": np.float64}
STEP = 16  # of the histogram of more than 2^20 elements
SMALLEST_NORMAL = {"float16": 2.0 ** -14, "bfloat16": 2.0 ** -126, "float32": 2.0 ** -126, "float64": 2.0 ** -1022}


def expect(checker, ok, text):
    checker.check(text, bool(ok))


def random_array(rng, dtype, shape):
    """The array as it is stored, and its numbers as float64 (integers: as they are)."""
    size = math.prod(shape)
    if dtype == "bool":
        array = rng.random(size) < 0.3
        return array.reshape(shape), array.astype(np.int8)
    if dtype.startswith(("int", "uint")):
        info = np.iinfo(dtype)
        low, high = (info.min, info.max) if rng.random() < 0.5 else (max(info.min, -3), 100)
        array = rng.integers(low, high, size, dtype=dtype, endpoint=True)
        return array.reshape(shape), array
    part = "float32" if dtype == "bfloat16" else np.dtype(PARTS.get(dtype, dtype)).name
    numbers = rng.standard_normal(size * (2 if dtype in PARTS else 1)) * 10.0 ** rng.integers(-2, 3)
    numbers = (numbers + rng.integers(0, 2) * 1000).astype(part)
    if rng.random() < 0.7:
        tiny = {"float16": 1e-7, "float64": 1e-310}.get(part, 1e-40)
        for value in [np.nan, np.inf, -np.inf, 0.0, -0.0, tiny, -tiny]:
            numbers[rng.random(numbers.size) < rng.choice([0, 0.01, 0.2])] = value
    if dtype == "bfloat16":
        bits = (numbers.view(np.uint32) >> 16).astype(np.uint16)
        return bits.view("V2").reshape(shape), (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    stored = numbers.view(dtype) if dtype in PARTS else numbers
    return stored.reshape(shape), numbers.astype(np.float64)


def is_near(actual, expected, scale):
    return actual == expected or abs(actual - expected) <= 1e-12 * scale


def check(checker, label, dtype, numbers, found, lanes):
    finite = numbers[np.isfinite(numbers)]
    part = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    normal = SMALLEST_NORMAL.get(part, 0)
    is_zero = numbers == 0
    counts = {"elements": numbers.size, "nan": np.isnan(numbers).sum(), "inf": np.isinf(numbers).sum(),
              "zero": is_zero.sum(), "negative_zero": (is_zero & np.signbit(numbers)).sum(),
              "subnormal": ((np.abs(finite.astype(np.float64)) < normal) & (finite != 0)).sum()}
    for key, count in counts.items():
        expect(checker, found[key] == int(count), f"{label}: {key} is {found[key]}, not {count}")
    if finite.size == 0:
        expect(checker, all(found[key] is None for key in ["min", "max", "mean", "std", "histogram"]), f"{label}: {found}")
        return
    for key, value in [("min", finite.min()), ("max", finite.max())]:
        expect(checker, found[key] == value.item(), f"{label}: {key} is {found[key]}, not {value}")
    doubles = finite.astype(np.float64)
    mean = math.fsum(doubles) / finite.size
    std = math.sqrt(math.fsum((doubles - mean) ** 2) / finite.size)
    scale = float(np.abs(doubles).max())
    expect(checker, is_near(found["mean"], mean, scale), f"{label}: mean is {found['mean']}, not {mean}")
    expect(checker, is_near(found["std"], std, scale), f"{label}: std is {found['std']}, not {std}")
    histogram = found["histogram"]
    step = STEP if numbers.size > 1 << 20 else 1
    expect(checker, histogram["step"] == step, f"{label}: step {histogram['step']}")
    sample = numbers
    if step != 1:
        sample = numbers.reshape(-1, lanes)[::step].ravel()
        sample = sample[np.isfinite(sample)]
    else:
        sample = finite
    bins = np.floor(sample.astype(np.float64) / histogram["width"]) - histogram["from"] / histogram["width"]
    expected = np.bincount(bins.astype(np.int64), minlength=len(histogram["counts"]))
    expect(checker, list(expected) == histogram["counts"], f"{label}: {histogram}, not {list(expected)}")
    expect(checker, len(histogram["counts"]) <= 32, f"{label}: {len(histogram['counts'])} bins")


class Statistics(Program):
    def info(self, *words):
        return self.run("info", "--stats", "--json", *words)


def arrays_of(done):
    return json.loads(done.stdout)["arrays"]


def check_all(checker):
    rng = np.random.default_rng(SEED)
    folder = checker.folder
    members = {}
    for dtype in DTYPES:
        for shape in SHAPES:
            if shape == SHAPES[-1] and dtype not in share(DTYPES, 4):  # it takes a second
                continue
            array, numbers = random_array(rng, dtype, shape)
            name = f"{dtype}_{'x'.join(map(str, shape))}"
            path = folder / f"{name}.npy"
            np.save(path, array)
            done = checker.info(path, "--threads", "1", "--digest")
            again = checker.info(path, "--threads", "3", "--digest")
            expect(checker, done.returncode == 0 and again.stdout == done.stdout, f"{name}: {done.stderr} {again.stdout}")
            [found] = arrays_of(done)
            lanes = 4 if dtype in ["float64", "complex128", "int32", "int64", "uint32", "uint64"] else 8
            check(checker, name, dtype, numbers, found["statistics"], lanes)
            digest = hashlib.sha256(array.tobytes()).hexdigest()
            expect(checker, found["sha256"] == digest, f"{name}: digest {found['sha256']}, not {digest}")
            if dtype != "bfloat16" and len(shape) == 2:
                members[name] = array
                other = folder / "other.npy"
                np.save(other, np.asfortranarray(array.astype(array.dtype.newbyteorder(">"))))
                [same] = arrays_of(checker.info(other, "--digest"))
                expect(checker, same["statistics"] == found["statistics"] and same["sha256"] == digest,
                              f"{name}: big-endian, Fortran order: {same}")
    np.savez_compressed(folder / "all.npz", **members)
    lines = arrays_of(checker.info(folder / "all.npz", "--digest"))
    expect(checker, len(lines) == len(members), f"archive: {len(lines)} arrays")
    for line in lines:
        name = line["path"].rsplit(":", 1)[1]
        digest = hashlib.sha256(members[name].tobytes()).hexdigest()
        expect(checker, line["sha256"] == digest, f"archive: {name}: {line}")


if __name__ == "__main__":
    run_program(check_all, Statistics)
