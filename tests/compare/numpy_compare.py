#!/usr/bin/python3
"""Holds `tensorop compare` to NumPy: random pairs of every dtype, with NaN, infinities, zeros and extremes among them,
and folders and archives of them.

    /usr/bin/python3 tests/compare/numpy_compare.py path/to/tensorop

What differs, where first, the largest errors and the distance in ulp are computed here once more, in NumPy and in Python's
own integers; the tolerances that tensorop says are the smallest are tried. The last line is "N passed, N failed".
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import NIGHTLY, SEED, Program, run_program, share

SHOW = 4
SHAPES = [(), (1,), (7,), (3, 5), (2, 3, 4), (5000,), (300, 70)]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
AUTO = {"float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
        "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7)}
BITS = {"float16": np.uint16, "bfloat16": np.uint16, "float32": np.uint32, "float64": np.uint64}


def stored(dtype):
    return np.dtype(np.uint16 if dtype == "bfloat16" else dtype)


def widened(array, dtype):
    """The numbers as float64 (complex128)."""
    # A signalling NaN that becomes a quiet one is nothing to warn of.
    with np.errstate(invalid="ignore"):
        if dtype == "bfloat16":
            return (array.ravel().astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return array.astype(np.complex128 if dtype in COMPLEX else np.float64)


def save(path, array, dtype):
    if dtype == "bfloat16":
        array = array.view("V2")
    np.save(path, array)


def ordered(array, dtype):
    """Python integers in the order of the floats, neighbours one apart, both zeros 0."""
    bits = [int(x) for x in array.view(BITS[dtype]).ravel()]
    sign = 1 << (8 * array.dtype.itemsize - 1)
    return [x if x < sign else sign - x for x in bits]


def random_pair(rng, dtype, shape):
    """Two arrays that agree in some elements and nearly agree in others."""
    kind = stored(dtype)
    count = math.prod(shape)
    if dtype in COMPLEX:
        part = "float32" if dtype == "complex64" else "float64"
        a, e = random_pair(rng, part, (2 * count,))
        return a.view(dtype).reshape(shape), e.view(dtype).reshape(shape)
    raw = rng.integers(0, 256, count * kind.itemsize, dtype=np.uint8)
    if dtype not in FLOATS or rng.random() < 0.3:
        e = raw.view(kind).copy()
    else:
        numbers = (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4)).astype(np.float32)
        e = (numbers.view(np.uint32) >> 16).astype(np.uint16) if dtype == "bfloat16" else numbers.astype(kind)
    a = e.copy()
    bits = a.view(BITS.get(dtype, kind))
    change = rng.random(count)
    near = change < rng.choice([0.0, 0.1, 0.5, 1.0])
    with np.errstate(over="ignore"):
        bits[near] += rng.integers(0, 4, count).astype(bits.dtype)[near]
    far = change < rng.choice([0.0, 0.02])
    a[far] = rng.permutation(e)[far]
    if dtype in FLOATS:
        specials = np.array([0.0, -0.0, np.nan, np.inf, -np.inf], np.float32)
        if dtype == "bfloat16":
            specials = (specials.view(np.uint32) >> 16).astype(np.uint16)
        specials = specials.astype(kind)
        for side in (a, e, None):
            put = rng.random(count) < rng.choice([0.0, 0.0, 0.05])
            values = rng.choice(specials, count)
            for target in ((a, e) if side is None else (side,)):
                target[put] = values[put]
    return a.reshape(shape), e.reshape(shape)


def parts_of(values, dtype):
    return [values.real, values.imag] if dtype in COMPLEX else [values]


class Expected:
    """All that the report should say, computed without tensorop."""

    def __init__(self, a, e, dtype, rtol, atol, max_ulp, nan_unequal):
        self.dtype = dtype
        if dtype in INTEGERS:
            self.integers(a, e, rtol, atol, max_ulp)
        else:
            self.floats(a, e, rtol, atol, max_ulp, nan_unequal)
        self.where = np.flatnonzero(self.differs)
        # The worst is where that is largest, first by what no tolerance helps against.
        excess = [b if d else -1 for b, d in zip(self.excess, self.differs)]
        if max_ulp is not None and rtol == atol == 0 and self.unfixable == 0:
            excess = [u if d else -1 for u, d in zip(self.ulps, self.differs)]
        self.worst = excess.index(max(excess))
        # sorted() keeps the order of equal ones.
        self.worst_first = sorted((int(i) for i in self.where), key=lambda i: -excess[i])

    def integers(self, a, e, rtol, atol, max_ulp):
        a = [int(x) for x in a.ravel()]
        e = [int(x) for x in e.ravel()]
        off = [abs(x - y) for x, y in zip(a, e)]
        self.differs = np.array([d > int(atol + rtol * abs(y)) and (max_ulp is None or d > max_ulp)
                                 for d, y in zip(off, e)])
        self.unfixable = 0
        self.ulps = off
        self.excess = [Fraction(d) - Fraction(atol + rtol * abs(y)) for d, y in zip(off, e)]
        self.absolute = max(off)
        self.ulp = self.absolute
        self.relative = max([d / float(abs(y)) for d, y in zip(off, e) if y != 0] or [0])

    def floats(self, a, e, rtol, atol, max_ulp, nan_unequal):
        x = widened(a, self.dtype).ravel()
        y = widened(e, self.dtype).ravel()
        unfixable = np.zeros(x.size, bool)
        off, size = [], []
        with np.errstate(all="ignore"):
            for p, q in zip(parts_of(x, self.dtype), parts_of(y, self.dtype)):
                same = (p == q) | (np.isnan(p) & np.isnan(q))
                unfixable |= ~same & ~(np.isfinite(p) & np.isfinite(q))
                unfixable |= nan_unequal & np.isnan(p) & np.isnan(q)
                off.append(np.where(same, 0, np.abs(p - q)).astype(np.longdouble))
                size.append(np.where(same & ~np.isfinite(q), 0, np.abs(q)).astype(np.longdouble))
            if len(off) == 2:
                # Wider than float64, so that no square overflows.
                off = [np.sqrt(off[0] ** 2 + off[1] ** 2)]
                size = [np.sqrt(size[0] ** 2 + size[1] ** 2)]
            off, size = off[0], size[0]
            if self.dtype not in COMPLEX:
                off, size = off.astype(np.float64), size.astype(np.float64)
                exact = np.abs(x.astype(np.longdouble) - y.astype(np.longdouble))
                self.differs = ~(off <= atol + rtol * size)
                off = np.where(np.isinf(off), exact, off)
            else:
                self.differs = ~(off <= atol + rtol * size)
        regular = ~unfixable & (off != 0)
        self.ulp = None
        if self.dtype in FLOATS:
            ulp = [abs(p - q) for p, q in zip(ordered(a, self.dtype), ordered(e, self.dtype))]
            self.ulp = max([u for u, r in zip(ulp, regular) if r] or [0])
            self.ulps = ulp
            if max_ulp is not None:
                self.differs &= ~np.array([u <= max_ulp for u in ulp])
        self.differs |= unfixable
        self.unfixable = int(unfixable.sum())
        with np.errstate(all="ignore"):
            self.excess = list(np.where(unfixable | (off > sys.float_info.max), np.inf, off - (atol + rtol * size)))
        self.absolute = max(off[regular], default=0)
        relative = regular & (size != 0)
        self.relative = max(off[relative].astype(np.longdouble) / size[relative], default=0)


class Compare(Program):
    def compare(self, *options):
        return self.run("compare", "a.npy", "e.npy", *options)

    def report(self, *options):
        run = self.compare("--json", *options)
        report = json.loads(run.stdout)
        self.check(f"{options}: exit status", run.returncode == (0 if report["equal"] else 1), run.returncode)
        return report["pairs"][0]["comparison"]


def is_close(value, expected):
    """The same but for the last bits, in which NumPy's long double and two roundings may differ."""
    value = math.inf if value is None else value
    if math.isinf(value) or math.isinf(float(expected)):
        return value == float(expected)
    return value == expected or abs(value - expected) <= 4e-16 * abs(expected) + 1e-323


def check_smallest(checker, what, report, options, dtype):
    """The tolerances that would have passed do, and the next smaller ones do not."""
    needed = report["to_pass"]
    kept = {"--rtol": str(report["tolerance"]["rtol"]), "--atol": str(report["tolerance"]["atol"])}
    if report["tolerance"]["max_ulp"] is not None:
        kept["--max-ulp"] = str(report["tolerance"]["max_ulp"])
    nan = [x for x in options if x == "--nan-unequal"]
    nan += ["--ignore", "m.npy"] if "--ignore" in options else []
    for option, key in (("--rtol", "rtol"), ("--atol", "atol"), ("--max-ulp", "max_ulp")):
        value = needed[key]
        if value is None:
            continue
        less = value - 1 if key == "max_ulp" else float(np.nextafter(value, 0))
        for tried, status in ((value, 0), (less, 1)):
            given = dict(kept, **{option: repr(tried)})
            run = checker.compare("-q", *nan, *[word for pair in given.items() for word in pair])
            checker.check(f"{what}: {option} {tried!r}", run.returncode == status, run)


def check_pair(checker, rng, dtype, shape):
    a, e = random_pair(rng, dtype, shape)
    save(checker.folder / "a.npy", a, dtype)
    save(checker.folder / "e.npy", e, dtype)
    rtol = float(rng.choice([0, 0, 1e-6, 1e-2, 0.5]))
    atol = float(rng.choice([0, 0, 1e-6, 1e-2, 3]))
    max_ulp = int(rng.choice([0, 1, 2, 1000])) if dtype not in COMPLEX and rng.random() < 0.3 else None
    nan_unequal = bool(rng.random() < 0.2)
    options = ["--rtol", repr(rtol), "--atol", repr(atol)]
    if rng.random() < 0.3:
        options = ["--tolerance", "auto"]
        rtol, atol = AUTO.get(dtype, (0, 0))
    options += ["--max-ulp", str(max_ulp)] if max_ulp is not None else []
    options += ["--nan-unequal"] if nan_unequal else []
    kept = np.ones(a.size, bool)
    if rng.random() < 0.3:
        kept = rng.random(a.size) < 0.7
        kept[rng.integers(a.size)] = True
        np.save(checker.folder / "m.npy", ~kept.reshape(shape))
        options += ["--ignore", "m.npy"]
    positions = np.flatnonzero(kept)
    what = f"{dtype}{shape} {' '.join(options)}"
    expected = Expected(a.ravel()[kept], e.ravel()[kept], dtype, rtol, atol, max_ulp, nan_unequal)
    report = checker.report(*options, "--show", str(SHOW))
    checker.check(f"{what}: differing", report["differing"] == expected.where.size,
                  f"{report['differing']} for {expected.where.size}")
    checker.check(f"{what}: unfixable", report["unfixable"] == expected.unfixable,
                  f"{report['unfixable']} for {expected.unfixable}")
    if expected.where.size:
        first = [int(x) for x in np.unravel_index(positions[expected.where[0]], shape)]
        checker.check(f"{what}: first", report["first"]["position"] == first, f"{report['first']} for {first}")
        worst = [int(x) for x in np.unravel_index(positions[expected.worst], shape)]
        # The modulus is rounded otherwise here, and large integers are doubles in a bound.
        if dtype not in COMPLEX and not (dtype in ("int64", "uint64") and rtol != 0):
            checker.check(f"{what}: worst", report["worst"]["position"] == worst, f"{report['worst']} for {worst}")
            lists = report["shown"]
            for name, order in (("first", [int(i) for i in expected.where]), ("worst", expected.worst_first)):
                wanted = [[int(x) for x in np.unravel_index(positions[i], shape)] for i in order[:SHOW]]
                shown = [element["position"] for element in lists[name]]
                by_excess = name == "worst" and expected.unfixable and max_ulp is not None
                if not by_excess:
                    checker.check(f"{what}: shown {name}", shown == wanted, f"{shown} for {wanted}")
        if report["to_pass"] is not None:
            check_smallest(checker, what, report, options, dtype)
    for measure in ("absolute", "relative", "ulp"):
        wanted = getattr(expected, measure)
        shown = report["largest"][measure]
        value = 0 if shown is None else shown["value"]
        if dtype in COMPLEX and measure == "ulp":
            checker.check(f"{what}: no ulp", shown is None, shown)
        elif measure == "ulp" or (measure == "absolute" and dtype in INTEGERS):
            checker.check(f"{what}: {measure}", value == wanted, f"{shown} for {wanted}")
        else:
            checker.check(f"{what}: {measure}", is_close(value, wanted), f"{shown} for {wanted!r}")


def check_advice(checker, rng, dtype, shape):
    """What the reports say would pass does, with any options, in place of the ones that were given."""
    a, e = random_pair(rng, dtype, shape)
    save(checker.folder / "a.npy", a, dtype)
    save(checker.folder / "e.npy", e, dtype)
    np.save(checker.folder / "mask.npy", rng.random(shape) < 0.3)
    given = {}
    for name, values in (("rtol", ["0", "1e-6", "0.5"]), ("atol", ["0", "1e-6", "3"]), ("max-mismatch", ["0", "3", "10%"]),
                         ("max-rms", ["0", "1e-3", "0.5"]), ("min-cosine", ["0.5", "0.999999", "1"]), ("tolerance", ["auto"]),
                         ("max-ulp", ["0", "2"]), ("nan-unequal", [None]), ("ignore", [checker.folder / "mask.npy"])):
        if rng.random() < 0.35 and not (name == "max-ulp" and dtype in COMPLEX):
            given[name] = values[rng.integers(len(values))]
    # Values of another dtype, which have tolerances of their own.
    if dtype in ("float16", "bfloat16") and rng.random() < 0.5:
        with np.errstate(invalid="ignore"):  # a signalling NaN
            np.save(checker.folder / "e.npy", widened(e, dtype).astype(np.float32).reshape(shape))
        given["by-value"] = None

    def words(options):
        return [word for name, value in options.items() for word in (f"--{name}", value) if word is not None]
    what = f"{dtype}{shape} {' '.join(map(str, words(given)))}: to pass"
    run = checker.compare(*words(given))
    [pair] = json.loads(checker.compare("--json", *words(given)).stdout)["pairs"]
    shown = [line.split(":", 1)[1].strip() for line in run.stdout.splitlines() if line.strip().startswith("to pass:")]
    checker.check(f"{what}: one line", run.returncode != 1 or len(shown) == 1, run)
    limits, _, ways = "".join(shown).rpartition(", and ")
    if not limits and ways.startswith(("max-rms", "min-cosine")):
        limits, ways = ways, ""
    is_help = shown and not shown[0].startswith("no ")
    needed = dict(option.split(" ") for option in limits.split(" and ") if option and is_help)
    advice = [needed | dict([way.split(" ")] if way else []) for way in ways.split(" or ") if is_help]
    passing = (pair["comparison"] or {}).get("to_pass") or {}
    limits = {name.replace("_", "-"): value for name, value in passing.items() if name in ("max_rms", "min_cosine")}
    advice += [limits | {name.replace("_", "-"): value} for name, value in passing.items() if name in ("rtol", "atol", "max_ulp")
               and value is not None]
    checker.check(f"{what}: as in JSON", not is_help or passing, f"{shown} {pair}")
    for options in advice:
        again = checker.compare("-q", *words(given | {name: str(value) for name, value in options.items()}))
        checker.check(f"{what}: {options}", again.returncode == 0, again)


def square_sum(values):
    return math.fsum(float(x) * float(x) for x in values)


def is_near(value, expected):
    """The sum of many roundings."""
    return value == expected or abs(value - expected) <= 1e-11 * abs(expected)


def check_metrics(checker, what, report, x, y, off):
    """RMS error, cosine and PSNR of parts that are no infinity or NaN; `off` are the elements' errors."""
    metrics = report["metrics"]
    squares = square_sum(off)
    if math.isinf(squares) or math.isinf(square_sum(x)) or math.isinf(square_sum(y)) or max(map(abs, [*x, *y]), default=0) > 1e150:
        return
    rms = math.sqrt(squares / off.size) if off.size else 0
    # NaN where the squares of numbers that are not zero are lost.
    lost = [sum_of < 1e-270 and any(v != 0 for v in of) for sum_of, of in
            ((squares, off), (min(square_sum(x), square_sum(y)), [*x, *y]))]
    fits = lost[0] if metrics["rms"] == "NaN" else is_near(metrics["rms"], rms)
    checker.check(f"{what}: rms", fits, f"{metrics} for {rms}")
    norms = math.sqrt(square_sum(x)) * math.sqrt(square_sum(y))
    cosine = (math.fsum(float(p) * float(q) for p, q in zip(x, y)) / norms if norms else
              1 if square_sum(x) == square_sum(y) else 0)
    fits = lost[1] if metrics["cosine"] == "NaN" else abs(metrics["cosine"] - cosine) <= 1e-11
    checker.check(f"{what}: cosine", fits, f"{metrics} for {cosine}")


def check_picture(checker, rng, dtype, shape):
    """--histogram, --map and where: by NumPy, of elements that are compared exactly."""
    a, e = random_pair(rng, dtype, shape)
    save(checker.folder / "a.npy", a, dtype)
    save(checker.folder / "e.npy", e, dtype)
    what = f"{dtype}{shape} --histogram --map"
    report = checker.report("--histogram", "--map")
    again = checker.report("--histogram", "--map", "--threads", "3")
    checker.check(f"{what}: threads", report == again)
    expected = Expected(a.ravel(), e.ravel(), dtype, 0, 0, None, False)
    differs = expected.differs.reshape(shape)
    for axis in report["where"]:
        other = tuple(i for i in range(len(shape)) if i != axis["axis"])
        at = differs.any(axis=other)
        step = axis["step"]
        shown = np.zeros(at.size, bool)
        for first, last in axis["ranges"]:
            shown[first:last + 1] = True
        wanted = np.repeat(np.logical_or.reduceat(at, np.arange(0, at.size, step)), step)[:at.size]
        if axis["more_ranges"] == 0:
            checker.check(f"{what}: where", np.array_equal(shown, wanted), axis)
            checker.check(f"{what}: elements", axis["elements"] == shown.sum() * (a.size // at.size), axis)
    if expected.where.size:
        sizes = [axis["axis"] for axis in report["where"]]
        checker.check(f"{what}: axes", sizes == [i for i, size in enumerate(shape) if size > 1], sizes)
    grid = differs.reshape(-1, shape[-1] if shape else 1)
    tall, wide = report["map"]["cell"]
    cells = np.add.reduceat(np.add.reduceat(grid.astype(int), np.arange(0, grid.shape[0], tall), 0),
                            np.arange(0, grid.shape[1], wide), 1)
    checker.check(f"{what}: map", report["map"]["differing"] == cells.tolist() and cells.shape[0] <= 24 and
                  cells.shape[1] <= 72, report["map"]["cell"])
    # Errors, as in the report of all: of pairs that are no infinity or NaN on one side only.
    if dtype in INTEGERS:
        x, y = [[float(v) for v in side.ravel()] for side in (a, e)]
        off = np.array([float(abs(int(p) - int(q))) for p, q in zip(a.ravel(), e.ravel())])
        size = np.abs(np.array(y))
    else:
        x, y = widened(a, dtype).ravel(), widened(e, dtype).ravel()
        parts = []
        unfixable = np.zeros(x.size, bool)
        with np.errstate(all="ignore"):
            for p, q in zip(parts_of(x, dtype), parts_of(y, dtype)):
                same = ~np.isfinite(p) & ((p == q) | (np.isnan(p) & np.isnan(q)))
                unfixable |= ~same & ~(np.isfinite(p) & np.isfinite(q))
                parts.append((np.where(same, 0, p), np.where(same, 0, q)))
            off = np.sqrt(sum((p - q).astype(np.longdouble) ** 2 for p, q in parts))[~unfixable].astype(np.float64)
            size = np.sqrt(sum(q.astype(np.longdouble) ** 2 for _, q in parts))[~unfixable]
        x = np.concatenate([p[~unfixable] for p, _ in parts])
        y = np.concatenate([q[~unfixable] for _, q in parts])
    check_metrics(checker, what, report, x, y, off)
    if np.isinf(off).any():
        return
    histogram = report["histogram"]["absolute"]
    checker.check(f"{what}: zeros", histogram["zeros"] == (off == 0).sum(), f"{histogram} for {(off == 0).sum()}")
    # A modulus is rounded otherwise here, and may be in the next bin.
    if dtype not in COMPLEX:
        for bar in histogram["bars"]:
            end = math.inf if bar["to"] == "Infinity" else bar["to"]
            count = ((off != 0) & (off >= bar["from"]) & (off < end)).sum()
            checker.check(f"{what}: bar", bar["count"] == count, f"{bar} for {count}")
    checker.check(f"{what}: all", sum(bar["count"] for bar in histogram["bars"]) + histogram["zeros"] == off.size)
    ordered_off = np.sort(off)
    for name, thousandths in (("50", 500), ("90", 900), ("99", 990), ("99.9", 999)):
        if not off.size:
            continue
        exact = ordered_off[-(-off.size * thousandths // 1000) - 1]
        bound = histogram["quantiles"][name]
        checker.check(f"{what}: {name}%", exact * (1 - 1e-15) <= bound <= exact * (1 + 1 / 16) or exact < 1e-300,
                      f"{bound} for {exact}")
    if dtype in FLOATS:
        bars = report["histogram"]["ulp"]["bars"]
        ulps = np.array([u for u, bad in zip(expected.ulps, unfixable) if not bad and not math.isinf(u)], dtype=object)
        same = [not np.isfinite(p) for p in widened(a, dtype).ravel()[~unfixable]]
        for bar in bars:
            count = sum(1 for u, skip in zip(ulps, same) if not skip and u != 0 and bar["from"] <= float(u) < bar["to"])
            checker.check(f"{what}: ulp", bar["count"] == count, f"{bar} for {count}")


def check_limits(checker, rng):
    """--min-cosine and --max-rms decide alone, or beside a tolerance."""
    e = rng.standard_normal(500)
    a = e + rng.standard_normal(500) * 0.01
    np.save(checker.folder / "a.npy", a)
    np.save(checker.folder / "e.npy", e)
    rms = math.sqrt(np.mean((a - e) ** 2))
    cosine = float(a @ e / np.linalg.norm(a) / np.linalg.norm(e))
    for options, equal in ((["--max-rms", repr(rms * 1.0001)], True), (["--max-rms", repr(rms * 0.9999)], False),
                           (["--min-cosine", repr(cosine - 1e-9)], True), (["--min-cosine", repr(cosine + 1e-9)], False),
                           (["--min-cosine", "0.9", "--max-rms", "1e-9"], False),
                           (["--min-cosine", "0.9", "--atol", "1e-9"], False), (["--min-cosine", "0.9", "--atol", "1"], True),
                           (["--min-cosine", "0.9", "--max-mismatch", "3"], False)):
        report = checker.report(*options)
        checker.check(f"{options}", report["equal"] == equal, report)
        checker.check(f"{options} -qq", checker.compare("-qq", *options).returncode == (0 if equal else 1))
    a[7] = np.nan
    np.save(checker.folder / "a.npy", a)
    checker.check("NaN on one side", not checker.report("--min-cosine", "0.5")["equal"])


def check_bits(checker, rng, dtype, shape):
    """--exact-bits: elements whose bytes differ, and those of them that are equal without it."""
    a, e = random_pair(rng, dtype, shape)
    save(checker.folder / "a.npy", a, dtype)
    save(checker.folder / "e.npy", e, dtype)
    count = math.prod(shape)
    bytes_of = lambda array: array.reshape(-1).view(np.uint8).reshape(count, -1)
    differing = int((bytes_of(a) != bytes_of(e)).any(axis=1).sum())
    values = checker.report()["differing"]
    report = checker.report("--exact-bits")
    checker.check(f"{dtype}{shape} --exact-bits", report["differing"] == differing and
                  report["only_bits"] == differing - values and report["tolerance"]["exact_bits"], report)


def check_plain(checker, rng):
    """bool and string: equal or not."""
    for shape in SHAPES:
        count = math.prod(shape)
        for make in (lambda: rng.random(count) < 0.5, lambda: rng.choice(["", "a", "ab", "\u00e9\U0001f600"], count)):
            a, e = make().reshape(shape), make().reshape(shape)
            np.save(checker.folder / "a.npy", a)
            np.save(checker.folder / "e.npy", e)
            where = np.flatnonzero(a != e)
            report = checker.report("--rtol", "1", "--atol", "1")
            checker.check(f"{a.dtype}{shape}", report["differing"] == where.size, report)
            if where.size:
                first = [int(x) for x in np.unravel_index(where[0], shape)]
                checker.check(f"{a.dtype}{shape}: first", report["first"]["position"] == first, report)


def save_set(rng, path, arrays):
    """The arrays as a folder of NPY files or as an archive, by the ending of the path."""
    if path.suffix == ".npz":
        (np.savez if rng.random() < 0.5 else np.savez_compressed)(path, **arrays)
        return
    for name, array in arrays.items():
        file = path / f"{name}.npy"
        file.parent.mkdir(parents=True, exist_ok=True)
        np.save(file, array)


def random_sets(rng):
    """Two dictionaries that share some names, and the outcome of each name."""
    actual, expected, outcomes = {}, {}, {}
    for i in range(int(rng.integers(2, 40))):
        name = f"{'sub/' if rng.random() < 0.3 else ''}n{i}"
        dtype = rng.choice(["int8", "uint64", "float16", "float32", "float64", "complex64"])
        shape = SHAPES[rng.integers(len(SHAPES))]
        a, e = random_pair(rng, dtype, shape)
        if rng.random() < 0.5:
            a = e.copy()
        if rng.random() < 0.1:
            a = a.reshape((1,) + shape)
        side = rng.random()
        if side > 0.1:
            actual[name] = a
        if side < 0.1 or side > 0.2:
            expected[name] = e
        # A complex number is equal by its parts: for NumPy one NaN makes it a NaN as a whole.
        same = a.dtype == e.dtype and all(np.array_equal(x, y, equal_nan=dtype not in ("int8", "uint64"))
                                          for x, y in ((a.real, e.real), (a.imag, e.imag)))
        outcomes[name] = ("missing" if name not in actual else "extra" if name not in expected else
                          "equal" if same else "different")
    return actual, expected, outcomes


def check_sets(checker, rng):
    """Folders and archives: each array against the one of its name, and as when the two are compared alone."""
    actual, expected, outcomes = random_sets(rng)
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        first = directory / rng.choice(["a.npz", "a"])
        second = directory / rng.choice(["e.npz", "e"])
        for path in (first, second):
            if path.suffix != ".npz":
                path.mkdir()
        save_set(rng, first, actual)
        save_set(rng, second, expected)
        if len(actual) == 1 and len(expected) == 1:
            return
        options = ["--tolerance", "auto"] if rng.random() < 0.3 else []
        run = subprocess.run([checker.binary, "compare", first, second, "--json", *options], capture_output=True,
                             text=True)
        what = f"{first.name} {second.name} {len(outcomes)} tensors"
        report = json.loads(run.stdout)
        found = {pair["name"].removesuffix(".npy"): pair for pair in report["pairs"]}
        checker.check(f"{what}: names", sorted(found) == sorted(outcomes), sorted(found))
        names = [pair["name"] for pair in report["pairs"]]
        checker.check(f"{what}: order", names == sorted(names), names)
        for name, pair in found.items():
            if not options:
                checker.check(f"{what}: {name}", pair["outcome"] == outcomes[name], f"{pair} for {outcomes[name]}")
            if pair["comparison"] is None:
                continue
            alone = subprocess.run([checker.binary, "compare", pair["actual"], pair["expected"], "--json", *options],
                                   capture_output=True, text=True)
            [alone] = json.loads(alone.stdout)["pairs"]
            for key in ("name", "seconds"):  # a pair is named as its operands
                alone[key] = pair[key]
            checker.check(f"{what}: {name} alone", pair == alone, f"{pair} for {alone}")
        same = all(pair["outcome"] == "equal" for pair in report["pairs"])
        checker.check(f"{what}: status", run.returncode == (0 if same else 1) and report["equal"] == same, run)
        for outcome in ("equal", "different", "missing", "extra", "error"):
            count = sum(pair["outcome"] == outcome for pair in report["pairs"])
            checker.check(f"{what}: {outcome}", report["summary"][outcome] == count, report["summary"])


def check_all(checker):
    rng = np.random.default_rng(SEED)
    for dtype in INTEGERS + FLOATS + COMPLEX:
        for shape in share(SHAPES, 2):
            check_pair(checker, rng, dtype, shape)
            check_bits(checker, rng, dtype, shape)
            check_picture(checker, rng, dtype, shape)
            check_advice(checker, rng, dtype, shape)
    check_limits(checker, rng)
    check_plain(checker, rng)
    for _ in range(20 if NIGHTLY else 8):
        check_sets(checker, rng)
    print(f"NumPy {np.__version__}, seed {SEED}")


if __name__ == "__main__":
    run_program(check_all, Compare)
