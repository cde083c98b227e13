#!/usr/bin/python3
"""Holds the numbers that tensorop reads from JSON to exact rational arithmetic, where rounding is hardest.

    /usr/bin/python3 tests/io/number_boundaries.py path/to/tensorop

For float16, bfloat16, float32, float64, float8 and float4: halfway between neighbours, one digit above and below, subnormals, the
largest value and the first that overflows, up to 800 digits, exponents of any size and spelling. Each number is read
from a short text, from a text of more than 4 MB, and from that text on standard input. The last line is
"N passed, N failed".
"""

import fractions
import pathlib
import random
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import NIGHTLY, SEED, Program, run_program

RANDOM_VALUES = 1000 if NIGHTLY else 300
MOST_DIGITS = 800
SHORT_TEXT = 200_000
LONG_TEXT = 5_000_000 if NIGHTLY else 2_500_000


class Float:
    """A binary format of IEEE 754; its values by their bits without the sign."""

    def __init__(self, name, precision, least, infinity, unsigned, sign=None, minus_zero=True):
        self.name = name
        self.precision = precision  # bits of the significand
        self.least = least          # the smallest value is 2**least
        self.infinity = infinity    # the bits after those of the largest value
        self.unsigned = unsigned    # NumPy's code for integers of this size
        self.sign = sign or 1 << 8 * np.dtype(unsigned).itemsize - 1
        self.minus_zero = minus_zero

    def value(self, bits):
        """The value of finite bits; of the bits of infinity the value it would have with an unlimited exponent."""
        exponent, fraction = divmod(bits, 1 << self.precision - 1)
        if exponent > 0:
            fraction += 1 << self.precision - 1
        return fraction * fractions.Fraction(2) ** (self.least + max(exponent - 1, 0))

    def rounded(self, value):
        """The bits of a value that is not negative, rounded to nearest, ties to even; None when it overflows."""
        if value == 0:
            return 0
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        if value < fractions.Fraction(2) ** exponent:
            exponent -= 1
        exponent = max(exponent - (self.precision - 1), self.least)
        # round() of a fraction rounds ties to even. A carry goes into the bits of the exponent, where it belongs.
        bits = (exponent - self.least << self.precision - 1) + round(value / fractions.Fraction(2) ** exponent)
        return bits if bits < self.infinity else None

    def read(self, text):
        """The bits of the number that the text is; None when it overflows."""
        significand, _, exponent = text.lstrip("-").lower().partition("e")
        significand = fractions.Fraction(significand)
        # No text here has enough digits to make up for an exponent beyond these.
        exponent = min(max(int(exponent or 0), -3000), 3000)
        bits = self.rounded(significand * fractions.Fraction(10) ** exponent)
        has_sign = text.startswith("-") and (bits != 0 or self.minus_zero)
        return None if bits is None else bits | (self.sign if has_sign else 0)

    def magnitude(self, text):
        """The value, without its sign, of the number that the text is."""
        return self.value(self.read(text.lstrip("-")))


FORMATS = [
    Float("float16", 11, -24, 0x7C00, "<u2"),
    Float("bfloat16", 8, -133, 0x7F80, "<u2"),
    Float("float32", 24, -149, 0x7F800000, "<u4"),
    Float("float64", 53, -1074, 0x7FF0000000000000, "<u8"),
    Float("float8_e4m3fn", 4, -9, 0x7F, "u1"),
    Float("float8_e4m3fnuz", 4, -10, 0x80, "u1", minus_zero=False),
    Float("float8_e5m2", 3, -16, 0x7C, "u1"),
    Float("float8_e5m2fnuz", 3, -17, 0x80, "u1", minus_zero=False),
    Float("float4_e2m1fn", 2, -1, 0x8, "u1", sign=0x8),
]


def decimal_digits(value):
    """A fraction whose denominator is a power of two as (digits, exponent): digits * 10**exponent."""
    places = value.denominator.bit_length() - 1
    return value.numerator * 5**places, -places


def spelled(digits, exponent, rng):
    """digits * 10**exponent in one of the spellings that JSON has."""
    text = str(digits)
    style = rng.randrange(4)
    if style == 0 and exponent <= 0:  # no exponent
        text = text.rjust(1 - exponent, "0")
        text = f"{text[:len(text) + exponent]}.{text[len(text) + exponent:]}".rstrip(".")
    elif style == 0 and exponent < 400:
        text += "0" * exponent
    elif style == 1:  # the point somewhere between the digits
        point = rng.randint(1, len(text))
        fraction = text[point:] + "0" * rng.randrange(3)
        text = text[:point] + (f".{fraction}" if fraction else "")
        text += rng.choice("eE") + f"{exponent + len(str(digits)) - point:+}"
    elif style == 2:  # zeros that a large exponent makes up for
        zeros = rng.choice([1, 30, 400])
        if rng.random() < 0.5:
            text = f"0.{'0' * zeros}{text}e{exponent + zeros + len(text)}"
        else:
            text = f"{text}{'0' * zeros}e{exponent - zeros}"
    else:  # an exponent with zeros in front
        sign = "-" if exponent < 0 else rng.choice(["", "+"])
        text += f"{rng.choice('eE')}{sign}{'0' * rng.choice([1, 25])}{abs(exponent)}"
    return rng.choice(["", "-"]) + text


def boundary(value, rng):
    """Numbers at a value that is a boundary of rounding, and as near to it as this number of digits can be."""
    digits, exponent = decimal_digits(value)
    yield digits, exponent
    for more in {1, max(1, MOST_DIGITS - len(str(digits)))}:
        yield digits * 10**more + 1, exponent - more
        yield digits * 10**more - 1, exponent - more
    # Cut to fewer digits: the nearest decimals below and above.
    length = len(str(digits))
    for kept in (17, rng.randint(1, 60)):
        if kept < length:
            cut = digits // 10 ** (length - kept)
            yield cut, exponent + length - kept
            yield cut + 1, exponent + length - kept


def texts_of(format, rng):
    """Numbers at all kinds of boundaries of a format, in a random order."""
    smallest_normal = 1 << format.precision - 1
    powers = range(smallest_normal, format.infinity, smallest_normal)
    chosen = {0, 1, 2, 3, smallest_normal - 2, smallest_normal - 1, smallest_normal}
    chosen.update((format.infinity - 2, format.infinity - 1))
    chosen.update(rng.sample(powers, min(len(powers), 60)))
    chosen.update(bits - 1 for bits in rng.sample(powers, min(len(powers), 60)))
    chosen.update(format.rounded(fractions.Fraction(2**k)) or 0 for k in (53, 54, 63, 64, 65))
    chosen.update(rng.randrange(format.infinity) for _ in range(RANDOM_VALUES))
    texts = ["0", "-0", "-0.0", "0e999999999", "-0E-999999999", "0.000e+99999999999999999999", "1e-999999999",
             "-1e-99999999999999999999", "1e000", "-1.5E+00000000000000000001", "0.1", "-2.5e-00000000000000000003"]
    for bits in sorted(chosen):
        middle = (format.value(bits) + format.value(bits + 1)) / 2
        for digits, exponent in boundary(middle, rng):
            texts.append(spelled(digits, exponent, rng))
        if bits > 0:
            texts.append(spelled(*decimal_digits(format.value(bits)), rng))
    # Integers on both sides of what int64, uint64 and a significand hold.
    for power in (format.precision, 53, 63, 64, 100):
        texts += [str(sign * (2**power + step)) for sign in (1, -1) for step in (-1, 0, 1, 2, 3)]
    rng.shuffle(texts)
    return texts


def is_integer(text):
    return text.lstrip("-").isdigit()


def is_zero(text):
    return not re.search("[1-9]", re.split("[eE]", text)[0])


def joined(texts, rng):
    """A list of numbers as JSON, with some white space."""
    return "[" + "".join(text + rng.choice([",", ",", ", ", " ,\n"]) for text in texts[:-1]) + texts[-1] + "]"


def pieces(texts):
    """The texts in groups whose JSON is short."""
    group, size = [], 0
    for text in texts:
        if group and size + len(text) > SHORT_TEXT:
            yield group
            group, size = [], 0
        group.append(text)
        size += len(text)
    yield group


def repeated(texts, rng):
    """The texts in random order, as often as makes a long JSON text."""
    out, size = [], 0
    while size < LONG_TEXT:
        out += rng.sample(texts, len(texts))
        size += sum(map(len, texts))
    return out


class Boundaries(Program):
    def __init__(self, binary, folder):
        super().__init__(binary, folder)
        self.given = folder / "in.json"
        self.result = folder / "out.npy"

    def convert(self, arguments, text, piped=False):
        self.given.write_text(text)
        self.result.unlink(missing_ok=True)
        with open(self.given) as file:
            return self.run("convert", "-" if piped else self.given, *arguments, "-o", self.result, stdin=file)

    def check_read(self, what, format, texts, bits, rng, arguments, piped=False):
        done = self.convert(arguments, joined(texts, rng), piped)
        if done.returncode != 0:
            self.check(what, False, f"exit {done.returncode}: {done.stderr.strip()[:300]}")
            return
        array = np.load(self.result)
        read = array.view(format.unsigned).tolist() if array.shape == (len(texts),) else []
        wrong = [i for i, number in enumerate(read) if number != bits[texts[i]]]
        detail = "".join(f"\n  {texts[i]}: {read[i]:#x} instead of {bits[texts[i]]:#x}" for i in wrong[:3])
        counts = f"{array.dtype} {array.shape}, {len(wrong)} of {len(texts)} are wrong"
        self.check(what, read and not wrong, counts + detail)

    def check_refused(self, what, format, texts, at, rng, piped=False, arguments=None):
        done = self.convert(["--dtype", format.name] if arguments is None else arguments, joined(texts, rng), piped)
        named = f"element [{at}] = " in done.stderr and f"does not fit in {format.name}" in done.stderr
        ok = done.returncode == 2 and named and not self.result.exists()
        self.check(what, ok, f"exit {done.returncode}: {done.stderr.strip()[:300]}")


def check_format(checker, format, rng):
    texts = texts_of(format, rng)
    bits = {text: format.read(text) for text in texts}
    rounded = [text for text in texts if bits[text] is not None]
    # --dtype rounds each number once, integers too.
    inexact = [text for text in rounded if is_integer(text) and format.magnitude(text) != abs(int(text))]
    finite = rounded
    too_large = [text for text in texts if bits[text] is None]
    dtype = ["--dtype", format.name]
    for i, group in enumerate(pieces(finite)):
        checker.check_read(f"{format.name}, short text {i}", format, group, bits, rng, dtype)
    long = repeated(finite, rng)
    checker.check_read(f"{format.name}, long text", format, long, bits, rng, dtype)
    checker.check_read(f"{format.name}, long text in a pipe", format, long, bits, rng, dtype, piped=True)
    if format.name == "float64":
        # Without --dtype the integers in front become floats at the first fraction, if float64 holds them. A fraction
        # is not rounded to zero, nor from beyond the largest value.
        integers = [text for text in long if is_integer(text) and text not in inexact]
        largest = fractions.Fraction(sys.float_info.max)
        rest = [text for text in long if not is_integer(text)
                and (is_zero(text) or (float(text) != 0 and abs(fractions.Fraction(text)) <= largest))]
        checker.check_read("untyped, integers first", format, integers + rest, bits, rng, [])
        for text in rng.sample(inexact, min(len(inexact), 20)):
            checker.check_refused(f"untyped: {text}", format, ["0.5", text], 1, rng, arguments=[])

    for text in rng.sample(too_large, min(len(too_large), 20)):
        checker.check_refused(f"{format.name}: {text}", format, [finite[0], text, finite[1]], 1, rng)
    for piped in (False, True):
        # The first of several is named.
        at = rng.randrange(len(long) // 2)
        numbers = [*long[:at], rng.choice(too_large), *long[at:], rng.choice(too_large)]
        where = "in a pipe" if piped else "in a file"
        checker.check_refused(f"{format.name}: too large in a long text {where}", format, numbers, at, rng, piped)


def check_all(checker):
    rng = random.Random(SEED)
    for format in FORMATS:
        check_format(checker, format, rng)
    print(f"seed {SEED}")


if __name__ == "__main__":
    run_program(check_all, Boundaries)
