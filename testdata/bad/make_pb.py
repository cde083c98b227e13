#!/usr/bin/python3
"""Writes the .pb files of this folder: one for each way in which a TensorProto can be malformed.

Fields are bytes in hexadecimal; "00*4" is a byte four times. Running this again changes no byte:
    /usr/bin/python3 testdata/bad/make_pb.py
"""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent


def field(number, text):
    """A field of bytes, in hexadecimal."""
    data = text.encode()
    return " ".join(f"{byte:02x}" for byte in [number << 3 | 2, len(data), *data])


def entry(*fields):
    """A field of external_data."""
    data = bytes.fromhex("".join(fields))
    return " ".join(f"{byte:02x}" for byte in [13 << 3 | 2, len(data), *data])


FILES = {
    "empty": "",
    "no_data_type": "08 01 4a 01 00",
    "data_type_unknown": "08 01 10 63 4a 01 00",
    "data_type_undefined": "08 01 10 00 4a 01 00",
    "data_type_uint2": "08 04 10 19 4a 01 00",
    "raw_short": "08 02 10 01 4a 04 00*4",
    "raw_long": "08 01 10 01 4a 08 00*8",
    "raw_cut": "08 01 10 06 4a 04 09 00 00",
    "number_too_long": "08 80*10 01 10 01",
    "number_of_65_bits": "08 ff*9 02 10 01",
    "number_cut": "08 80",
    "raw_of_32_gib": "4a ff ff ff ff 7f",
    "length_of_64_bits": "08 01 10 01 4a ff*9 01",
    "dim_negative": "08 ff*9 01 10 01 4a 00",
    "dims_overflow": "08 80*5 20 08 80*5 20 10 01 4a 00",
    "rank_65": "08 01 " * 65 + "10 02 4a 01 05",
    "data_type_twice": "08 01 10 01 10 06 4a 04 00*4",
    "name_twice": "08 01 10 02 42 01 61 42 01 62 4a 01 00",
    "raw_twice": "08 01 10 02 4a 01 00 4a 01 00",
    "raw_and_typed": "08 01 10 06 4a 04 00*4 2a 01 05",
    "two_typed": "08 01 10 06 2a 01 05 3a 01 05",
    "wrong_field": "08 01 10 01 3a 01 05",
    "int8_of_300": "08 01 10 03 2a 02 ac 02",
    "float16_of_70000": "08 01 10 0a 2a 03 f0 a2 04",
    "float16_negative": "08 01 10 0a 28 ff*9 01",
    "uint32_too_large": "08 01 10 0c 58 80 80 80 80 10",
    "bool_of_2": "08 01 10 09 28 02",
    "string_raw": "08 01 10 08 4a 01 61",
    "string_not_utf8": "08 01 10 08 32 01 ff",
    "string_missing": "08 02 10 08 32 01 61",
    "segment": "08 01 10 01 1a 00 4a 04 00*4",
    "external": "08 01 10 01 " + entry(field(1, "location"), field(2, "../../etc/passwd")) + " 70 01",
    "external_escape": "08 01 10 01 70 01 " + entry(field(2, "a\x1b[1m"), field(1, "location")),
    "location_unknown": "08 01 10 01 70 02 4a 04 00*4",
    "group": "2b 08 01 2c",
    "wire_type_6": "08 01 0e 00",
    "wire_type_7": "08 01 0f 00",
    "field_15": "08 01 10 02 78 00 4a 01 00",
    "field_number_too_large": "08 01 10 02 4a 01 00 80*4 10 00",
    "trailing_zeros": "08 01 10 01 4a 04 00*4 00 00",
    "wrong_wire_type": "08 01 10 01 48 05",
    "data_type_text": "08 01 12 01 61",
    "model": "08 07 12 03 61 62 63 3a 02 0a 00 42 04 0a 00 10 0d",
    "sequence": "0a 03 73 65 71 10 01 1a 0a 08 01 10 01 4a 04 00*4",
    "graph_def": "0a 48 0a 03 61 62 63 12 41 61*65",
    "int4_long": "08 03 10 16 4a 03 00*3",
    "complex64_one_number": "08 01 10 0e 22 04 00*4",
    "float_of_3_bytes": "08 01 10 01 22 03 00*3",
    "packed_number_cut": "08 01 10 06 2a 02 01 80",
    "no_data": "08 01 10 01",
}


def to_bytes(text):
    out = b""
    for word in text.split():
        byte, _, count = word.partition("*")
        out += bytes.fromhex(byte) * int(count or 1)
    return out


def main():
    for old in HERE.glob("*.pb"):
        old.unlink()
    for name, text in FILES.items():
        (HERE / f"pb_{name}.pb").write_bytes(to_bytes(text))
    (HERE / "pb_text.pb").write_text("dims: 2\ndata_type: 1\nfloat_data: 1\nfloat_data: 2\n")


if __name__ == "__main__":
    main()
