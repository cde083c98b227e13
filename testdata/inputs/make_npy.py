#!/usr/bin/python3
"""Writes npy.txt: NPY files as NumPy makes them, and below each the JSON that tensorop is to make of it.

The JSON comes from what numpy.load reads back, not from tensorop. It was run with NumPy 1.24 (Debian's
python3-numpy). Running this again changes no byte:
    /usr/bin/python3 testdata/inputs/make_npy.py
"""

import io
import json
import math
import pathlib
import struct

import numpy as np
from table import row

FILES = {}

# Every dtype NumPy has, with six values each: the limits, both zeros, what is not finite. The floats are such that
# NumPy's shortest text and C++'s are the same, so that the JSON can be compared as bytes.
VALUES = {
    "bool": ("?", [True, False, True, False, False, True]),
    "int8": ("i1", [-128, -1, 0, 1, 100, 127]),
    "int16": ("i2", [-(2**15), -1, 0, 1, 258, 2**15 - 1]),
    "int32": ("i4", [-(2**31), -1, 0, 1, 16909060, 2**31 - 1]),
    "int64": ("i8", [-(2**63), -1, 0, 1, 72623859790382856, 2**63 - 1]),
    "uint8": ("u1", [0, 1, 2, 127, 128, 255]),
    "uint16": ("u2", [0, 1, 258, 2**15, 2**15 + 1, 2**16 - 1]),
    "uint32": ("u4", [0, 1, 16909060, 2**31, 2**31 + 1, 2**32 - 1]),
    "uint64": ("u8", [0, 1, 72623859790382856, 2**63, 2**63 + 1, 2**64 - 1]),
    "float16": ("f2", [-0.0, 0.1, 6e-08, -2048.0, math.inf, math.nan]),
    "float32": ("f4", [-0.0, 0.1, 1e-45, -3.4028235e38, -math.inf, math.nan]),
    "float64": ("f8", [-0.0, 0.1, 5e-324, 1.7976931348623157e308, math.inf, math.nan]),
    "complex64": ("c8", [0j, 1 + 2j, complex(-0.5, math.inf), 0.1j, complex(math.nan, -1), 3.4028235e38]),
    "complex128": ("c16", [0j, 1 + 2j, complex(-0.5, -math.inf), 0.1j, complex(math.nan, -1), 5e-324]),
    "string": ("U", ["", "a", "naïve", "日本語", "\U0001f600!", "tab\tquote\"back\\slash\n"]),
}


def float_text(value):
    """Shortest text of a NumPy float that reads back to it in its own dtype."""
    if math.isnan(value):
        return '"NaN"'
    if math.isinf(value):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    return str(value)


def round_to_bfloat16(value):
    """The bits of the bfloat16 nearest to a float32 value, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def bfloat16_text(bits):
    value = struct.unpack("<f", struct.pack("<I", int(bits) << 16))[0]
    if not math.isfinite(value):
        return float_text(value)
    for digits in range(1, 10):
        text = repr(float(f"{value:.{digits}g}"))
        if round_to_bfloat16(float(text)) == bits:
            return text
    raise ValueError(f"no text for bfloat16 bits {bits}")


def element_text(element, is_bfloat16):
    if is_bfloat16:
        return bfloat16_text(element)
    if isinstance(element, np.bool_):
        return "true" if element else "false"
    if isinstance(element, np.integer):
        return str(int(element))
    if isinstance(element, np.floating):
        return float_text(element)
    if isinstance(element, np.complexfloating):
        return f"[{float_text(element.real)},{float_text(element.imag)}]"
    if isinstance(element, bytes):
        element = element.decode("utf-8")
    return json.dumps(str(element), ensure_ascii=False)


def nested_text(array, is_bfloat16):
    if array.ndim == 0:
        return element_text(array[()], is_bfloat16)
    # array[i, ...] stays an array where array[i] would be an element.
    return "[" + ",".join(nested_text(array[i, ...], is_bfloat16) for i in range(len(array))) + "]"


def described(data):
    """The self-describing JSON of an NPY file, as numpy.load reads it."""
    array = np.load(io.BytesIO(data), allow_pickle=False)
    kind = array.dtype.kind
    is_bfloat16 = kind == "V"
    if is_bfloat16:
        # view() needs C order.
        array = np.ascontiguousarray(array).view("<u2").reshape(array.shape)
    kinds = {"V": "bfloat16", "U": "string", "S": "string"}
    name = kinds.get(kind, array.dtype.name)
    shape = ",".join(str(dim) for dim in array.shape)
    # An array without elements says all by its shape.
    data = nested_text(array, is_bfloat16) if array.size > 0 else "[]"
    return f'{{"dtype":"{name}","shape":[{shape}],"data":{data}}}'


def save(name, array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version, allow_pickle=False)
    FILES[name] = file.getvalue()


def save_raw(name, header, data, version=(1, 0)):
    """A file whose header is this text to the letter; numpy.load must still accept it."""
    encoded = header.encode("utf-8")
    length = struct.pack("<H" if version[0] == 1 else "<I", len(encoded))
    FILES[name] = b"\x93NUMPY" + bytes(version) + length + encoded + data


def parts_of(data):
    """The header, and the elements, if there are any."""
    length = 10 + struct.unpack("<H", data[8:10])[0] if data[6] == 1 else 12 + struct.unpack("<I", data[8:12])[0]
    return [part for part in (data[:length], data[length:]) if part]


def write_samples():
    for name, (code, values) in VALUES.items():
        little = np.array(values, dtype=code).reshape(2, 3)
        orders = ["le"] if little.dtype.itemsize == 1 else ["le", "be"]
        for order in orders:
            array = little.astype(little.dtype.newbyteorder("<" if order == "le" else ">"))
            save(f"{name}_{order}_c", array)
            save(f"{name}_{order}_fortran", np.asfortranarray(array))


def write_bfloat16():
    """As ml_dtypes makes numpy.save write it: the bits under the descr '<V2'; NumPy itself says '|V2'."""
    bits = np.array([round_to_bfloat16(v) for v in (-0.0, 0.1, -2.25, 3.39e38, math.inf, math.nan)], "<u2")
    fields = "'fortran_order': {}, 'shape': (2, 3), }}"
    save_raw("bfloat16_le_c", "{'descr': '<V2', " + fields.format("False"), bits.tobytes())
    save_raw("bfloat16_le_fortran", "{'descr': '<V2', " + fields.format("True"), bits.tobytes())
    save("bfloat16_unordered_c", bits.view("V2").reshape(2, 3))


def write_shapes():
    save("shape_0d_int32", np.array(-7, dtype="<i4"))
    save("shape_0d_float64_be", np.array(0.5, dtype=">f8"))
    save("shape_0d_string", np.array("scalar"))
    save("shape_0_float32", np.zeros((0,), dtype="<f4"))
    save("shape_2_0_3_int64", np.zeros((2, 0, 3), dtype="<i8"))
    save("shape_2_0_3_int64_fortran", np.asfortranarray(np.zeros((2, 0, 3), dtype="<i8")))
    save("shape_3_2_0_string", np.zeros((3, 2, 0), dtype="<U4"))
    save("shape_5_uint8", np.arange(5, dtype="u1"))
    save("shape_2_3_4_int16", np.arange(24, dtype="<i2").reshape(2, 3, 4))
    save("shape_2_3_4_int16_be_fortran", np.asfortranarray(np.arange(24, dtype=">i2").reshape(2, 3, 4)))
    rank_32 = [2 if i in (3, 30) else 1 for i in range(32)]
    save("shape_rank_32_uint16", np.arange(4, dtype="<u2").reshape(rank_32))
    save("shape_rank_32_uint16_fortran", np.asfortranarray(np.arange(4, dtype="<u2").reshape(rank_32)))


def write_bytes_of_bool():
    """Any byte but 0 is true, as for NumPy."""
    save("bool_bytes_2_and_255", np.array([0, 1, 2, 255], dtype="u1").view("?"))


def write_strings():
    save("string_bytes_c", np.array([[b"", b"a", b"bc"], ["ü".encode(), b"", b"x y"]], dtype="S3"))
    save("string_bytes_fortran", np.asfortranarray(np.array([[b"", b"a"], [b"bc", b"d"]], dtype="S2")))
    save("string_all_empty", np.array(["", ""], dtype="<U1"))
    save("string_inner_zero", np.array(["a\0b", "\0c"], dtype="<U3"))


def write_versions():
    array = np.array([[1, 2], [3, 4]], dtype="<i4")
    for major in (1, 2, 3):
        save(f"version_{major}_0", array, version=(major, 0))
        save(f"version_{major}_0_fortran", np.asfortranarray(array), version=(major, 0))


def write_headers():
    """Headers that older writers left behind, and ones that are written differently but mean the same."""
    data = np.array([1, -2, 3], dtype="<i8").tobytes()
    plain = "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }"
    save_raw("header_align_16", plain + " " * (16 - (10 + len(plain) + 1) % 16) + "\n", data)
    save_raw("header_not_aligned", plain, data)
    save_raw("header_other_order", '{"shape":(3,),"fortran_order":False,"descr":"<i8"}\n', data)
    save_raw("header_python_2_long", "{'descr': '<i8', 'fortran_order': False, 'shape': (3L,), }\n", data)
    save_raw("header_native_order", "{'descr': '=i8', 'fortran_order': False, 'shape': (3,), }\n", data)
    save_raw("header_without_order", "{'descr': 'i8', 'fortran_order': False, 'shape': (3,), }\n", data)
    save_raw("header_dtype_name", "{'descr': 'int64', 'fortran_order': False, 'shape': (3,), }\n", data)
    save_raw("header_version_3_not_aligned", plain + "  \n", data, version=(3, 0))


HEAD = """# NPY files as NumPy writes them, and the JSON that `tensorop convert` prints for each; written by make_npy.py.
# DTYPE_le_c, ..., DTYPE_be_fortran: six elements of shape (2, 3), with limits, both zeros, what is not finite, any Unicode.
# bfloat16_*: '<V2' as numpy.save writes an ml_dtypes array; unordered is '|V2', NumPy's own name for two raw bytes.
# header_*: headers as older writers left them; numpy.load accepts each.
"""


def main():
    write_samples()
    write_bfloat16()
    write_bytes_of_bool()
    write_shapes()
    write_strings()
    write_versions()
    write_headers()
    rows = "".join(row(name, parts_of(data), [described(data)]) for name, data in sorted(FILES.items()))
    (pathlib.Path(__file__).resolve().parent / "npy.txt").write_text(HEAD + rows, encoding="utf-8")


if __name__ == "__main__":
    main()
