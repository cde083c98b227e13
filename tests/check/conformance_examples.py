#!/usr/bin/python3
"""Runs the programs of docs/examples on generated cases, as docs/conformance.md says: right, with a fault, which `--shrink`
finds, and for three nights with known failures. Only this notices an example of the docs that no longer takes the cases of
`generate`, or a command of the page that is another one.

    /usr/bin/python3 tests/check/conformance_examples.py path/to/tensorop

One of the programs, either without its nights or only with them; with TENSOROP_NIGHTLY=1 all. ONNX Runtime and PyTorch are
stand-ins in NumPy, which hold the programs, not them, to the page; at night, for programs without a fault, what is installed.
The last line is "N passed, N failed".
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests"))
from support.checker import NIGHTLY, Checker, share

PAGE = (SOURCE / "docs/conformance.md").read_text()
RUNTIME = """
import onnx
import onnx.shape_inference
from support.faulty_operators import OPERATORS

class InferenceSession:
    def __init__(self, model, providers):
        self.model = onnx.shape_inference.infer_shapes(onnx.load_from_string(model), True, True)

    def run(self, outputs, arrays):
        node, = self.model.graph.node
        value = onnx.helper.get_attribute_value
        job = {one.name: value(one) for one in node.attribute}
        job = {name: one.decode() if isinstance(one, bytes) else one for name, one in job.items()}
        function = OPERATORS[node.op_type.lower()][0]
        return [function(job, *(arrays[name] for name in node.input), None)]
"""

TORCH = """
import numpy as np

class Tensor:
    def __init__(self, array):
        self.array = array

    def numpy(self):
        return self.array

from_numpy = Tensor

def gather(data, axis, indices):
    data, indices = data.array, indices.array
    if data.ndim == 0:
        return Tensor(data.reshape(1)[indices])
    if ((indices < 0) | (indices >= data.shape[axis])).any():
        raise RuntimeError("index out of bounds")
    within = tuple(slice(size) if axis % data.ndim != i else slice(None) for i, size in enumerate(indices.shape))
    if indices.ndim == 0:
        return Tensor(data[indices])
    return Tensor(np.take_along_axis(data[within], indices, axis) if indices.size else np.empty(indices.shape, data.dtype))
"""

COUNT = 16  # of each operator
ONNX_CASES = ["gathernd", "scatterelements", "add", "--spec", "onnx-16"]
# The program, the cases, its command, what is needed to run it, what stands in for that, a fault to plant, and for the nights
# a fault of int64 and one of all cases of float32.
EXAMPLES = [
    ("numpy_gathernd.py", ["gathernd", "--spec", "onnx-11"], "{python} numpy_gathernd.py {{cases}}", None, "",
     ("indices, -1", "abs(indices), -1"),
     ("indices, -1", "indices if data.dtype == 'f4' else abs(indices), -1"),
     ('"output"], data[', '"output"], (data if data.dtype == "i8" else data[data.size])[')),
    ("gathernd.c", ["gathernd", "--spec", "onnx-11"], "./gathernd {{data}} {{indices}} {{output}}", None, "",
     ("(*index < 0 ? data.shape[i] : 0)", "(*index < 0 ? data.shape[i] - 1 : 0)"),
     ("(*index < 0 ? data.shape[i] : 0)", "(*index < 0 ? data.shape[i] - (data.dtype[1] == 'i') : 0)"),
     ('refuse("indices are int64");', 'refuse("indices are int64");\n  if (data.dtype[1] == \'f\') refuse("float32");')),
    ("onnxruntime_cases.py", ONNX_CASES, "{python} onnxruntime_cases.py {{cases}}", "onnxruntime", RUNTIME,
     ('"axis", "batch_dims"', '"axis"'),
     ('"axis", "batch_dims"', '"axis"'), ("    return session.run", "    if list(arrays.values())[0].dtype == 'f4': raise TypeError('float32')\n    return session.run")),
    ("torch_gather.py", ["gather", "--spec", "torch-2"], "{python} torch_gather.py {{cases}}", "torch", TORCH,
     ('job.get("axis", 0)', "0")),
]


def example(name):
    return (SOURCE / "docs/examples" / name).read_text()


def build(name, text):
    pathlib.Path(name).write_text(text)
    if name.endswith(".c"):
        words = ["cc", "-O1", "-Wall", "-Wextra", "-Werror", name, "-o", name.removesuffix(".c")]
        subprocess.run(words, check=True)


def nights(checker, name, program, faults, run):
    """The first night has two faults, whose cases become known failures; the second one passes; in the third a fault is
    fixed, so that lines must go."""
    for text, fault in faults:
        checker.check(f"{name}: has the text of the fault", program.count(text) == 1)
    both = program.replace(*faults[0]).replace(*faults[1])
    build(name, both)
    first = run("--known-failures", "known.txt", "--update")
    checker.check(f"{name}: the first night fails", first.returncode in (1, 2) and ": 0 equal" not in first.stdout,
                  first.stdout + first.stderr)
    known = pathlib.Path("known.txt").read_text()
    checker.check(f"{name}: float32 is one line of conditions", re.search(r"^op=gathernd dtype=float32 status=(different|refused)  #", known, re.M), known)
    second = run("--known-failures", "known.txt")
    checker.check(f"{name}: the second night passes", second.returncode == 0 and " known failures" in second.stdout,
                  second.stdout + second.stderr)
    build(name, program.replace(*faults[0]))
    third = run("--known-failures", "known.txt", "--update")
    checker.check(f"{name}: the third night has what passes now",
                  third.returncode == 1 and ": passes now: " in third.stdout,
                  third.stdout + third.stderr)
    fourth = run("--known-failures", "known.txt")
    checker.check(f"{name}: the lines that are left excuse the rest", fourth.returncode == 0, fourth.stdout + fourth.stderr)
    build(name, program)
    last = run("--known-failures", "known.txt")
    is_left = any(not line.startswith("#") for line in pathlib.Path("known.txt").read_text().splitlines())
    checker.check(f"{name}: all lines that are left pass", last.returncode == is_left and ("passes now" in last.stdout) == is_left,
                  last.stdout + last.stderr)


def main():
    tensorop = str(pathlib.Path(sys.argv[1]).resolve())
    if os.access("/dev/shm", os.W_OK):  # thousands of small files
        os.environ["TMPDIR"] = "/dev/shm"
    checker = Checker()
    parts = [(example, False) for example in EXAMPLES] + [(example, True) for example in EXAMPLES if example[6:]]
    for (name, cases, command, module, stand_in, (text, fault), *of_nights), is_of_nights in share(parts, len(parts)):
        if module == "onnxruntime" and importlib.util.find_spec("onnx") is None:
            print(f"SKIPPED: {name}: python3-onnx is not installed")
            compile(example(name), name, "exec")
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            stand_ins = dict(os.environ)
            if module is not None:
                pathlib.Path("stand_ins").mkdir()
                pathlib.Path(f"stand_ins/{module}.py").write_text(stand_in)
                stand_ins["PYTHONPATH"] = f"{folder}/stand_ins:{SOURCE / 'tests'}"
            is_stand_in = not NIGHTLY or (module is not None and importlib.util.find_spec(module) is None)
            operators = cases.index("--spec")
            words = [tensorop, "generate", *cases, "--dtypes", "float32,int64", "--count", str(COUNT), "-o", "suite"]
            subprocess.run(words, check=True)
            check = [tensorop, "check", "suite", "--command", command.format(python=sys.executable)]

            def run(environment, *words):
                return subprocess.run([*check, *words], capture_output=True, text=True, env=environment)

            program = example(name)
            build(name, program)
            if is_of_nights:
                nights(checker, name, program, of_nights, lambda *words: run(stand_ins, *words))
                os.chdir("/")
                continue
            result = run(stand_ins if is_stand_in else os.environ, "--shrink")
            is_right = result.returncode == 0 and f"\n{COUNT * operators} cases: all equal" in "\n" + result.stdout
            checker.check(f"{name}: right", is_right, result.stdout + result.stderr)
            checker.check(f"{name}: the page shows the command", check[-1].replace(sys.executable, "python3") in PAGE)
            checker.check(f"{name}: has the text of the fault", program.count(text) == 1)
            build(name, program.replace(text, fault))
            result = run(stand_ins, "--shrink", "--budget", "5s", "--shard", "1/4")  # the program starts for each smaller call
            checker.check(f"{name}: with a fault", result.returncode != 0 and "\n  kept: suite/shrunk/" in result.stdout,
                          result.stdout + result.stderr)
            os.chdir("/")
    checker.exit()


if __name__ == "__main__":
    main()
