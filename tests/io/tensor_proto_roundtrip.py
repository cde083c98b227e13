#!/usr/bin/python3
"""Holds tensorop's TensorProto files to python3-onnx's, both ways.

    /usr/bin/python3 tests/io/tensor_proto_roundtrip.py path/to/tensorop

What onnx.numpy_helper.from_array writes, tensorop reads, and writes byte for byte; what onnx.helper.make_tensor keeps in
typed fields, tensorop reads; and of the official test data (libonnx-testdata) it reads every tensor as numpy_helper
does and refuses everything else by name. The last line is "N passed, N failed".
"""

import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import Program, npy, run_program, share

DTYPES = {
    TensorProto.FLOAT: "f4", TensorProto.UINT8: "u1", TensorProto.INT8: "i1", TensorProto.UINT16: "u2",
    TensorProto.INT16: "i2", TensorProto.INT32: "i4", TensorProto.INT64: "i8", TensorProto.BOOL: "?",
    TensorProto.FLOAT16: "f2", TensorProto.DOUBLE: "f8", TensorProto.UINT32: "u4", TensorProto.UINT64: "u8",
    TensorProto.COMPLEX64: "c8", TensorProto.COMPLEX128: "c16",
}
SHAPES = [(), (1,), (2, 3), (0, 3), (300,), (1, 2, 1, 3, 1, 2), (128, 2)]
STRINGS = [np.array("ä", dtype=object), np.array(["a", "äb", "", "x" * 200], dtype=object),
           np.array([["\U0001f600"]] * 2, dtype=object), np.zeros((2, 0), dtype=object)]


def arrays():
    random = np.random.default_rng(1)
    for dtype in DTYPES.values():
        for shape in SHAPES:
            size = int(np.prod(shape)) * np.dtype(dtype).itemsize
            data = random.integers(0, 2 if dtype == "?" else 256, size, dtype="u1").tobytes()
            yield np.frombuffer(data, dtype).reshape(shape)
    yield from STRINGS


def as_npy(array):
    """NumPy's file of the array; its strings have a fixed width."""
    if array.dtype == object:
        array = array.astype("U") if array.size else np.zeros(array.shape, "U1")
    return npy(array)


def bfloat16_npy(bits, shape):
    """The file that ml_dtypes makes."""
    return npy(np.frombuffer(bits, "V2").reshape(shape)).replace(b"'|V2'", b"'<V2'")


class Tensorop(Program):
    def run(self, *arguments, stdin=b""):
        return super().run(*arguments, input=stdin, text=False)

    def convert(self, data, ending, operand, *output):
        """The bytes that `convert` makes of a file of these bytes, or the message."""
        (self.folder / f"in{ending}").write_bytes(data)
        result = self.run("convert", operand, *output)
        if result.returncode != 0:
            return result.stderr
        return result.stdout if "-o" not in output else (self.folder / output[-1]).read_bytes()


def check_arrays(tensorop):
    for array in share(list(arrays()), 4):
        what = f"{array.dtype} {array.shape}"
        plain = numpy_helper.from_array(array).SerializeToString()
        named = numpy_helper.from_array(array, "a name/x:0").SerializeToString()
        file = as_npy(array)
        tensorop.check(f"{what} to .pb", tensorop.convert(file, ".npy", "in.npy", "-o", "out.pb") == plain)
        tensorop.check(f"{what} to .pb, named",
                      tensorop.convert(file, ".npy", "a name/x:0=in.npy", "-o", "out.tensorproto") == named)
        tensorop.check(f"{what} to a pipe", tensorop.run("convert", "-", "--format", "pb", stdin=file).stdout == plain)
        tensorop.check(f"{what} from .pb", tensorop.convert(named, ".pb", "in.pb", "-o", "out.npy") == file)
        tensorop.check(f"{what} from a pipe",
                      tensorop.run("convert", "-", "--format", "npy", stdin=plain).stdout == file)


def check_bfloat16(tensorop):
    bits = np.array([0x3F80, 0xC000, 0x7F80, 1], "u2").tobytes()
    proto = helper.make_tensor("b", TensorProto.BFLOAT16, (2, 2), bits, raw=True).SerializeToString()
    file = bfloat16_npy(bits, (2, 2))
    tensorop.check("bfloat16 to .pb", tensorop.convert(file, ".npy", "b=in.npy", "-o", "out.pb") == proto)
    tensorop.check("bfloat16 from .pb", tensorop.convert(proto, ".pb", "in.pb", "-o", "out.npy") == file)


def check_typed(tensorop):
    """What make_tensor keeps in typed fields."""
    for data_type, dtype in DTYPES.items():
        limits = {"i": np.iinfo, "u": np.iinfo}.get(np.dtype(dtype).kind)
        values = [limits(dtype).min, limits(dtype).max, 0, 1] if limits else [0, 1, 1, 0]
        array = np.array(values, dtype).reshape(2, 2)
        if np.dtype(dtype).kind == "c":
            array = array + array.dtype.type(0.5j)
        values = array.view("u2") if dtype == "f2" else array
        proto = TensorProto(dims=array.shape, data_type=data_type)
        if dtype == "f2":
            proto.int32_data.extend(values.flatten().tolist())
        else:
            proto = helper.make_tensor("", data_type, array.shape, values.flatten().tolist())
        tensorop.check(f"typed {array.dtype}", not proto.HasField("raw_data"))
        got = tensorop.convert(proto.SerializeToString(), ".pb", "in.pb", "-o", "out.npy")
        tensorop.check(f"typed {array.dtype} is read", got == npy(array), got)


def official_files():
    listed = subprocess.run(["dpkg", "-L", "libonnx-testdata"], capture_output=True, text=True, check=True).stdout
    return [pathlib.Path(line) for line in listed.splitlines() if line.endswith(".pb")]


def declared_as_tensor(path):
    """Whether the model beside the file says that it is a tensor; None where it does not say."""
    match = re.fullmatch(r"(input|output)_(\d+)\.pb", path.name)
    graph = onnx.load(path.parent.parent / "model.onnx").graph
    values = graph.input if match[1] == "input" else graph.output
    initial = {tensor.name for tensor in graph.initializer}
    values = [value for value in values if value.name not in initial] if match[1] == "input" else values
    return values[int(match[2])].type.WhichOneof("value") == "tensor_type"


def check_official(tensorop):
    tensors = 0
    refused = 0
    for path in share(official_files(), 4):
        if declared_as_tensor(path):
            tensors += 1
            proto = TensorProto.FromString(path.read_bytes())
            if proto.data_type == TensorProto.BFLOAT16:
                expected = bfloat16_npy(proto.raw_data or np.array(proto.int32_data, "u2").tobytes(), tuple(proto.dims))
            else:
                expected = as_npy(numpy_helper.to_array(proto))
            result = tensorop.run("convert", str(path), "--format", "npy")
            tensorop.check(f"{path} is read", result.stdout == expected, result.stderr.decode())
        else:
            refused += 1
            result = tensorop.run("convert", str(path), "--format", "npy")
            message = result.stderr.decode()
            tensorop.check(f"{path} is refused", result.returncode == 2 and "sequence or optional" in message, message)
    models = sorted({path.parent.parent / "model.onnx" for path in official_files()})[:200]
    for path in share(models, 4):
        message = tensorop.run("convert", str(path)).stderr.decode()
        names = [tensor.name for tensor in onnx.load(str(path), load_external_data=False).graph.initializer]
        wanted = "is an ONNX model, not a tensor" if not names else f"holds {len(names)} arrays" if len(names) > 1 else ""
        tensorop.check(f"{path} is refused, or is its only initializer", wanted in message, message)
    print(f"official files: {tensors} tensors, {refused} others")


def check_all(tensorop):
    check_arrays(tensorop)
    check_bfloat16(tensorop)
    check_typed(tensorop)
    check_official(tensorop)


if __name__ == "__main__":
    run_program(check_all, Tensorop)
