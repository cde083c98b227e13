#!/usr/bin/python3
"""Reads initializers of ONNX models that the onnx package writes, also with external data.

    /usr/bin/python3 tests/io/onnx_initializers.py path/to/tensorop

Dtypes, data in the model and beside it; external data outside of the folder, behind links, and of wrong sizes. The last
line is "N passed, N failed".
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import Checker, run, run_checks

checker = Checker()
ARRAYS = {
    "layer.0/w:0": np.arange(6, dtype=np.float32).reshape(2, 3),
    "half": np.arange(2000, dtype=np.float16),
    "ids": np.array([[1, -2], [3, 4]], dtype=np.int64),
    "flag": np.array([True, False, True]),
    "scalar": np.array(2.5, dtype=np.float64),
    "empty": np.zeros((0, 3), dtype=np.int32),
}
FIRST = "layer.0/w:0"


def model():
    initializers = [numpy_helper.from_array(array, name) for name, array in ARRAYS.items()]
    initializers.append(helper.make_tensor("text", TensorProto.STRING, [2], [b"ab", b"c"]))
    initializers.append(helper.make_tensor("typed", TensorProto.FLOAT, [2], [1.5, 2.5]))
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])
    graph = helper.make_graph([helper.make_node("Add", ["x", FIRST], ["y"])], "g", [value],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])], initializers)
    return helper.make_model(graph, producer_name="test")


def external(entries):
    """The model, where the first initializer is elsewhere."""
    made = model()
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, str(value)
    return made.SerializeToString()


def check_arrays(binary, folder, name):
    for array_name, array in ARRAYS.items():
        done = run(binary, "convert", f"{name}:{array_name}", "-o", "x.npy", cwd=folder)
        equal = done.returncode == 0 and np.array_equal(np.load(folder / "x.npy"), array) and np.load(folder / "x.npy").dtype == array.dtype
        checker.check(f"{name}:{array_name}", equal, done.stderr)
    done = run(binary, "convert", f"{name}:text", "--format", "nested", cwd=folder)
    checker.check(f"{name}: strings", done.stdout == b'["ab","c"]\n', done.stdout + done.stderr)
    done = run(binary, "convert", f"{name}:typed", "--format", "nested", cwd=folder)
    checker.check(f"{name}: typed data", done.stdout == b"[1.5,2.5]\n", done.stdout + done.stderr)


def check_refused(binary, folder):
    raw = ARRAYS[FIRST].tobytes()
    (folder / "sub").mkdir()
    (folder / "sub" / "w.bin").write_bytes(b"xxxx" + raw)
    (folder.parent / "outside.bin").write_bytes(raw)
    (folder / "empty").write_bytes(b"")
    os.symlink("sub", folder / "link")
    os.symlink("sub/w.bin", folder / "w.lnk")
    os.symlink("../outside.bin", folder / "out.lnk")
    os.symlink("..", folder / "up")
    os.mkfifo(folder / "fifo")
    for entries in ({"location": "sub/w.bin", "offset": 4, "length": 24}, {"location": "sub/w.bin", "offset": 4},
                    {"checksum": "ab", "offset": 4, "location": "sub/w.bin"},
                    {"location": "link/w.bin", "offset": 4}, {"location": "w.lnk", "offset": 4, "length": 24},
                    {"location": "./sub/./w.bin", "offset": 4, "length": 24}, {"location": "sub/w.bin", "offset": 4, "length": 0}):
        (folder / "e.onnx").write_bytes(external(entries))
        done = run(binary, "convert", f"e.onnx:{FIRST}", "--format", "nested", cwd=folder)
        warning = b"its external data is 0: read as the 24 bytes of float32 (2,3)"
        checker.check(f"{entries}", done.stdout == b"[[0.0,1.0,2.0],[3.0,4.0,5.0]]\n" and
                      (warning in done.stderr) == (entries.get("length") == 0), done.stderr)
    inside = "which is not a path inside the model's folder"
    for location, offset, length, message in [
        ("../outside.bin", 0, 24, inside),
        (str(folder / "sub" / "w.bin"), 4, 24, inside),
        ("sub/../sub/w.bin", 4, 24, inside),
        ("sub//w.bin", 4, 24, inside),
        ("up/outside.bin", 0, 24, "is reached through a symbolic link out of the model's folder"),
        ("out.lnk", 0, 24, "is reached through a symbolic link out of the model's folder"),
        ("none.bin", 4, 24, "cannot open: No such file"),
        ("sub", 0, 24, "is not a regular file"),
        ("fifo", 0, 24, "is not a regular file"),
        ("empty", 0, 24, "is empty"),
        ("", 0, 24, "in another file without a location"),
        ("sub/w.bin", 5, 24, "24 bytes at byte 5 of sub/w.bin, which has 28"),
        ("sub/w.bin", 2**63 - 1, 24, "which has 28"),
        ("sub/w.bin", 2**63, 24, "is not a number of bytes"),
        ("sub/w.bin", -4, 24, "is not a number of bytes"),
        ("sub/w.bin", 4, 23, "the length of external data is 23, float32 (2,3) needs 24 bytes"),
    ]:
        (folder / "b.onnx").write_bytes(external({"location": location, "offset": offset, "length": length}))
        done = run(binary, "convert", f"b.onnx:{FIRST}", cwd=folder)
        refused = done.returncode == 2 and message.encode() in done.stderr and not done.stdout
        checker.check(f"{location!r} {offset} {length}", refused, done.stderr)
        done = run(binary, "convert", "b.onnx:ids", "--format", "nested", cwd=folder)
        checker.check(f"{location!r}: another initializer", done.stdout == b"[[1,-2],[3,4]]\n", done.stderr)
    # Jobs share a model that is open, also one whose external data could not be opened.
    (folder / "n.onnx").write_bytes(external({"location": "none.bin"}))
    jobs = [{"op": "add", "operands": [f"n.onnx:{name}", 1], "output": f"{i}.npy"} for i, name in enumerate([FIRST, FIRST, "ids", FIRST])]
    (folder / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in jobs))
    done = run(binary, "run", "jobs.jsonl", "--threads", "1", cwd=folder)
    made = [(folder / f"{i}.npy").exists() for i in range(4)]
    checker.check("jobs", done.returncode == 2 and made == [False, False, True, False], done.stderr)


def check_archive(binary, folder):
    done = run(binary, "compare", "plain.onnx", "apart.onnx", cwd=folder)
    checker.check("compare", done.returncode == 0 and b"8 tensors: all equal" in done.stdout, done.stdout + done.stderr)
    done = run(binary, "convert", "apart.onnx", "-o", "all.npz", cwd=folder)
    with np.load(folder / "all.npz") as made:
        same = all(np.array_equal(made[name], array) for name, array in ARRAYS.items())
    checker.check("convert", done.returncode == 0 and same, done.stderr)
    done = run(binary, "info", "apart.onnx:half", cwd=folder)
    checker.check("info", done.stdout == b"apart.onnx:half: float16 (2000), 4000 bytes, onnx raw_data, C order, in apart.bin\n", done.stdout)
    # As in a cache of downloads: the names of a folder lead to files of another one.
    os.mkdir(folder / "blobs")
    os.mkdir(folder / "names")
    for name in ("apart.onnx", "apart.bin"):
        (folder / "blobs" / name[6:]).write_bytes((folder / name).read_bytes())
        os.symlink(f"../blobs/{name[6:]}", folder / "names" / name)
    done = run(binary, "compare", "names/apart.onnx", "plain.onnx", cwd=folder)
    checker.check("links to blobs", done.returncode == 0 and b"8 tensors: all equal" in done.stdout, done.stdout + done.stderr)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for call in ("[1] -o plain.onnx:ids", "[1] -o apart.onnx:half", "[1] -o apart.onnx:new", "[1] -o plain.onnx", "w=[1] -o new.onnx",
                 "apart.onnx --rename-regex ids=z -o apart.onnx", "apart.onnx --dry-run -o apart.onnx", "[1] -o plain.onnx --format json"):
        done = run(binary, "convert", *call.split(), cwd=folder)
        wanted = b"onnx: is an ONNX archive, and the result would be JSON" if "json" in call else b"onnx: ONNX files are only read"
        after = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        checker.check(f"only read: {call}", done.returncode == 2 and wanted in done.stderr and after == before, done.stderr)


def check_described(binary, folder):
    """`info` of a model has the dtype, shape and bytes of the elements, and the file of external data."""
    for name, file in (("plain.onnx", None), ("apart.onnx", "apart.bin")):
        done = run(binary, "info", name, cwd=folder)
        for line in (b"layer.0/w:0: float32 (2,3), 24 bytes", b"half: float16 (2000), 4000 bytes", b"ids: int64 (2,2), 32 bytes"):
            wanted = b"  initializer " + line + (b", in apart.bin" if file else b"") + b"\n"
            checker.check(f"{name}: {line}", wanted in done.stdout, done.stdout)
        done = run(binary, "info", name, "--json", cwd=folder)
        by_name = {array.pop("name"): array for array in json.loads(done.stdout)["files"][0]["model"]["initializers"]}
        for array_name, array in ARRAYS.items():
            wanted = {"dtype": str(array.dtype), "shape": list(array.shape), "bytes": array.nbytes, "file": file, "error": None}
            checker.check(f"{name}: {array_name}", {**by_name[array_name], "dtype": wanted["dtype"]} == wanted, by_name[array_name])
    (folder / "bad.onnx").write_bytes(external({"length": 24}))
    done = run(binary, "info", "bad.onnx", cwd=folder)
    checker.check("bad", b"initializer layer.0/w:0: error: the data is in another file without a location" in done.stdout, done.stdout)


def check_documented(binary, folder):
    """A long text before the graph, with and without a producer's name: the file is the same model."""
    for producer in ("test", ""):
        made = model()
        made.producer_name, made.doc_string = producer, "d" * 100000
        data = made.SerializeToString()
        assert data.index(b"ddd") < data.index(b"layer.0")
        (folder / "doc.onnx").write_bytes(data)
        done = run(binary, "convert", "doc.onnx:ids", "--format", "nested", cwd=folder)
        checker.check("doc_string: FILE:NAME", done.stdout == b"[[1,-2],[3,4]]\n", done.stderr)
        done = run(binary, "convert", "doc.onnx", "-o", "doc.npz", cwd=folder)
        checker.check("doc_string: all", done.returncode == 0, done.stderr)
        done = run(binary, "info", "doc.onnx", cwd=folder)
        checker.check("doc_string: info", b"initializer ids: int64 (2,2), 32 bytes" in done.stdout, done.stdout + done.stderr)
        done = run(binary, "check", "doc.onnx", cwd=folder)
        checker.check("doc_string: check", b"is an ONNX model, not a job file" in done.stderr, done.stderr)
        with open(folder / "doc.onnx", "rb") as file:
            done = subprocess.run(f"cat | {binary} info -", shell=True, stdin=file, cwd=folder, capture_output=True, check=False)
        checker.check("doc_string: a pipe", b":ids: int64 (2,2), 32 bytes" in done.stdout, done.stdout + done.stderr)


def check_large(binary, folder):
    """A model that is too large to be described is listed."""
    big = numpy_helper.from_array(np.zeros(1 << 24, dtype=np.float64), "big")
    made = helper.make_model(helper.make_graph([], "g", [], [], [big, numpy_helper.from_array(np.array([7]), "small")]))
    (folder / "large.onnx").write_bytes(made.SerializeToString())
    done = run(binary, "info", "large.onnx", cwd=folder)
    checker.check("large: info", done.returncode == 0 and b"large.onnx:big: float64 (16777216)" in done.stdout, done.stdout + done.stderr)
    done = run(binary, "convert", "large.onnx:small", "--format", "nested", cwd=folder)
    checker.check("large: an initializer", done.stdout == b"[7]\n", done.stderr)


def check_all(binary, parent):
    folder = parent / "models"
    folder.mkdir()
    onnx.save(model(), str(folder / "plain.onnx"))
    onnx.save_model(model(), str(folder / "apart.onnx"), save_as_external_data=True, location="apart.bin", size_threshold=0)
    check_arrays(binary, folder, "plain.onnx")
    check_arrays(binary, folder, "apart.onnx")
    check_refused(binary, folder)
    check_archive(binary, folder)
    check_described(binary, folder)
    check_documented(binary, folder)
    check_large(binary, folder)


if __name__ == "__main__":
    run_checks(checker, check_all)
