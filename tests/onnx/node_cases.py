#!/usr/bin/python3
"""Runs ONNX's own test cases for single nodes through the tensorop binary, at the opset of each model.

    /usr/bin/python3 tests/onnx/node_cases.py path/to/tensorop [NAME...]

The cases are those of the Debian package libonnx-testdata; with names (test_gathernd_example_int32) only these run.
A case passes when dtype and shape are equal and the elements have the same bytes; a float from Pow may differ by
1 ulp. The last line is "N passed, N failed, N skipped", and every skipped case is there with its reason.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

# How each ONNX operator is called on the command line. The binary must have them all.
OPERATORS = {
    name: name.lower()
    for name in (
        "Gather GatherElements GatherND Scatter ScatterElements ScatterND Expand Where "
        "Add Sub Mul Div Pow Mod Min Max Equal Less LessOrEqual Greater GreaterOrEqual "
        "And Or Xor BitShift BitwiseAnd BitwiseOr BitwiseXor"
    ).split()
}

# Operators whose float results depend on the C library.
ONE_ULP = {"Pow"}


class Skip(Exception):
    """The case cannot be run; the text says why."""


def find_cases():
    """The folder that holds the node cases, from the package's own list of files."""
    listed = subprocess.run(["dpkg", "-L", "libonnx-testdata"], capture_output=True, text=True, check=False)
    for line in listed.stdout.splitlines():
        if line.endswith("/data/node"):
            return pathlib.Path(line)
    sys.exit("the ONNX test cases are missing: install the package libonnx-testdata")


def implemented(binary):
    """All names of all operators the binary has."""
    listed = subprocess.run([binary, "ops", "--json"], capture_output=True, text=True, check=True)
    names = set()
    for row in json.loads(listed.stdout):
        names.add(row["name"])
        names.update(row["aliases"])
    return names


def load_tensor(path):
    proto = onnx.TensorProto()
    try:
        proto.ParseFromString(path.read_bytes())
    except Exception as error:
        raise Skip(f"{path.name} is no tensor: {error}") from error
    array = numpy_helper.to_array(proto)
    if array.dtype == object:
        texts = [text.decode("utf-8") if isinstance(text, bytes) else text for text in array.ravel().tolist()]
        array = np.array(texts, dtype=str).reshape(array.shape)
    return array


def numbered(folder, kind, count):
    return [load_tensor(folder / f"{kind}_{i}.pb") for i in range(count)]


def attribute_options(node):
    """The attributes of a node as options: batch_dims=1 is --batch-dims=1."""
    options = []
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        if attribute.name == "consumed_inputs":
            continue  # version 1 of the arithmetic has it and ignores it
        text = value.decode("utf-8") if isinstance(value, bytes) else str(value)
        options.append(f"--{attribute.name.replace('_', '-')}={text}")
    return options


def opset_of(model):
    for entry in model.opset_import:
        if entry.domain in ("", "ai.onnx"):
            return entry.version
    raise Skip("the model imports no ONNX opset")


def command_line(binary, model, inputs, directory):
    """The call that the model stands for; its result is directory/out.npy."""
    node = model.graph.node[0]
    files = []
    for i, array in enumerate(inputs):
        files.append(str(directory / f"input_{i}.npy"))
        np.save(files[-1], array, allow_pickle=False)
    command = [str(binary), OPERATORS[node.op_type]]
    if node.op_type == "Expand":
        # Expand's second input is an option here.
        command += [files[0], f"--shape={files[1]}"]
    else:
        command += files
    command += attribute_options(node)
    return command + [f"--spec=onnx-{opset_of(model)}", "-o", str(directory / "out.npy")]


def difference(actual, expected, one_ulp):
    """What differs between two arrays; nothing when they agree."""
    if actual.dtype != expected.dtype and {actual.dtype.kind, expected.dtype.kind} != {"U"}:
        return f"dtype {actual.dtype} instead of {expected.dtype}"
    if actual.shape != expected.shape:
        return f"shape {actual.shape} instead of {expected.shape}"
    if actual.dtype.kind == "U" or actual.size == 0:
        return "" if np.array_equal(actual, expected) else "other strings"
    flat_actual, flat_expected = actual.ravel(), expected.ravel()
    bytes_of = [flat.view(np.uint8).reshape(flat.size, -1) for flat in (flat_actual, flat_expected)]
    same = np.all(bytes_of[0] == bytes_of[1], axis=1)
    if actual.dtype.kind == "f":
        # NaN is NaN, whatever its payload.
        same |= np.isnan(flat_actual) & np.isnan(flat_expected)
        if one_ulp:
            same |= np.abs(flat_actual - flat_expected) <= np.spacing(np.abs(flat_expected))
    wrong = np.flatnonzero(~same)
    if len(wrong) == 0:
        return ""
    lines = [f"{len(wrong)} of {len(same)} elements differ"]
    for i in wrong[:10]:
        place = [int(j) for j in np.unravel_index(i, actual.shape)]
        lines.append(f"  {place}: {flat_actual[i]!r} instead of {flat_expected[i]!r}")
    return "\n".join(lines)


def run_data_set(binary, model, folder):
    """What is wrong with the result of one data set; nothing when it is right."""
    graph = model.graph
    inputs = numbered(folder, "input", len(graph.input))
    expected = numbered(folder, "output", 1)[0]
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        command = command_line(binary, model, inputs, directory)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        call = " ".join(command)
        if done.returncode != 0:
            return f"{call}\nexit {done.returncode}: {done.stderr.strip()}"
        wrong = difference(np.load(directory / "out.npy"), expected, graph.node[0].op_type in ONE_ULP)
        return f"{call}\n{wrong}" if wrong else ""


def operator_of(model):
    """The operator that the model tests, if it is one of ours and alone."""
    nodes = model.graph.node
    return nodes[0].op_type if len(nodes) == 1 and nodes[0].op_type in OPERATORS else None


def choose(cases, wanted):
    """The cases to run, as (name, model), and the reasons why others are not run, as {reason: [name]}."""
    models = {path.name: onnx.load(str(path / "model.onnx")) for path in sorted(cases.iterdir())}
    chosen = []
    skipped = collections.defaultdict(list)
    for name, model in models.items():
        if wanted and name not in wanted:
            continue
        op_type = operator_of(model)
        plain = models.get(name.removesuffix("_expanded"))
        if op_type is None and plain is not None and operator_of(plain) is not None:
            skipped["the same case as a function of several other nodes"].append(name)
        elif op_type is not None:
            chosen.append((name, model))
    return chosen, skipped


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: node_cases.py path/to/tensorop [NAME...]")
    binary = pathlib.Path(sys.argv[1]).resolve()
    cases = find_cases()
    chosen, skipped = choose(cases, sys.argv[2:])

    failed = 0
    for name in sorted(set(OPERATORS.values()) - implemented(binary)):
        failed += 1
        print(f"FAILED: `tensorop ops` has no {name}")
    passed = collections.Counter()
    for name, model in chosen:
        try:
            folders = sorted((cases / name).glob("test_data_set_*"))
            problems = [run_data_set(binary, model, folder) for folder in folders]
        except Skip as reason:
            skipped[str(reason)].append(name)
            continue
        wrong = [problem for problem in problems if problem]
        if wrong or not problems:
            failed += 1
            print(f"FAILED: {name}: " + ("\n".join(wrong) or "the case has no data"))
        else:
            passed[f"{operator_of(model)} at opset {opset_of(model)}"] += 1

    for row, count in sorted(passed.items()):
        print(f"{count:4} {row}")
    for reason, which in sorted(skipped.items()):
        print(f"skipped {len(which)}, {reason}: {' '.join(which)}")
    count_skipped = sum(len(which) for which in skipped.values())
    print(f"{passed.total()} passed, {failed} failed, {count_skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
