#!/usr/bin/python3
"""Holds tensorop's files to NumPy's: for every dtype NumPy has, many shapes, both memory orders, both byte orders.

    /usr/bin/python3 tests/io/numpy_roundtrip.py path/to/tensorop

What numpy.save writes, tensorop reads, and what tensorop writes of it is byte for byte what numpy.save writes of the
same array in C order and little-endian. JSON that tensorop writes, Python reads back to the same array, and the other
way round. The last line is "N passed, N failed".
"""

import io
import json
import math
import pathlib
import random
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, Program, npy as saved, run_program, share


# NumPy's codes and the names tensorop has for them. bfloat16 is unknown to NumPy: two raw bytes.
DTYPES = {
    "?": "bool",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "c8": "complex64",
    "c16": "complex128",
    "U": "string",
}

SHAPES = [
    (),
    (0,),
    (1,),
    (7,),
    (64,),
    (2, 3),
    (3, 1, 4),
    (2, 3, 4),
    (5, 4, 3),
    (0, 3),
    (2, 0, 3),
    (3, 2, 0),
    (100, 30),
    (1,) * 32,
    tuple(2 if i in (0, 5, 17, 31) else 1 for i in range(32)),
]

WORDS = ["", "a", "naïve", "日本語", "\U0001f600", "tab\t", 'quo"te', "back\\slash", "two words", "\x7f", "\U0010ffff", "x" * 40]


def sample(code, shape, rng):
    """An array of this dtype whose elements lie all over its range, some of them special."""
    count = math.prod(shape)
    if code == "U":
        return np.array([rng.choice(WORDS) for _ in range(count)], dtype=str).reshape(shape)
    dtype = np.dtype(code)
    if code == "?":
        return np.array([rng.random() < 0.5 for _ in range(count)], dtype=bool).reshape(shape)
    # Random bits are values of every magnitude, subnormal and not finite ones among them.
    flat = np.frombuffer(rng.randbytes(count * dtype.itemsize), dtype=dtype.newbyteorder("<")).copy()
    if dtype.kind in "fc":
        parts = flat.view(np.dtype(f"<f{dtype.itemsize // (2 if dtype.kind == 'c' else 1)}"))
        # JSON has one NaN; a payload would not survive it.
        parts[np.isnan(parts)] = np.nan
        special = [0.0, -0.0, 1.0, 0.1, math.inf, -math.inf, math.nan, 65504.0, 16777216.0, 1e5, 123456.0]
        for i in range(0, len(parts), 3):
            with np.errstate(over="ignore"):
                parts[i] = rng.choice(special)
    else:
        limits = np.iinfo(dtype)
        for i in range(0, len(flat), 4):
            flat[i] = rng.choice([limits.min, limits.max, 0, 1])
    return flat.reshape(shape)


def canonical(array):
    """The array as tensorop writes it: C order, little-endian, strings as wide as the longest of them."""
    if array.dtype.kind == "U":
        width = max((len(text) for text in array.ravel().tolist()), default=1)
        return np.array(array, dtype=f"<U{max(width, 1)}", order="C")
    return np.array(array, dtype=array.dtype.newbyteorder("<"), order="C")


def json_number(part):
    part = float(part)
    if math.isnan(part):
        return "NaN"
    if math.isinf(part):
        return "Infinity" if part > 0 else "-Infinity"
    return part


def json_element(element):
    if isinstance(element, complex):
        return [json_number(element.real), json_number(element.imag)]
    return json_number(element) if isinstance(element, float) else element


def to_json(array, name):
    """The self-describing form, its data flat. Python writes floats with the digits of a double."""
    flat = [json_element(element) for element in array.ravel().tolist()]
    return {"dtype": name, "shape": list(array.shape), "data": flat}


NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def from_json(document, code):
    """The array a self-describing document holds, each number rounded from its text to the dtype by NumPy."""
    shape = tuple(document["shape"])
    flat = document["data"]
    depth = len(shape) if math.prod(shape) > 0 else 1
    for _ in range(depth - 1):
        flat = [item for row in flat for item in row]
    flat = flat if depth > 0 else [flat]
    if code in ("c8", "c16"):
        part = np.dtype("<f4" if code == "c8" else "<f8")
        parts = [NOT_FINITE.get(number, number) for pair in flat for number in pair]
        return np.array(parts, dtype=part).view(f"<{code}").reshape(shape)
    if code in ("f2", "f4", "f8"):
        return np.array([NOT_FINITE.get(number, number) for number in flat], dtype=f"<{code}").reshape(shape)
    return np.array(flat, dtype=str if code == "U" else np.dtype(code)).reshape(shape)


class Roundtrip(Program):
    def convert(self, what, source, ending, options=()):
        """What tensorop makes of a file with these bytes; None, and counted, when it refuses."""
        given = self.folder / "in"
        result = self.folder / f"out.{ending}"
        given.write_bytes(source)
        result.unlink(missing_ok=True)
        done = self.run("convert", given, "-o", result, *options)
        if done.returncode == 0 and not done.stderr and not done.stdout:
            return result.read_bytes()
        self.check(what, False, f"exit {done.returncode}: {done.stderr.strip() or done.stdout[:200]}")
        return None

    def check_refused(self, what, source):
        given = self.folder / "in"
        given.write_bytes(source)
        done = subprocess.run([self.binary, "convert", given], capture_output=True, text=True)
        self.check(what, done.returncode == 2 and not done.stdout, f"exit {done.returncode}: {done.stdout[:200]}")

    def check_npy(self, what, source, expected, options=()):
        written = self.convert(what, source, "npy", options)
        if written is None:
            return
        shorter = min(len(written), len(expected))
        where = next((i for i in range(shorter) if written[i] != expected[i]), shorter)
        detail = f"differs from numpy.save at byte {where}; {len(written)} bytes instead of {len(expected)}"
        self.check(what, written == expected, detail)

    def convert_to_json(self, what, source):
        """The self-describing document tensorop makes of a file; None, and counted, when there is none."""
        written = self.convert(what, source, "json")
        if written is None:
            return None
        try:
            document = json.loads(written)
            if document.keys() == {"dtype", "shape", "data"}:
                return document
            self.check(what, False, f"keys {list(document)}")
        except (ValueError, AttributeError) as error:
            self.check(what, False, f"not the JSON of a tensor: {error}")
        return None

    def check_json(self, what, array, code):
        document = self.convert_to_json(what, saved(array))
        if document is None:
            return
        self.check(f"{what}: dtype", document["dtype"] == DTYPES[code], document["dtype"])
        self.check(f"{what}: shape", tuple(document["shape"]) == array.shape, str(document["shape"]))
        # Bytes, so that minus zero differs from zero.
        read = from_json(document, code)
        self.check(f"{what}: data", canonical(read).tobytes() == canonical(array).tobytes())


def check_numpy_dtypes(checker, rng):
    for code, name in DTYPES.items():
        for shape in share(SHAPES, 2):
            array = sample(code, shape, rng)
            expected = saved(canonical(array))
            what = f"{name} {shape}"
            for order in "<>" if array.dtype.itemsize > 1 and code != "?" else "|":
                stored = array.astype(array.dtype.newbyteorder(order))
                for layout in "CF":
                    source = saved(np.array(stored, order=layout))
                    checker.check_npy(f"{what} '{order}' {layout} order", source, expected)
                    checker.check_npy(f"{what} '{order}' {layout} order in pieces", source, expected, ["--memory", "1"])
            checker.check_json(f"{what} to JSON", array, code)
            document = json.dumps(to_json(array, name), ensure_ascii=False).encode("utf-8")
            checker.check_npy(f"{what} from JSON", document, expected)


def check_versions(checker, rng):
    """Format versions 2.0 and 3.0 are read; what is written is 1.0 again."""
    for version in ((1, 0), (2, 0), (3, 0)):
        for code in ("i4", "f8", "U"):
            array = sample(code, (2, 3), rng)
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, version=version, allow_pickle=False)
            what = f"{DTYPES[code]} (2, 3) of version {version[0]}.{version[1]}"
            checker.check_npy(what, buffer.getvalue(), saved(canonical(array)))


def check_header_lengths(checker):
    """Every length modulo 64, and every rank that NumPy has: a third of them, as the seed says."""
    for code in ("?", "i8", "c16", "U"):
        for rank in share(range(33), 3):
            for dim in (1, 10, 100):
                array = np.zeros((1,) * (rank - 1) + (dim,) if rank else (), dtype=code)
                checker.check_npy(f"{DTYPES[code]} {array.shape}", saved(array), saved(canonical(array)))


def check_byte_strings(checker):
    texts = [b"", b"a", "ü".encode(), b"x y", b"longest"]
    array = np.array(texts, dtype="S")
    expected = saved(canonical(np.array([text.decode() for text in texts])))
    checker.check_npy("|S of UTF-8", saved(array), expected)
    wide = np.array(["a", "bc"], dtype="<U50")
    checker.check_npy("<U wider than its longest element", saved(wide), saved(canonical(wide)))


def check_header_spellings(checker):
    """Headers that numpy.save does not write are read, or refused, as numpy.load does it."""
    literals = [
        f"{{{space}'descr':{space}'<f4',{space}'fortran_order':{space}False{space},'shape':{space}(2,){space}}}{end}"
        for space in ("", " ", "\t", "\r", "\f", "\v", "\n", "\r\n", "\xa0")
        for end in ("", "\n", "\r\n", "\r", "\t\n", "\n\t", "\f\n", "\v\n", "\n\n", "\0\n")
    ]
    for shape in ("(2,)", "(02,)", "(002,)", "(1, 02)", "(2L,)", "(02L,)", "(1, 2)", "(2)", "[2]", "(2.0,)", "(-2,)"):
        literals.append(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n")
    # Keys in any order, other quotes; and the codes of dtypes without a byte order, or with one that says nothing.
    literals.append('{"shape": (2,), "fortran_order": True, "descr": "<f4"}')
    literals.append("{'fortran_order':False,'descr':'<f4','shape':(0,4294967296)}")
    for code in ("? b1 bool b i1 <i1 B >u1 h H i i4 =i4 int32 I q Q uint64 e f float32 d f8 float64 F D c16 complex128 "
                 ">c16").split():
        literals.append(f"{{'descr': '{code}', 'fortran_order': False, 'shape': (1,)}}")
    for literal in literals:
        text = literal.encode("latin1")
        source = b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text
        what = f"header {literal!r}"
        try:
            array = np.load(io.BytesIO(source + bytes(64)))
            expected = saved(canonical(array))
            source += bytes(range(array.nbytes))
            expected = expected[: len(expected) - array.nbytes] + canonical(np.load(io.BytesIO(source))).tobytes()
        except ValueError:
            checker.check_refused(what, source)
        else:
            checker.check_npy(what, source, expected)
    for descr, data in (("u'<f4'", bytes(8)), ('u"<f4"', bytes(8)), ("'<U0'", b""), ("'|S0'", b"")):
        text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': (2,)}}\n".encode()
        source = b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + data
        loaded = np.load(io.BytesIO(source))
        expected = saved(loaded) if data else saved(np.array(loaded, dtype="<U1"))
        checker.check_npy(f"descr {descr}", source, expected)


def bfloat16_file(bits, descr):
    """What numpy.save writes of an array whose dtype calls itself `descr`, as ml_dtypes does."""
    buffer = io.BytesIO()
    fields = {"descr": descr, "fortran_order": False, "shape": bits.shape}
    np.lib.format.write_array_header_1_0(buffer, fields)
    return buffer.getvalue() + bits.tobytes()


def widened(bits):
    """The values of flat bfloat16 bits, exactly."""
    return (bits.astype("<u4") << 16).view("<f4")


def rounded_to_bfloat16(values):
    """The bits of flat float32 values rounded to bfloat16, ties to even; every NaN is the same."""
    raw = values.view("<u4").astype("<u8")
    bits = ((raw + 0x7FFF + (raw >> 16 & 1)) >> 16).astype("<u2")
    return np.where(np.isnan(values), np.uint16(0x7FC0), bits)


def check_bfloat16(checker, rng):
    for shape in SHAPES:
        bits = sample("u2", shape, rng).astype("<u2")
        expected = bfloat16_file(bits, "<V2")
        checker.check_npy(f"bfloat16 {shape} as <V2", expected, expected)
        raw = bits.view("V2")
        for layout in "CF":
            checker.check_npy(f"bfloat16 {shape} as |V2 {layout} order", saved(np.array(raw, order=layout)), expected)

        what = f"bfloat16 {shape} to JSON"
        document = checker.convert_to_json(what, expected)
        if document is None:
            continue
        checker.check(f"{what}: dtype", document["dtype"] == "bfloat16", document["dtype"])
        read = from_json(document, "f4")
        checker.check(f"{what}: shape", read.shape == shape, str(document["shape"]))
        one_nan = rounded_to_bfloat16(widened(bits.ravel()))
        checker.check(f"{what}: data", np.array_equal(rounded_to_bfloat16(read.ravel()), one_nan))
        quiet = bfloat16_file(one_nan.reshape(shape), "<V2")
        checker.check_npy(f"{what} and back", json.dumps(document).encode("utf-8"), quiet)


def check_all(checker):
    rng = random.Random(SEED)
    check_numpy_dtypes(checker, rng)
    check_versions(checker, rng)
    check_header_lengths(checker)
    check_byte_strings(checker)
    check_header_spellings(checker)
    check_bfloat16(checker, rng)
    print(f"NumPy {np.__version__}, seed {SEED}")


if __name__ == "__main__":
    run_program(check_all, Roundtrip)
