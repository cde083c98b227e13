#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets; changes nothing when it is run again. Standard library only."""

import io
import pathlib
import struct
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def write(target, name, data):
    folder = HERE / target
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def npy(descr, shape, data, fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


ARRAYS = {
    "x": npy("<i4", "(2, 2)", struct.pack("<4i", 1, 2, 3, 4)),
    "y": npy(">f4", "(2, 2)", struct.pack(">4f", 1, 2, 3, 4), fortran=True),
    "s": npy("<U2", "(1,)", "ab".encode("utf-32-le")),
    "e": npy("<f8", "(0, 3)", b""),
}


def archive(names, method, comment=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name in names:
            member = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            with file.open(member_with(member, method), "w", force_zip64=name == "x") as stream:
                stream.write(ARRAYS[name])
        file.comment = comment
    return out.getvalue()


def member_with(member, method):
    member.compress_type = method
    return member


def npz():
    write("npz", "stored", archive("x", zipfile.ZIP_STORED))
    write("npz", "deflated", archive("x", zipfile.ZIP_DEFLATED))
    write("npz", "all_stored", archive(ARRAYS, zipfile.ZIP_STORED))
    write("npz", "all_deflated", archive(ARRAYS, zipfile.ZIP_DEFLATED, b"a comment"))
    write("npz", "empty", archive("", zipfile.ZIP_STORED))


def tensor_proto():
    for name, fields in {
        "float32": "0802 0802 1001 420178 4a10 0000803f000000400000404000008040",
        "int64_scalar": "1007 4a08 0700000000000000",
        "empty": "0800 0803 1001 420165 4a00",
        "float16_typed": "0802 100a 2a0580788080 03 420168",
        "int8_typed": "0803 1003 2a0c01ffffffffffffffffff017f",
        "complex64_typed": "0801 100e 22080000803f000000c0",
        "strings": "0803 1008 320161 3203c3a462 3200 420173",
        "int4": "0803 1016 420171 4a02870f",
        "int4_typed": "0803 1015 2a0387010f",
        "packed_dims": "0a020201 1006 2a020102",
        "unpacked_numbers": "0802 1001 250000803f 2500000040",
        "float64_typed": "0801 100b 5208000000000000f03f",
        "int64_typed": "0802 1007 38ffffffffffffffffff01 3a0105",
        "uint32_typed": "0802 100c 5805 5a05ffffffff0f",
        "bool_typed": "0802 1009 2a020001",
        "reversed": "4a040000803f 1001 0801",
        "skipped_fields": "0801 620161 1001 4a040000803f 820100 7000 880105",
        "external": "0801 1001 6a0d 0a086c6f636174696f6e120166 7001",
    }.items():
        write("tensor_proto", name, bytes.fromhex(fields))


def safetensors():
    def entry(name, dtype, shape, begin, end):
        return f'"{name}":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{begin},{end}]}}'

    arrays = ",".join(
        [entry("b", "I64", "[]", 0, 8), entry("a", "F32", "[1,2]", 8, 16), entry("h", "BF16", "[1]", 16, 18),
         entry("c", "BOOL", "[3]", 18, 21), entry("f", "F4", "[2]", 21, 22), entry("s", "F6_E2M3", "[4]", 22, 25),
         entry("e", "U8", "[0,3]", 25, 25)]
    )  # fmt: skip
    for name, text, data in [
        ("one", "{" + entry("x", "F32", "[2]", 0, 8) + "}", bytes(8)),
        ("all", '{"__metadata__":{"format":"pt","k":"\\u0001"},' + arrays + "}", bytes(range(25))),
        ("empty", "{}", b""),
        ("unknown", '{"a":{"dtype":"X","shape":[2],"data_offsets":[0,3],"more":[{"k":1}]},"__metadata__":null}', b"abc"),
    ]:
        text += " " * (-len(text) % 8)
        write("safetensors", name, struct.pack("<Q", len(text)) + text.encode() + data)
        write("safetensors", name + "_header", text)


def shard_index():
    write("shard_index", "two.json", '{"metadata":{"total_size":6},"weight_map":{"c":"m-2","a":"m-1","b":"m-1"}}\n')
    write("shard_index", "one.json", '{"weight_map":{"a":"m-1"},"x":[1,{}]}\n')
    header = b'{"d":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}   '
    third = struct.pack("<Q", len(header)) + header + b"xy"
    write("shard_index", "third.json", b'{"weight_map":{"d":"m-3","c":"m-2"}}\0' + third)


def gguf():
    def text(string):
        return struct.pack("<Q", len(string)) + string.encode()

    def tensor(name, kind, offset, *sizes):
        return text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, offset)

    def whole(keys, tensors, data):
        head = struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys) + b"".join(tensors)
        return head + b"\0" * (-(4 + len(head)) % 32) + data

    keys = [
        text("general.alignment") + struct.pack("<II", 4, 32),
        text("name") + struct.pack("<I", 8) + text("model"),
        text("on") + struct.pack("<I?", 7, True),
        text("rate") + struct.pack("<If", 6, 0.5),
        text("list") + struct.pack("<IIQ2q", 9, 11, 2, 1, -1),
        text("words") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("bc"),
    ]
    tensors = [tensor("x", 0, 0, 3, 2), tensor("h", 30, 32, 4), tensor("q", 8, 64, 32)]
    write("gguf", "all", whole(keys, tensors, bytes(64) + bytes(34)))
    write("gguf", "one", whole([], [tensor("x", 24, 0)], b"\1"))


def json():
    # A letter in front asks for a dtype.
    for name, text in {
        "scalar": "3",
        "table": "t1 2\n-3 +04\n",
        "table_csv": "c1,2.5\nnan,.5\n",
        "table_tsv": "Ev1\t0\r\n3\t4\r\n\n",
        "nested": "[[1,2],[3,4]]",
        "fractions_late": "[1,2,3.5]",
        "described": '{"dtype":"float32","shape":[2,2],"data":[[0,1],[2,3]]}',
        "dtype_last": '{"data":[1,2],"shape":[2],"dtype":"uint8"}',
        "empty": '{"dtype":"int8","shape":[0,3],"data":[]}',
        "complex": '{"dtype":"complex64","data":[[1,2],["NaN",-0.0]]}',
        "strings": '["a","\\u00e9","\\ud83d\\ude00",""]',
        "booleans": "[true,false]",
        "not_finite": '["NaN","Infinity",1.5]',
        "as_int8": "B[-128,127]",
        "as_uint64": "I[18446744073709551615]",
        "as_float16": "J[65504,-0,1e-8]",
        "as_bfloat16": "K[3.3e38]",
        "as_complex128": "O[[1,2],[3,4]]",
        "as_string": 'P["NaN"]',
    }.items():
        write("json", name, text)


def jobs():
    for name, text in {
        "lines": '{"op":"gather","data":[1,2,3],"indices":[0,-1],"id":"x"}\n'
                 '{"op":"add","a":"@x","b":1,"output":"o.npy"}\n\n'
                 '{"op":"mul","a":"o.npy","b":"@x","output":"p.json","format":"nested"}\n',
        "list": '[{"op":"scatternd","data":[1,2],"indices":[[0]],"updates":[5],"reduction":"add","id":"a"},\n'
                '{"op":"min","operands":["@a",[1,2],3],"dtype":"float32","id":"b","name":"smallest"}]',
        "attributes": '{"op":"broadcast","data":1,"shape":[2,3],"mode":"numpy","id":"x"}\n'
                      '{"op":"mod","a":[5],"b":[3],"fmod":true,"spec":"onnx-13","id":"y"}\n'
                      '{"op":"gathernd","data":[[1,2]],"indices":[[0]],"batch_dims":0,"oob":"clip","id":"z"}\n',
        "cases": '{"op":"add","a":1,"b":1,"expect":2,"name":"sum"}\n'
                 '{"op":"div","a":[1.5],"b":[2],"expect":{"dtype":"float64","data":[0.75]},"rtol":1e-3,'
                 '"max_mismatch":"1%"}\n'
                 '{"op":"gather","data":[1],"indices":[4],"expect":{"error":"IX-1"}}\n'
                 '{"op":"sub","a":1,"b":1,"expect":"golden.npy","tolerance":"auto","nan_unequal":true}\n',
        "later_id": '{"op":"add","a":"@x","b":1,"id":"y"}\n{"op":"add","a":1,"b":1,"id":"x"}\n',
        "own_id": '{"op":"add","a":"@x","b":1,"id":"x"}\n',
        "same_output": '{"op":"add","a":1,"b":1,"output":"o.npy"}\n{"op":"add","a":1,"b":1,"output":"./o.npy"}\n',
        "overwrites": '{"op":"add","a":"in.npy","b":1,"id":"y"}\n{"op":"add","a":1,"b":1,"output":"in.npy"}\n',
    }.items():
        write("jobs", name, text)


def arguments():
    for name, (words, stdin) in {
        "gather": (["gather", "a.npy", "i.npy", "--axis", "1"], ""),
        "gathernd": (["gathernd", "--data", "[[1,2],[3,4]]", "--indices", "[[0,0],[1,1]]"], ""),
        "gather_out_of_range": (["gather", "a.npy", "[7]", "-o", "o.npy"], ""),
        "scatternd": (["ScatterND", "a.npy", "[[0]]", "[[9,9,9]]", "--reduction", "add", "-o", "o.npy"], ""),
        "scatter_over_input": (["scatterupdate", "a.npy", "[1]", "[[1,1,1]]", "-o", "a.npy"], ""),
        "broadcast": (["broadcast", "i.npy", "--shape=3,2", "--format", "nested"], ""),
        "bitshift": (["bitshift", "[1]", "[2]", "--direction", "left", "--dtype", "uint8"], ""),
        "mod": (["mod", "--fmod", "[5.5]", "[2.0]", "--spec", "onnx-13", "--threads", "2"], ""),
        "where": (["where", "[true,false]", "1", "-", "-q"], "[1.5,2]"),
        "dry_run": (["add", "--dry-run", "float32[1024,1024]", "float32[1024,1]"], ""),
        "deprecated": (["scatter", "--spec=onnx-11", "a.npy", "[[0]]", "[[1]]"], ""),
        "help": (["gather", "--help"], ""),
        "version": (["--version"], ""),
        "typo": (["gathr", "a.npy"], ""),
        "ops": (["ops", "pow", "--json"], ""),
        "info": (["info", "a.npy", "t.json", "--json"], ""),
        "convert": (["convert", "t.json", "--dtype", "float16", "-o", "o.npy", "--fsync"], ""),
        "convert_npz": (["convert", "x=a.npy", "i.npy", "-o", "o.npz", "--compress"], ""),
        "compare": (["compare", "a.npy", "b.npy", "--rtol", "1e-3", "--max-mismatch=10%"], ""),
        "compare_json": (["compare", "f.npy", "f.npy", "--nan-unequal", "--json"], ""),
        "run": (["run", "jobs.jsonl", "--jobs", "2", "--progress", "never"], ""),
        "run_stdin": (["run", "-", "--fail-fast"], '{"op":"add","a":1,"b":"a.npy","output":"o.json"}'),
        "check": (["check", "golden", "--filter", "s*m"], ""),
        "check_update": (["check", "golden/cases.json", "--update", "--junit", "r.xml"], ""),
        "completion": (["completion", "bash"], ""),
        "man": (["man", "gather"], ""),
    }.items():
        text = "".join(word + "\0" for word in words)
        write("arguments", name, text + ("\x04" + stdin if stdin else ""))


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def proto(*fields):
    """A protobuf message of (number, value): integers are varints, all else is bytes."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value & (2**64 - 1))
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def model():
    def value(name, dtype):
        dim = proto((1, proto((1, 3))), (1, proto((2, "N"))))
        return proto((1, name), (2, proto((1, proto((1, dtype), (2, dim))))))

    def node(op_type, inputs, output, *attributes):
        return proto(*((1, name) for name in inputs), (2, output), (4, op_type), *((5, a) for a in attributes))

    def whole(nodes, inputs, *more, opset=13):
        graph = proto(*((1, n) for n in nodes), (2, "graph"), *more, *((11, i) for i in inputs), (12, value("y", 1)))
        return proto((1, 7), (2, "make.py"), (7, graph), (8, proto((1, ""), (2, opset))))

    data, indices = value("data", 1), value("indices", 7)
    shape = proto((1, 2), (2, 7), (8, "indices"), (9, struct.pack("<2q", 2, 3)))
    axis = proto((1, "axis"), (3, 1), (20, 2))
    gather = node("Gather", ["data", "indices"], "y", axis)
    constant = node("Constant", [], "indices", proto((1, "value"), (5, shape), (20, 4)))
    body = proto((1, gather), (12, value("y", 1)))
    words = {"reduction": "add", "axis": 0}
    scatter = node(
        "ScatterElements",
        ["data", "indices", "data"],
        "y",
        *(proto((1, k), (3, v), (20, 2)) if isinstance(v, int) else proto((1, k), (4, v), (20, 3)) for k, v in words.items()),
    )
    write("model", "gather", whole([gather], [data, indices]))
    write("model", "initializer", whole([node("Expand", ["data", "indices"], "y")], [data], (5, shape)))
    write("model", "constant", whole([constant, gather], [data]))
    write("model", "scatter", whole([scatter], [data, indices], opset=18))
    write("model", "several", whole([gather, scatter], [data, indices]))
    write("model", "subgraph", whole([node("If", ["data"], "y", proto((1, "then_branch"), (6, body), (20, 5)))], [data]))
    write("model", "function", whole([gather], [data, indices]) + proto((25, proto((1, "Gather")))))
    # tests/fuzz/fuzz_model.cpp has a file "w" of 16 bytes beside the model.
    place = [(13, proto((1, key), (2, text))) for key, text in {"location": "w", "offset": "4", "length": "8"}.items()]
    apart = proto((1, 2), (2, 1), (8, "apart"), *place, (14, 1))
    halves = proto((1, 3), (2, 22), (8, "halves"), place[0], (14, 1))
    write("model", "external", whole([gather], [data], (5, shape), (5, apart), (5, halves)))


npz()
tensor_proto()
safetensors()
shard_index()
gguf()
json()
jobs()
model()
arguments()
