#!/usr/bin/python3
"""Holds the ONNX case folders that `run --onnx-case` writes to what others say of them: random calls of every operator in
every published version, with every dtype that the version allows.

    /usr/bin/python3 tests/onnx/made_cases.py path/to/tensorop

ONNX's checker and its schemas judge each model, as far as they know its opset, and its helpers read the tensors. What
ONNX Runtime computes is compared by onnxruntime_cases.py of docs/examples. TENSOROP_SEED repeats a run; a folder as
second argument keeps the cases. The last line is "N passed, N failed".
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, Checker

VERSIONS = pathlib.Path(__file__).resolve().parents[2] / "testdata/spec/versions.txt"
NEWEST = int(re.search(r"^newest \| onnx \| (\d+)$", VERSIONS.read_text(), re.MULTILINE)[1])
IR_VERSIONS = {**{row[2]: row[1] for row in onnx.helper.VERSION_TABLE},
               18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11, 24: 12, 25: 13, 26: 13, 27: 13}
# Opsets that no release had by itself: the IR version of the one before.
for opset in range(2, 5):
    IR_VERSIONS[opset] = 3
for opset in range(28, NEWEST + 1):  # not yet released, or with the last one
    IR_VERSIONS[opset] = IR_VERSIONS[opset - 1]
ELEM_TYPES = {"bool": 9, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "uint8": 2, "uint16": 4, "uint32": 12,
              "uint64": 13, "float16": 10, "bfloat16": 16, "float32": 1, "float64": 11, "complex64": 14,
              "complex128": 15, "string": 8}
WIDTHS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def tensor(dtype, array):
    """A tensor as JSON."""
    array = np.asarray(array)
    data = array.tolist()
    if dtype.startswith("complex"):
        data = np.stack([array.real, array.imag], -1).tolist()
    return {"dtype": dtype, "shape": list(array.shape), "data": data}


def values(rng, dtype, shape):
    """Random values that are exact in any dtype."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "string":
        words = np.array(["", "a", "äb", "a longer one, beyond what is kept in place"])
        return np.array(words[rng.integers(0, len(words), shape)])
    numbers = rng.integers(0 if dtype.startswith("u") else -20, 21, shape)
    if dtype.startswith("complex"):
        return numbers / 2 + 0.25j * rng.integers(-8, 9, shape)
    return numbers / 2 if dtype in FLOATS else numbers


def random_shape(rng, least=0):
    return [int(n) for n in rng.integers(1, 5, rng.integers(least, 4))]


def broken(rng, shape):
    """A shape that broadcasts to `shape`."""
    out = [1 if rng.random() < 0.3 else n for n in shape]
    return out[rng.integers(0, len(out) + 1):]


def indices_of(rng, size, shape, version):
    out = rng.integers(0, size, shape)
    return out - size * rng.integers(0, 2, shape) if version["negative_indices"] else out


# What the model of a call says: the operator, the opset at which its version appeared, its own, and the attributes.
Expected = collections.namedtuple("Expected", "published since opset attributes")


class Calls:
    """Random jobs; what the model of each must say, and its inputs."""

    def __init__(self, rng):
        self.rng = rng
        self.jobs = []
        self.expected = []
        self.inputs = []

    def add(self, op, version, opset, inputs, attributes, keys=None):
        names = [name for name, _, _ in inputs]
        job = {"op": op, "spec": f"onnx-{opset}", "name": f"{op}_{opset}_{len(self.jobs)}"}
        operands = {name: tensor(dtype, array) for name, dtype, array in inputs}
        if len(set(names)) == len(names):
            job.update(operands)
        else:
            job["operands"] = [tensor(dtype, array) for _, dtype, array in inputs]
        job.update(attributes if keys is None else keys)
        self.jobs.append(job)
        self.expected.append(Expected(version["published"], version["since"], opset, attributes))
        self.inputs.append([(dtype, np.asarray(array)) for _, dtype, array in inputs])

    def axis(self, rank):
        return int(self.rng.integers(-rank, rank))

    def gather(self, op, version, opset, dtype):
        rng = self.rng
        shape = random_shape(rng, 1)
        data = values(rng, dtype, shape)
        index_type = str(rng.choice(version["types"]["Tind"]))
        attributes = {}
        if op == "gathernd":
            batch = 0
            if "batch_dims" in version["attributes"] and rng.random() < 0.7:
                batch = attributes["batch_dims"] = int(rng.integers(0, len(shape)))
            k = int(rng.integers(1, len(shape) - batch + 1))
            tuples = shape[:batch] + random_shape(rng)
            columns = [indices_of(rng, n, tuples, version) for n in shape[batch:batch + k]]
            indices = np.stack(columns, -1)
        else:
            axis = 0
            if rng.random() < 0.7:
                axis = attributes["axis"] = self.axis(len(shape))
                if not version["negative_indices"]:
                    axis = attributes["axis"] = axis % len(shape)
            where = random_shape(rng)
            if op == "gatherelements":
                where = [int(rng.integers(1, n + 1)) for n in shape]
                where[axis] = int(rng.integers(1, 6))
            indices = indices_of(rng, shape[axis], where, version)
        self.add(op, version, opset, [("data", dtype, data), ("indices", index_type, indices)], attributes)

    def scatter(self, op, version, opset, dtype):
        rng = self.rng
        shape = random_shape(rng, 1)
        attributes = {}
        choices = version["attributes"].get("reduction", {}).get("choices", [])
        if dtype in ("bool", "string") or dtype.startswith("complex"):
            choices = [choice for choice in choices if choice == "none"]
        if choices and rng.random() < 0.8:
            attributes["reduction"] = str(rng.choice(choices))
        unique = attributes.get("reduction", "none") == "none"
        if op == "scatternd":
            k = int(rng.integers(1, len(shape) + 1))
            cells = int(np.prod(shape[:k]))
            count = int(rng.integers(1, cells + 1))
            chosen = rng.choice(cells, count, replace=not unique)
            indices = np.stack(np.unravel_index(chosen, shape[:k]), -1)
            updates = [count] + shape[k:]
        else:
            axis = 0
            if rng.random() < 0.7:
                axis = attributes["axis"] = self.axis(len(shape))
            updates = [int(rng.integers(1, n + 1)) for n in shape]
            indices = np.argsort(rng.random(shape), axis) if unique else rng.integers(0, shape[axis], shape)
            indices = indices[tuple(slice(0, n) for n in updates)]
        index_type = str(rng.choice(version["types"]["Tind"]))
        self.add(op, version, opset,
                 [("data", dtype, values(rng, dtype, shape)), ("indices", index_type, indices),
                  ("updates", dtype, values(rng, dtype, updates))], attributes)

    def tensorscatter(self, op, version, opset, dtype):
        rng = self.rng
        shape = random_shape(rng, 2)
        attributes = {}
        axis = len(shape) - 2
        if rng.random() < 0.7 or axis == 0:
            axis = int(rng.integers(1, len(shape)))
            attributes["axis"] = axis - len(shape) * int(rng.integers(0, 2))
        if rng.random() < 0.7:
            attributes["mode"] = str(rng.choice(["linear", "circular"]))
        updates = list(shape)
        updates[axis] = int(rng.integers(1, shape[axis] + 1))
        last = shape[axis] if attributes.get("mode") == "circular" else shape[axis] - updates[axis] + 1
        index_type = str(rng.choice(version["types"]["Tind"]))
        self.add(op, version, opset,
                 [("data", dtype, values(rng, dtype, shape)), ("updates", dtype, values(rng, dtype, updates)),
                  ("indices", index_type, rng.integers(0, last, shape[0]))], attributes)

    def expand(self, op, version, opset, dtype):
        shape = random_shape(self.rng)
        own = broken(self.rng, shape)
        self.add(op, version, opset, [("data", dtype, values(self.rng, dtype, own)), ("shape", "int64", shape)], {},
                 {"shape": shape})

    def where(self, op, version, opset, dtype):
        rng = self.rng
        shape = random_shape(rng)
        self.add(op, version, opset,
                 [("condition", "bool", values(rng, "bool", broken(rng, shape))),
                  ("x", dtype, values(rng, dtype, broken(rng, shape))),
                  ("y", dtype, values(rng, dtype, broken(rng, shape)))], {})

    def concat(self, op, version, opset, dtype):
        rng = self.rng
        shape = random_shape(rng, 2)
        axis = self.axis(len(shape)) if opset >= 11 else int(rng.integers(0, len(shape)))
        attributes = {"axis": axis}
        if opset < 4 and rng.random() < 0.5:
            axis, attributes = 1, {}
        inputs = []
        for i in range(int(rng.integers(1, 4))):
            shape[axis] = int(rng.integers(1, 5))
            inputs.append(("b" if i else "a", dtype, values(rng, dtype, shape)))
        self.add(op, version, opset, inputs, attributes)

    def elementwise(self, op, version, opset, dtype):
        rng = self.rng
        attributes = {}
        shape = random_shape(rng)
        first, second = broken(rng, shape), broken(rng, shape)
        if "broadcast" in version["attributes"]:
            first = second = shape
            if rng.random() < 0.7:
                attributes["broadcast"] = int(rng.integers(0, 2))
            if attributes.get("broadcast") == 1:
                begin = int(rng.integers(0, len(shape) + 1))
                end = int(rng.integers(begin, len(shape) + 1))
                second = shape[begin:end]
                if second and (end != len(shape) or rng.random() < 0.5):
                    attributes["axis"] = begin
        elif opset < 7 or (version["published"] in ("Min", "Max") and opset < 8):
            first = second = shape
        if op == "prelu":
            first, second = shape, [1] if opset < 7 else broken(rng, shape)
        if "consumed_inputs" in version["attributes"] and rng.random() < 0.5:
            attributes["consumed_inputs"] = [0, 0]
        other = dtype
        if op == "pow" and "T1" in version["types"]:
            other = str(rng.choice(version["types"]["T1"]))
        if op == "mod" and (dtype in FLOATS or rng.random() < 0.5):
            attributes["fmod"] = 1 if dtype in FLOATS else int(rng.integers(0, 2))
        if op == "bitshift":
            attributes["direction"] = str(rng.choice(["left", "right"]))
        a, b = values(rng, dtype, first), values(rng, other, second)
        if op in ("div", "mod"):
            b = np.where(b == 0, 3, b)
        if op == "pow":
            a, b = np.abs(a) % 4 + 1, np.abs(b).astype(int) % 4
        if op == "bitshift":
            b = b % WIDTHS[dtype]
        inputs = [("a", dtype, a), ("b", other, b)]
        if op in ("min", "max"):
            more = int(rng.integers(0, 4))
            inputs = [("a", dtype, a), ("b", dtype, b)][:1 + more]
            inputs += [("b", dtype, values(rng, dtype, second)) for _ in range(more - 1)]
        expected = {**attributes, "direction": attributes["direction"].upper()} if op == "bitshift" else attributes
        self.add(op, version, opset, inputs, expected, attributes)


def kind_of(name):
    if name.startswith("gather"):
        return "gather"
    if name.startswith("scatter"):
        return "scatter"
    return name if name in ("concat", "expand", "tensorscatter", "where") else "elementwise"


def onnx_versions(binary):
    """(name, version, the opsets at which it is in effect) of every version ONNX has published and not deprecated."""
    listed = subprocess.run([binary, "ops", "--json"], capture_output=True, text=True, check=True)
    for row in json.loads(listed.stdout)["operators"]:
        versions = [dict(version, since=int(version["spec"].removeprefix("onnx-")))
                    for version in row["versions"] if version["spec"].startswith("onnx-")]
        for version in versions:
            later = [other["since"] for other in versions
                     if other["published"] == version["published"] and other["since"] > version["since"]]
            name = "scatter" if version["published"] == "Scatter" else row["name"]
            if not version.get("deprecated"):
                yield name, version, range(version["since"], min(later, default=NEWEST + 1))


def random_calls(binary, rng):
    calls = Calls(rng)
    for name, version, opsets in onnx_versions(binary):
        make = getattr(calls, kind_of(name))
        dtypes = [dtype for dtype in version["types"]["T"] if dtype in ELEM_TYPES]  # no small ones
        for opset in {opsets[0], opsets[-1]}:
            make(name, version, opset, str(rng.choice(dtypes)))
        for dtype in dtypes:
            make(name, version, int(rng.choice(opsets)), dtype)
    return calls


def read_tensor(path):
    proto = onnx.TensorProto()
    proto.ParseFromString(path.read_bytes())
    array = numpy_helper.to_array(proto)
    if array.dtype == object:
        texts = [text.decode() if isinstance(text, bytes) else text for text in array.ravel()]
        array = np.array(texts, dtype=str).reshape(array.shape)
    return proto, array


def attributes_of(node):
    out = {}
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        out[attribute.name] = value.decode() if isinstance(value, bytes) else value
    return out


def schema_names(schema, count):
    """What the schema calls the inputs."""
    names = [parameter.name for parameter in schema.inputs]
    if schema.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic:
        stem = names[-1].rstrip("0123456789")
        names = names[:-1] + [f"{stem}{i}" for i in range(count - len(names) + 1)]
    return names


def check_with_onnx(checker, name, model, since):
    """What the checker and the schemas of this ONNX say, if they know the version: a newer opset that has it too is
    replaced by the newest that they know."""
    known = onnx.defs.onnx_opset_version()
    if since > known:
        return
    lowered = onnx.ModelProto()
    lowered.CopyFrom(model)
    if model.opset_import[0].version > known:
        lowered.opset_import[0].version = known
        lowered.ir_version = onnx.IR_VERSION
    try:
        onnx.checker.check_model(lowered, full_check=True)
        checker.check(name, True)
    except Exception as error:  # the checker has many
        checker.check(f"{name}: the checker accepts it", False, error)
    node = model.graph.node[0]
    schema = onnx.defs.get_schema(node.op_type, since)
    checker.check(f"{name}: names of inputs", list(node.input) == schema_names(schema, len(node.input)), node.input)
    checker.check(f"{name}: name of the output", node.output[0] == schema.outputs[0].name, node.output)


def check_case(checker, folder, job, expected, inputs):
    name = job["name"]
    data_set = folder / "test_data_set_0"
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    wanted = ["model.onnx"] + [f"test_data_set_0/input_{i}.pb" for i in range(len(inputs))]
    checker.check(f"{name}: files", files == sorted(wanted + ["test_data_set_0/output_0.pb"]), files)

    text = (folder / "model.onnx").read_bytes()
    model = onnx.ModelProto()
    model.ParseFromString(text)
    checker.check(f"{name}: canonical bytes", model.SerializeToString() == text)
    checker.check(f"{name}: producer", model.producer_name == "tensorop", model.producer_name)
    checker.check(f"{name}: IR version", model.ir_version == IR_VERSIONS[expected.opset], model.ir_version)
    imports = [(entry.domain, entry.version) for entry in model.opset_import]
    checker.check(f"{name}: opset", imports == [("", expected.opset)], imports)
    graph = model.graph
    checker.check(f"{name}: one node", [node.op_type for node in graph.node] == [expected.published])
    node = graph.node[0]
    checker.check(f"{name}: attributes", attributes_of(node) == expected.attributes, node.attribute)
    checker.check(f"{name}: inputs", [value.name for value in graph.input] == list(node.input), graph.input)
    checker.check(f"{name}: output", [value.name for value in graph.output] == list(node.output), graph.output)
    for i, (value, (dtype, array)) in enumerate(zip(graph.input, inputs)):
        proto, read = read_tensor(data_set / f"input_{i}.pb")
        declared = value.type.tensor_type
        shape = [dimension.dim_value for dimension in declared.shape.dim]
        same_type = declared.elem_type == proto.data_type == ELEM_TYPES[dtype]
        checker.check(f"{name}: type of input {i}", same_type, declared.elem_type)
        checker.check(f"{name}: shape of input {i}", shape == list(proto.dims) == list(array.shape), shape)
        checker.check(f"{name}: name of input {i}", proto.name == value.name, proto.name)
        checker.check(f"{name}: input {i}", np.array_equal(read, array), read)
    proto, _ = read_tensor(data_set / "output_0.pb")
    declared = graph.output[0].type.tensor_type
    shape = [dimension.dim_value for dimension in declared.shape.dim]
    checker.check(f"{name}: type of the output", declared.elem_type == proto.data_type, declared.elem_type)
    checker.check(f"{name}: shape of the output", declared.HasField("shape") and shape == list(proto.dims), shape)
    checker.check(f"{name}: name of the output", proto.name == graph.output[0].name, proto.name)
    check_with_onnx(checker, name, model, expected.since)


def check_generated(checker, binary, folder):
    """ONNX's checker on generated cases, of versions that it knows."""
    operators = ["gather", "gathernd", "scatterelements", "scatternd", "expand", "concat", "add", "pow", "min", "where"]
    subprocess.run([binary, "generate", *operators, "--spec", "onnx-18", "--format", "onnx", "--count", "30", "-o",
                    str(folder)], check=True)
    models = sorted(folder.glob("*/model.onnx"))
    checker.check("generated folders", len(models) == 30 * len(operators), len(models))
    for path in models:
        try:
            onnx.checker.check_model(onnx.load(path), full_check=True)
            checker.check(path.parent.name, True)
        except Exception as error:  # the checker has many
            checker.check(f"{path.parent.name}: the checker accepts it", False, error)


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: made_cases.py path/to/tensorop [FOLDER]")
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    calls = random_calls(binary, np.random.default_rng(SEED))
    checker = Checker()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else name)
        cases = folder / "cases"
        jobs = folder / "jobs.jsonl"
        jobs.write_text("".join(json.dumps(job) + "\n" for job in calls.jobs))
        done = subprocess.run([binary, "run", str(jobs), "--onnx-case", str(cases)], capture_output=True, text=True,
                              check=False)
        checker.check("run --onnx-case", done.returncode == 0, done.stderr)
        checked = subprocess.run([binary, "check", str(cases)], capture_output=True, text=True, check=False)
        summary = f"{len(calls.jobs)} cases: all equal ({len(calls.jobs)} bit for bit)\n"
        checker.check("check", (checked.returncode, checked.stdout) == (0, summary), checked.stdout + checked.stderr)
        for job, expected, inputs in zip(calls.jobs, calls.expected, calls.inputs):
            check_case(checker, cases / job["name"], job, expected, inputs)
        print(f"{len(calls.jobs)} cases")
        check_generated(checker, binary, folder / "generated")
    checker.exit()


if __name__ == "__main__":
    main()
