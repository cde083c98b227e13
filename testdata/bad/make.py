#!/usr/bin/python3
"""Writes the files of this folder: one for each way in which an NPY or JSON file can be malformed.

tests/cli/bad_files.md has the message about each. Running this again changes no byte:
    /usr/bin/python3 testdata/bad/make.py
"""

import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
MAGIC = b"\x93NUMPY"
FOUR_BYTES = struct.pack("<i", 7)
ONE_INT32 = "'descr': '<i4', 'fortran_order': False, 'shape': (1,), "


def npy(header, data=b"", version=(1, 0), length=None):
    """A file with this header, to the letter, and this data. `length`: what it claims as the header's length."""
    text = header if isinstance(header, bytes) else header.encode("utf-8")
    text += b"\n"
    count = len(text) if length is None else length
    return MAGIC + bytes(version) + struct.pack("<H" if version[0] == 1 else "<I", count) + text + data


def array(descr="'<i4'", order="False", shape="(1,)", data=FOUR_BYTES, **frame):
    """A file whose header is well formed but for what is given."""
    return npy(f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}", data, **frame)


def npy_frames():
    good = array()
    yield "npy_magic_truncated", MAGIC[:4]
    yield "npy_magic_only", MAGIC
    yield "npy_length_truncated", good[:9]
    yield "npy_version_0_0", array(version=(0, 0), length=1)
    yield "npy_version_1_1", array(version=(1, 1))
    yield "npy_version_4_0", array(version=(4, 0))
    yield "npy_header_beyond_file", array(data=b"", length=118)
    yield "npy_header_of_4_gib", array(version=(2, 0), length=2**32 - 1)
    yield "npy_header_empty", MAGIC + b"\1\0\0\0"
    yield "npy_header_no_literal", npy("not a dictionary")
    yield "npy_header_not_closed", npy("{" + ONE_INT32, FOUR_BYTES)
    yield "npy_header_text_behind", npy("{" + ONE_INT32 + "} + {}", FOUR_BYTES)
    yield "npy_header_call", npy("dict(descr='<i4', fortran_order=False, shape=(1,))", FOUR_BYTES)
    yield "npy_header_not_utf8", npy(b"{'descr': '<i4', 'sh\xff': (1,), }", FOUR_BYTES)


def npy_keys():
    yield "npy_key_unknown", npy("{" + ONE_INT32 + "'extra': 1, }", FOUR_BYTES)
    yield "npy_key_duplicate", npy("{'descr': '<i4', " + ONE_INT32 + "}", FOUR_BYTES)
    yield "npy_key_missing_descr", npy("{'fortran_order': False, 'shape': (1,), }", FOUR_BYTES)
    yield "npy_key_missing_order", npy("{'descr': '<i4', 'shape': (1,), }", FOUR_BYTES)
    yield "npy_key_missing_shape", npy("{'descr': '<i4', 'fortran_order': False, }", FOUR_BYTES)
    yield "npy_key_no_string", npy("{1: '<i4', 'fortran_order': False, 'shape': (1,), }", FOUR_BYTES)
    yield "npy_key_escape", npy("{'d\\x65scr': '<i4', 'fortran_order': False, 'shape': (1,), }", FOUR_BYTES)
    yield "npy_order_number", array(order="0")
    yield "npy_order_string", array(order="'False'")


def npy_shapes():
    yield "npy_shape_negative", array(shape="(-1,)")
    yield "npy_shape_fraction", array(shape="(1.0,)")
    yield "npy_shape_list", array(shape="[1]")
    yield "npy_shape_number", array(shape="1")
    yield "npy_shape_not_a_tuple", array(shape="(1)")
    yield "npy_shape_dimension_overflow", array(shape="(9223372036854775808,)")
    yield "npy_shape_product_overflow", array(shape="(4294967296, 4294967296)")
    yield "npy_shape_bytes_overflow", array(shape="(2305843009213693952,)")
    yield "npy_shape_rank_65", array(shape="(" + "1, " * 65 + ")")
    yield "npy_shape_expression", array(shape="(2**0,)")


def npy_dtypes():
    for name, descr, data in (
        ("object", "'|O'", b"\x80\x04N."),
        ("structured", "[('a', '<i4')]", FOUR_BYTES),
        ("subarray", "('<i4', (1,))", FOUR_BYTES),
        ("datetime", "'<M8[ns]'", bytes(8)),
        ("timedelta", "'<m8[s]'", bytes(8)),
        ("void", "'|V3'", bytes(3)),
        ("longdouble", "'<f16'", bytes(16)),
        ("complex_longdouble", "'<c32'", bytes(32)),
        ("int128", "'<i16'", bytes(16)),
        ("unknown_kind", "'<x4'", FOUR_BYTES),
        ("without_order", "'V4'", FOUR_BYTES),
        ("order_of_nothing", "'|i4'", FOUR_BYTES),
        ("name", "'int'", FOUR_BYTES),
        ("empty", "''", FOUR_BYTES),
        ("number", "4", FOUR_BYTES),
        ("escape", "'<\\x694'", FOUR_BYTES),
    ):
        yield f"npy_dtype_{name}", array(descr=descr, data=data)


def npy_data():
    yield "npy_data_missing", array(data=b"")
    yield "npy_data_short", array(data=FOUR_BYTES[:3])
    yield "npy_data_long", array(data=FOUR_BYTES + b"\0")
    yield "npy_data_beyond_empty", array(shape="(0,)", data=b"\0")
    yield "npy_data_huge_shape", array(shape="(1000000000, 1000000)")
    yield "npy_string_width_0_many", array(descr="'<U0'", shape="(1000001,)", data=b"")
    yield "npy_two_arrays", array() + array()
    yield "npy_string_no_width", array(descr="'<U'", data=b"")
    yield "npy_string_width_overflow", array(descr="'<U4611686018427387904'", data=b"")
    yield "npy_string_utf32_too_large", array(descr="'<U1'", data=struct.pack("<I", 0x110000))
    yield "npy_string_utf32_surrogate", array(descr="'<U1'", data=struct.pack("<I", 0xD800))
    yield "npy_string_utf32_swapped", array(descr="'>U1'", data=struct.pack("<I", ord("a")))
    yield "npy_string_bytes_not_utf8", array(descr="'|S2'", data=b"a\xff")
    yield "npy_string_bytes_overlong", array(descr="'|S2'", data=b"\xc0\x80")


def json_text():
    yield "json_empty_file", ""
    yield "json_only_space", " \n"
    yield "json_no_json", "data\n"
    yield "json_nan_literal", "[NaN]\n"
    yield "json_plus_sign", "[+1]\n"
    yield "json_leading_zero", "[010]\n"
    yield "json_no_digit_behind_point", "[1.]\n"
    yield "json_hexadecimal", "[0x10]\n"
    yield "json_comment", "[1, /* two */ 2]\n"
    yield "json_single_quotes", "['a']\n"
    yield "json_trailing_comma", "[1,2,]\n"
    yield "json_trailing_garbage", "[1,2] 3\n"
    yield "json_two_documents", "[1,2]\n[3,4]\n"
    yield "json_not_closed", "[[1,2],[3,4]\n"
    yield "json_closed_wrongly", "[1,2}\n"
    yield "json_string_not_closed", '["a]\n'
    yield "json_control_character", b'["a\x01b"]\n'
    yield "json_zero_byte", b"[1,\x002]\n"
    yield "json_bad_escape", '["\\x41"]\n'
    yield "json_lone_surrogate", '["\\ud800"]\n'
    yield "json_lone_low_surrogate", '["\\udc00"]\n'
    yield "json_not_utf8", b'["\xff"]\n'
    yield "json_overlong_utf8", b'["\xc0\xaf"]\n'
    yield "json_utf8_surrogate", b'["\xed\xa0\x80"]\n'
    yield "json_utf16", b"\xff\xfe" + "[1,2]\n".encode("utf-16-le")
    yield "json_nesting_bomb", "[" * 100000
    yield "json_rank_65", "[" * 65 + "1" + "]" * 65 + "\n"
    yield "json_rank_65_empty", "[" * 65 + "]" * 65 + "\n"


def json_arrays():
    yield "json_ragged_short", "[[1,2],[3]]\n"
    yield "json_ragged_long", "[[1,2],[3,4,5]]\n"
    yield "json_ragged_empty", "[[1,2],[]]\n"
    yield "json_ragged_depth", "[[1,2],3]\n"
    yield "json_ragged_deeper", "[[1,2],[3,[4]]]\n"
    yield "json_mixed_number_string", '[1,"a"]\n'
    yield "json_mixed_string_number", '["a",1]\n'
    yield "json_mixed_bool_number", "[true,1]\n"
    yield "json_mixed_number_bool", "[1.5,false]\n"
    yield "json_null", "[1,null]\n"
    yield "json_null_alone", "null\n"
    yield "json_object_element", '[1,{"a":2}]\n'
    yield "json_integer_too_large", "[1,9223372036854775808]\n"
    yield "json_integer_too_small", "[-9223372036854775809]\n"
    yield "json_integer_huge", "[1" + "0" * 400 + "]\n"
    yield "json_float_too_large", "[1e400]\n"
    yield "json_float_exponent_max", "[3.4e9223372036854775807]\n"
    yield "json_float_too_small", "[0.5,-1e400]\n"


def json_objects():
    yield "json_key_unknown", '{"dtype":"int8","shape":[1],"data":[1],"extra":0}\n'
    yield "json_key_typo", '{"dytpe":"int8","data":[1]}\n'
    yield "json_key_duplicate", '{"dtype":"int8","dtype":"int8","data":[1]}\n'
    yield "json_key_duplicate_data", '{"dtype":"int8","data":[1],"data":[2]}\n'
    yield "json_no_data", '{"dtype":"int8","shape":[1]}\n'
    yield "json_empty_object", "{}\n"
    yield "json_dtype_unknown", '{"dtype":"int128","data":[1]}\n'
    yield "json_dtype_number", '{"dtype":8,"data":[1]}\n'
    yield "json_dtype_null", '{"dtype":null,"data":[1]}\n'
    yield "json_shape_number", '{"dtype":"int8","shape":2,"data":[1,2]}\n'
    yield "json_shape_negative", '{"dtype":"int8","shape":[-1],"data":[1]}\n'
    yield "json_shape_fraction", '{"dtype":"int8","shape":[1.0],"data":[1]}\n'
    yield "json_shape_string", '{"dtype":"int8","shape":["1"],"data":[1]}\n'
    yield "json_shape_nested", '{"dtype":"int8","shape":[[1]],"data":[1]}\n'
    yield "json_shape_overflow", '{"dtype":"int8","shape":[4294967296,4294967296],"data":[1]}\n'
    yield "json_shape_dimension_overflow", '{"dtype":"int8","shape":[18446744073709551616],"data":[1]}\n'
    yield "json_shape_rank_65", '{"dtype":"int8","shape":[' + ",".join(["1"] * 65) + '],"data":[1]}\n'
    yield "json_shape_wrong", '{"dtype":"int8","shape":[2,2],"data":[[1,2,3],[4,5,6]]}\n'
    yield "json_shape_too_few", '{"dtype":"int8","shape":[2,2],"data":[1,2,3]}\n'
    yield "json_shape_too_many", '{"dtype":"int8","shape":[2],"data":[1,2,3]}\n'
    yield "json_shape_huge", '{"dtype":"int8","shape":[1000000000000],"data":[1]}\n'
    yield "json_shape_zero_with_data", '{"dtype":"int8","shape":[0],"data":[1]}\n'
    yield "json_shape_behind_data", '{"data":[1,2,3],"dtype":"int8","shape":[2]}\n'
    yield "json_data_object", '{"dtype":"int8","data":{"0":1}}\n'


def json_elements():
    for name, dtype, data in (
        ("int8_too_large", "int8", "[0,128]"),
        ("int8_too_small", "int8", "[-129]"),
        ("uint8_negative", "uint8", "[-1]"),
        ("int64_too_large", "int64", "[9223372036854775808]"),
        ("uint64_too_large", "uint64", "[18446744073709551616]"),
        ("int8_fraction", "int8", "[1.5]"),
        ("int8_string", "int8", '["1"]'),
        ("int8_bool", "int8", "[true]"),
        ("int8_nan", "int8", '["NaN"]'),
        ("bool_number", "bool", "[1]"),
        ("bool_string", "bool", '["true"]'),
        ("float16_too_large", "float16", "[65520.0]"),
        ("bfloat16_too_large", "bfloat16", "[3.4e38]"),
        ("float32_too_large", "float32", "[0.0,3.5e38]"),
        ("float64_too_large", "float64", "[1e309]"),
        ("float64_string", "float64", '["inf"]'),
        ("float64_pair", "float64", "[[1.0,2.0],3.0]"),
        ("complex64_number", "complex64", "3.0"),
        ("complex64_numbers", "complex64", "[1.0,2.0,3.0]"),
        ("complex64_one_part", "complex64", "[[1.0],[2.0]]"),
        ("complex64_three_parts", "complex64", "[[1.0,2.0,3.0]]"),
        ("complex64_too_large", "complex64", "[[0.0,3.5e38]]"),
        ("complex128_string", "complex128", '[["1","2"]]'),
        ("string_number", "string", "[1]"),
    ):
        yield f"json_{name}", f'{{"dtype":"{dtype}","data":{data}}}\n'


def main():
    for pattern in ("*.npy", "*.json"):
        for old in HERE.glob(pattern):
            old.unlink()
    for family in (npy_frames, npy_keys, npy_shapes, npy_dtypes, npy_data):
        for name, content in family():
            (HERE / f"{name}.npy").write_bytes(content)
    for family in (json_text, json_arrays, json_objects, json_elements):
        for name, content in family():
            content = content if isinstance(content, bytes) else content.encode("utf-8")
            (HERE / f"{name}.json").write_bytes(content)


if __name__ == "__main__":
    main()
