#!/usr/bin/python3
"""Holds the JSON texts of float8 and float4 to exact rational arithmetic, made from the layouts alone.

    /usr/bin/python3 tests/tensor/small_numbers.py path/to/tensorop

The text of every byte, which is the shortest that reads back (of e8m0 that of float32), and of e8m0 the texts of
Python and NumPy; and bytes under --view. The last line is "N passed, N failed".
"""

import fractions
import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import Program, run_program

NAN = "NaN"
INF = "Infinity"
MINUS_INF = "-Infinity"


class Small:
    """A small float, from table 4.2 of the specification: what its bytes are, and what a number becomes."""

    def __init__(self, name, bits, fraction, bias, largest, infinity=None, nan=(), minus_zero=True, sign=True, zero=True):
        self.name, self.bits, self.fraction, self.bias = name, bits, fraction, bias
        self.largest, self.infinity, self.nan = largest, infinity, nan
        self.minus_zero, self.sign, self.zero = minus_zero, sign, zero
        self.sign_bit = 1 << bits - 1 if sign else 0

    def value(self, byte):
        """(negative, magnitude): a fraction, or NAN or INF."""
        byte &= (1 << self.bits) - 1
        negative, magnitude = bool(byte & self.sign_bit), byte & ~self.sign_bit
        if byte in self.nan:
            return negative, NAN
        if magnitude == self.infinity:
            return negative, INF
        exponent, fraction = divmod(magnitude, 1 << self.fraction)
        part = fractions.Fraction(fraction, 1 << self.fraction)
        if exponent == 0 and self.zero:
            return negative, part * fractions.Fraction(2) ** (1 - self.bias)
        return negative, (1 + part) * fractions.Fraction(2) ** (exponent - self.bias)

    def values(self):
        """The magnitudes, in their order, which is that of their bits."""
        return [self.value(bits)[1] for bits in range(self.largest + 1)]

    def rounded(self, magnitude):
        """The bits of the nearest magnitude, of two the even one (e8m0: not below it); None beyond the largest."""
        values = self.values()
        if not self.zero:
            return next((bits for bits, value in enumerate(values) if value >= magnitude), None)
        # Where the one after the largest would be.
        values.append(2 * values[-1] - values[-2])
        below = max(bits for bits, value in enumerate(values) if value <= magnitude or bits == 0)
        if below == self.largest + 1:
            return None
        middle = (values[below] + values[below + 1]) / 2
        up = magnitude > middle or (magnitude == middle and below % 2 == 1)
        return None if below + up > self.largest else below + up

    def convert(self, number):
        """The bits of a number that is one of the values, or of a NaN or infinity."""
        sign = self.sign_bit if math.copysign(1, number) < 0 else 0
        special = sign if self.minus_zero else 0
        if math.isnan(number):
            return self.nan[0] | special
        if math.isinf(number):
            return self.infinity | special
        bits = self.rounded(abs(fractions.Fraction(number)))
        return bits | (sign if bits or self.minus_zero else 0)


SMALL = [
    Small("float8_e4m3fn", 8, 3, 7, 0x7E, nan=(0x7F, 0xFF)),
    Small("float8_e4m3fnuz", 8, 3, 8, 0x7F, nan=(0x80,), minus_zero=False),
    Small("float8_e5m2", 8, 2, 15, 0x7B, infinity=0x7C, nan=(0x7E, 0x7D, 0x7F, 0xFD, 0xFE, 0xFF)),
    Small("float8_e5m2fnuz", 8, 2, 16, 0x7F, nan=(0x80,), minus_zero=False),
    Small("float8_e8m0fnu", 8, 0, 127, 0xFE, nan=(0xFF,), minus_zero=False, sign=False, zero=False),
    Small("float4_e2m1fn", 4, 1, 1, 7),
]


def save(path, array, descr=None):
    """As numpy.save, or under another descr of as many bytes an element."""
    np.save(path, array)
    if descr:
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {array.shape}, }}".ljust(117) + "\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + array.tobytes())


class Tool(Program):
    def __init__(self, binary, folder):
        super().__init__(binary, folder)
        self.given, self.result = folder / "in.npy", folder / "out.npy"

    def converted(self, what, array, *arguments, descr=None):
        """What tensorop makes of an array, as numpy.load gives it; None where it fails."""
        save(self.given, array, descr)
        self.result.unlink(missing_ok=True)
        done = self.run("convert", self.given, *arguments, "-o", self.result)
        self.check(what, done.returncode == 0, done.stderr.strip())
        return np.load(self.result) if done.returncode == 0 else None


def is_shortest(small, text, byte):
    """Whether a decimal reads back as the byte, and no decimal of fewer digits does."""
    magnitude = byte & ~small.sign_bit & ((1 << small.bits) - 1)
    number = fractions.Fraction(text.lstrip("-"))
    if small.rounded(number) != magnitude or text.startswith("-") != bool(byte & small.sign_bit):
        return False
    if number == 0:
        return text.lstrip("-") == "0.0"
    digits = len(text.lstrip("-").split("e")[0].replace(".", "").strip("0"))
    value = small.value(magnitude)[1]
    exponent = math.floor(math.log10(value))
    for fewer in range(1, digits):
        unit = fractions.Fraction(10) ** (exponent - fewer + 1)
        for nearby in (value // unit, value // unit + 1):
            if nearby and small.rounded(nearby * unit) == magnitude:
                return False
    return True


def check_power_texts(tool, small):
    """Every value of e8m0 as Python and NumPy write it, in float64 and float32."""
    for what, write in (("repr(float)", lambda value: repr(float(value))), ("numpy.float32", lambda value: str(np.float32(float(value))))):
        texts = [write(value) for value in small.values()]
        table = tool.given.with_suffix(".csv")
        table.write_text("\n".join(texts) + "\n")
        for given in (f'[{",".join(texts)}]', table):
            tool.result.unlink(missing_ok=True)
            done = tool.run("convert", given, "--dtype", small.name, "-o", tool.result)
            tool.check(f"{small.name}: {what} is read", done.returncode == 0, done.stderr)
            if done.returncode == 0:
                found = np.load(tool.result).view(np.uint8).tolist()
                wrong = [f"{text}: {byte:#x}" for position, (text, byte) in enumerate(zip(texts, found)) if byte != position]
                tool.check(f"{small.name}: {what} is the value", not wrong, wrong[:5])


def check_texts(tool, small):
    codes = np.arange(256, dtype=np.uint8)
    save(tool.given, codes, small.name)
    done = tool.run("convert", tool.given, "--format", "json")
    texts = done.stdout.partition('"data":[')[2].partition("]")[0].split(",") if done.returncode == 0 else []
    tool.check(f"{small.name}: JSON", len(texts) == 256, done.stderr)
    nested = tool.run("convert", tool.given, "--format", "nested").stdout.strip().strip("[]").split(",")
    exact = [float(text.strip('"')) for text in nested]
    numbers = [small.value(byte)[1] for byte in range(256)]
    tool.check(f"{small.name}: the numbers of nested JSON are exact",
               all(value in (NAN, INF) or abs(found) == float(value) for found, value in zip(exact, numbers)))
    wrong = []
    for byte, text in enumerate(texts):
        negative, value = small.value(byte)
        if value == NAN:
            ok = text == f'"{NAN}"'
        elif value == INF:
            ok = text == (f'"{MINUS_INF}"' if negative else f'"{INF}"')
        elif not small.zero:
            ok = np.float32(text) == np.float32(float(value))
        else:
            ok = is_shortest(small, text, byte)
        if not ok:
            wrong.append(f"{byte:#x}: {text}")
    tool.check(f"{small.name}: the texts of all bytes", not wrong, wrong[:5])
    # They read back: NaN as the first one of the kind.
    back = tool.run("convert", f'{{"dtype":"{small.name}","data":[{",".join(texts)}]}}', "-o", tool.result)
    tool.check(f"{small.name}: JSON is read", back.returncode == 0, back.stderr)
    if back.returncode == 0:
        stored = np.load(tool.result)
        tool.check(f"{small.name}: NPY has no dtype", stored.dtype == np.dtype("V1") and "warning" in back.stderr)
        read = float if small.zero else np.float32
        expected = [small.convert(float(read(x.strip('"')))) for x in texts]
        tool.check(f"{small.name}: the same bytes", stored.view(np.uint8).tolist() == expected)


def check_views(tool):
    codes = np.arange(256, dtype=np.uint8)
    for name in [small.name for small in SMALL if small.bits == 8]:
        there = tool.converted(f"uint8 as {name}", codes, "--view", name)
        tool.check(f"uint8 as {name}: the same bytes", there is not None and there.view(np.uint8).tolist() == codes.tolist())
        # The file says V1: --view names it, --dtype too.
        for arguments in (["--view", name, "--dtype", "float64"], ["--view", "int8"]):
            tool.converted(f"V1 as {name}", codes.view("V1"), *arguments)
    back = tool.converted("float8 as int8", codes, "--view", "int8", descr="float8_e5m2")
    tool.check("float8 as int8", back is not None and back.dtype == np.int8 and back.view(np.uint8).tolist() == codes.tolist())
    half = np.arange(0, 65536, 7, dtype=np.uint16)
    for wide in ("float16", "int16", "bfloat16"):
        there = tool.converted(f"uint16 as {wide}", half, "--view", wide)
        tool.check(f"uint16 as {wide}", there is not None and there.view(np.uint16).tolist() == half.tolist())


def check_all(tool):
    for small in SMALL:
        check_texts(tool, small)
        if not small.zero:
            check_power_texts(tool, small)
    check_views(tool)


if __name__ == "__main__":
    run_program(check_all, Tool)
