#!/usr/bin/python3
"""Writes the rows of bad_npz.txt: one for each way in which an archive, or an array in it, can be malformed.

The zip records are laid out by hand, so that each field can lie by itself. The messages of rows stay. Running this again
changes no byte:
    /usr/bin/python3 testdata/inputs/make_bad_npz.py
"""

import pathlib
import re
import struct
import zlib

from table import lines_of, row

FOUR_BYTES = struct.pack("<i", 7)


def array(descr="'<i4'", shape="(1,)", data=FOUR_BYTES):
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header + data


ONE = array()
DATE = 0x21
BIG = 2**63 + 5


def deflate(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


class Member:
    """A member as it should be, but for what is given; `local_...` are the fields of its own header."""

    def __init__(self, name="x.npy", data=ONE, method=0, packed=None, size=None, packed_size=None, crc=None, **fields):
        self.name = name if isinstance(name, bytes) else name.encode("utf-8")
        self.packed = packed if packed is not None else deflate(data) if method == 8 else data
        self.method = method
        self.size = len(data) if size is None else size
        self.packed_size = len(self.packed) if packed_size is None else packed_size
        self.crc = zlib.crc32(data) if crc is None else crc
        self.flags = fields.pop("flags", 0)
        self.extra = fields.pop("extra", b"")
        self.version = fields.pop("version", 20)
        self.extra_length = fields.pop("extra_length", len(self.extra))
        self.offset = fields.pop("offset", None)
        self.local_name = fields.pop("local_name", self.name)
        self.local_method = fields.pop("local_method", method)
        self.local_crc = fields.pop("local_crc", self.crc)
        self.local_extra_length = fields.pop("local_extra_length", 0)
        self.magic = fields.pop("magic", b"PK\3\4")
        assert not fields, fields

    def sizes(self):
        return struct.pack("<III", self.crc, min(self.packed_size, 2**32 - 1), min(self.size, 2**32 - 1))

    def local(self):
        head = struct.pack("<HHHHH", 20, self.flags, self.local_method, 0, DATE)
        sizes = struct.pack("<I", self.local_crc) + self.sizes()[4:]
        lengths = struct.pack("<HH", len(self.local_name), self.local_extra_length)
        return self.magic + head + sizes + lengths + self.local_name + self.packed

    def entry(self, place):
        head = struct.pack("<HHHHHH", 20, self.version, self.flags, self.method, 0, DATE)
        lengths = struct.pack("<HHHHHI", len(self.name), self.extra_length, 0, 0, 0, 0)
        offset = struct.pack("<I", place if self.offset is None else self.offset)
        return b"PK\1\2" + head + self.sizes() + lengths + offset + self.name + self.extra


def archive(*members, count=None, directory_shift=0, cut=0, entries=None):
    """`entries`: what the directory lists, where that is not what is there."""
    body = b""
    places = {}
    for one in members:
        places[one] = len(body)
        body += one.local()
    directory = b"".join(one.entry(places.get(one, 0)) for one in entries or members)
    number = len(entries or members) if count is None else count
    end = struct.pack("<HHHHIIH", 0, 0, number, number, len(directory), len(body) + directory_shift, 0)
    whole = body + directory + b"PK\5\6" + end
    return whole[: len(whole) - cut]


def zip64_end(number=1, size=44, gap=b""):
    """An archive whose zip64 end claims `number` members, and to have `size` bytes more."""
    one = Member()
    body, directory = one.local(), one.entry(0)
    end64 = struct.pack("<QHHIIQQQQ", size, 45, 45, 0, 0, number, number, len(directory), len(body))
    locator = struct.pack("<IQI", 0, len(body) + len(directory), 1)
    end = struct.pack("<HHHHIIH", 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0)
    return body + directory + b"PK\6\6" + end64 + gap + b"PK\6\7" + locator + b"PK\5\6" + end


def zip64(*numbers):
    return struct.pack("<HH", 1, 8 * len(numbers)) + struct.pack(f"<{len(numbers)}Q", *numbers)


def directories():
    x, y = Member(), Member("y.npy")
    yield "nothing", b""
    yield "magic_only", b"PK\3\4"
    yield "empty", archive()
    yield "end_missing", archive(x, cut=22)
    yield "end_truncated", archive(x, cut=1)
    yield "bytes_after_end", archive(x) + b"xyz"
    yield "bytes_before", b"PK\3\4" + archive(x)
    yield "directory_beyond_file", archive(x, directory_shift=1000)
    yield "directory_not_there", archive(x, entries=[x]).replace(b"PK\1\2", b"PK\1\3")
    yield "count_too_large", archive(x, count=2)
    yield "count_of_millions", zip64_end(2**20 + 1)
    yield "count_beyond_int64", zip64_end(BIG)
    yield "zip64_end_shorter", zip64_end(size=43)
    yield "zip64_end_longer", zip64_end(size=45)
    yield "zip64_end_gap", zip64_end(gap=b"\0")
    yield "name_twice_in_arrays", archive(x, Member("x"))
    yield "name_twice_in_cp437", archive(Member("\u00e4.npy", flags=1 << 11), Member(b"\x84.npy"))
    yield "name_twice", archive(x, Member(data=array(shape="(0,)", data=b"")))
    yield "name_twice_control", archive(Member("\x1b[2J\n.npy"), Member("\x1b[2J\n.npy"))
    yield "overlapping", archive(Member(data=array(shape="(500,)", data=bytes(2000))), entries=[
        Member(f"{i}.npy", data=array(shape="(500,)", data=bytes(2000))) for i in range(9)])
    yield "size_beyond_file", archive(Member(packed_size=2**31))
    yield "extra_field_lies", archive(Member(extra=struct.pack("<HH", 1, 60000), extra_length=65000))
    yield "no_arrays", archive(Member("readme.txt", data=b"hello"))
    yield "several_arrays", archive(x, y, Member("\t.npy"))


def headers():
    readme = Member("readme.txt", data=b"")
    yield "header_not_there", archive(readme, Member(magic=b"PK\3\5"))
    yield "header_beyond_file", archive(Member(offset=2**31))
    yield "header_beyond_int64", archive(Member(offset=2**32 - 1, extra=zip64(BIG)))
    yield "header_names_another", archive(Member(), entries=[Member("y.npy")])
    yield "header_name_longer", archive(Member(local_name=b"xy.npy"))
    yield "header_method_differs", archive(Member(local_method=8))
    yield "header_crc_differs", archive(Member(local_crc=1))
    yield "header_extra_beyond_file", archive(Member(local_extra_length=65535))
    yield "encrypted", archive(Member(flags=1))
    yield "version_12", archive(Member(version=120))
    yield "version_6_4", archive(Member("x", version=64))
    yield "method_bzip2", archive(Member(method=12))
    yield "method_lzma", archive(Member(method=14))
    yield "method_zstandard", archive(Member(method=93))
    yield "method_unknown", archive(Member(method=77))


def contents():
    zeros = array(shape="(25000,)", data=bytes(100000))
    huge = array(shape="(1000000000000,)", data=bytes(1000))
    flipped = ONE[:-1] + b"\1"
    yield "crc_stored", archive(Member(packed=flipped))
    yield "crc_deflated", archive(Member(method=8, packed=deflate(flipped)))
    yield "crc_name_control", archive(Member("a\x1b]0;\x07b.npy", packed=flipped))
    yield "name_zero_byte", archive(Member(b"a\0b.npy", packed=flipped))
    yield "name_not_utf8", archive(Member(b"a\xff.npy", packed=flipped))
    yield "stored_longer", archive(Member(size=len(ONE) - 1))
    yield "stored_shorter", archive(Member(size=len(ONE) + 1))
    yield "stored_beyond_int64", archive(Member(size=BIG, extra=zip64(BIG)))
    yield "deflated_longer", archive(Member(method=8, packed=deflate(ONE + bytes(1000))))
    yield "deflated_shorter", archive(Member(method=8, data=zeros, packed=deflate(zeros[:-1000])))
    yield "deflated_cut", archive(Member(method=8, data=zeros, packed=deflate(zeros)[:-20]))
    yield "deflated_empty", archive(Member(method=8, packed=b""))
    yield "deflated_garbage", archive(Member(method=8, packed=b"\xff" * 50))
    yield "deflated_text_behind", archive(Member(method=8, packed=deflate(ONE) + b"behind"))
    yield "deflated_beyond_int64", archive(Member(method=8, size=BIG, extra=zip64(BIG)))
    yield "bomb_by_header", archive(Member(method=8, data=huge))
    yield "bomb_by_both", archive(Member(method=8, data=huge, size=len(huge) - 1000 + 4 * 10**12,
                                         extra=zip64(len(huge) - 1000 + 4 * 10**12)))
    yield "no_npy_stored", archive(Member(data=b"[1,2,3]"))
    yield "no_npy_deflated", archive(Member(method=8, data=b"[1,2,3]"))
    yield "no_bytes", archive(Member(data=b""))
    yield "npy_object", archive(Member(data=array(descr="'|O'", data=b"\x80\x04N.")))
    yield "npy_short", archive(Member(data=array(data=FOUR_BYTES[:3])))
    yield "npy_long_deflated", archive(Member(method=8, data=array(data=FOUR_BYTES + b"\0")))
    yield "npy_header_cut", archive(Member(method=8, data=ONE[:30]))


def records():
    """Whole records that are missing or lie."""
    one = archive(Member())
    yield "several_disks", one[:-18] + struct.pack("<HH", 1, 1) + one[-14:]
    yield "directory_longer", archive(Member(), Member("y.npy"), count=1)
    yield "in_directory", archive(Member(), entries=[Member(offset=20)])


HEAD = "# Malformed NPZ archives: what `tensorop convert` says about each. Written by make_bad_npz.py, but for the messages.\n"


def main():
    path = pathlib.Path(__file__).resolve().parent / "bad_npz.txt"
    lines = lines_of(path)
    text = HEAD
    for family in (directories, headers, contents, records):
        text += "\n"
        for name, content in family():
            # A record of the archive begins on a line of its own.
            parts = [part for part in re.split(rb"(?=PK[\1-\7][\2-\7])", content) if part] or [b""]
            text += row(name, parts, lines.get(name, ()))
    path.write_text(text)


if __name__ == "__main__":
    main()
