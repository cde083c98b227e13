#!/usr/bin/python3
"""The same call by every way to give it: a command, a job, a case with its spec as key or as option, `why`, a table of several
versions, an ONNX case. Forms of indices (a tensor, arrays, a mask, a range) that are reshaped, beside NumPy; what a publisher
refuses, beside what tensorop lacks; names that a publisher has. The last line is "N passed, N failed".
    tests/engine/entrances.py TENSOROP
"""

import json
import pathlib
import re
import shutil
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.checker import run_program  # noqa: E402

A = np.arange(1, 5)
B = np.arange(10, 22)


def changed(data, place, updates, function=None):
    """The array after an assignment or, with a function of NumPy, its method `at`."""
    out = data.copy()
    if function is None:
        out[place] = updates
    else:
        function.at(out, place, updates)
    return out


def array(*values):
    return np.array(values)


# The operator, its operands in order (or by name), their new shapes, the spec of the call, the spec of a table of versions, of
# an ONNX case, each empty where the form cannot have it, and what NumPy has.
FORMS = [
    # A tensor of indices.
    ("gather", [A, array(1, 0)], {"data": (2, 2), "indices": (2, 1)}, "", "all", "onnx-13",
     A.reshape(2, 2)[array(1, 0).reshape(2, 1)]),
    ("gathernd", [B, array(1, 0, 0, 1)], {"data": (2, 2, 3), "indices": (2, 2)}, "", "all", "onnx-13",
     B.reshape(2, 2, 3)[array(1, 0), array(0, 1)]),
    ("scatternd", [A, array(2, 0), array(8, 9)], {"indices": (2, 1)}, "", "all", "onnx-16", changed(A, array(2, 0), array(8, 9))),
    ("scatterelements", [A, array(1, 0), array(8, 9)], {"data": (2, 2), "indices": (1, 2), "updates": (1, 2)}, "", "all", "onnx-16",
     array(1, 9, 8, 4).reshape(2, 2)),
    # Index arrays.
    ("at_get", [A, array(0, 1, 1, 0)], {"data": (2, 2), "indices": (2, 2)}, "jax-0", "jax", "", A.reshape(2, 2)[array(0, 1, 1, 0).reshape(2, 2)]),
    ("at_set", [A, array(0, 1), array(1, 0), array(8, 9)], {"data": (2, 2), "indices 1": (2, 1), "updates": (2, 1)}, "jax-0", "jax", "",
     changed(A.reshape(2, 2), (array(0, 1).reshape(2, 1), array(1, 0)), array(8, 9).reshape(2, 1))),
    ("index_put", [A, array(1, 0), array(8, 9, 7, 6)], {"data": (2, 2), "updates": (2, 2)}, "torch-2", "torch", "",
     changed(A.reshape(2, 2), array(1, 0), array(8, 9, 7, 6).reshape(2, 2))),
    ("ufunc_at", [A, array(0, 1), array(0, 1), array(10, 20, 30, 40)], {"data": (2, 2), "indices 1": (2, 1), "updates": (2, 2)}, "numpy-2", "numpy", "",
     changed(A.reshape(2, 2), (array(0, 1).reshape(2, 1), array(0, 1)), array(10, 20, 30, 40).reshape(2, 2), np.add)),
    # A mask, along an axis and of leading dimensions.
    ("gather", {"data": A, "mask": array(True, False)}, {"data": (2, 2), "mask": (2,)}, "", "", "", A.reshape(2, 2)[array(True, False)]),
    ("gathernd", {"data": A, "mask": array(True, False, False, True)}, {"data": (2, 2), "mask": (2, 2)}, "", "", "",
     A.reshape(2, 2)[array(True, False, False, True).reshape(2, 2)]),
    ("scatternd", {"data": A, "mask": array(True, False, True, True), "updates": array(7, 8, 9)}, {"data": (2, 2), "mask": (2, 2)}, "", "", "",
     changed(A.reshape(2, 2), array(True, False, True, True).reshape(2, 2), array(7, 8, 9))),
    # A range.
    ("gather", [A, "1:"], {"data": (2, 2)}, "", "all", "onnx-13", A.reshape(2, 2)[1:]),
    ("gather", [B, "::-2"], {"data": (4, 3)}, "", "all", "onnx-13", B.reshape(4, 3)[::-2]),
    ("scatterupdate", [A, "::-1", array(6, 7, 8, 9)], {"data": (2, 2), "updates": (2, 2)}, "", "all", "",
     changed(A.reshape(2, 2), slice(None, None, -1), array(6, 7, 8, 9).reshape(2, 2))),
]


# What a version refuses for one rule, whatever it accepts that tensorop does not compute [NI-1]: the operator, its operands, the
# spec, the rule. The verdict in a table of versions is the verdict of the rule.
INT = {"dtype": "int32", "shape": [2], "data": [1, 2]}
LONG = {"dtype": "int64", "shape": [2], "data": [1, 2]}
THREE = {"dtype": "int64", "shape": [3], "data": [1, 2, 3]}
COMPLEX = {"dtype": "complex64", "shape": [2], "data": [[1, 0], [2, 0]]}
ONE = {"dtype": "complex64", "shape": [1], "data": [[1, 0]]}
REFUSALS = [
    ("div", {"a": INT, "b": INT}, "numpy-2", "NI-1"),
    ("div", {"a": LONG, "b": THREE}, "numpy-2", "BC-M1"),
    *(("add", {"a": INT, "b": LONG}, spec, "NI-1") for spec in ("numpy-2", "torch-2", "jax-0")),
    *(("add", {"a": INT, "b": LONG}, spec, "T-2") for spec in ("onnx-14", "openvino-1", "webnn", "stablehlo-1.1", "mdf")),
    *(("add", {"a": INT, "b": THREE}, spec, "BC-M1") for spec in ("numpy-2", "torch-2", "jax-0")),
    ("where", {"condition": LONG, "x": INT, "y": INT}, "numpy-2", "NI-1"),
    ("where", {"condition": LONG, "x": THREE, "y": THREE}, "numpy-2", "BC-M1"),
    ("take_along_axis", {"data": INT, "indices": [1], "axis": 0, "mode": "one_hot"}, "jax-0", "NI-1"),
    ("take_along_axis", {"data": INT, "indices": [[1]], "axis": 0, "mode": "one_hot"}, "jax-0", "GE-2"),
    ("ufunc_at", {"data": COMPLEX, "indices": [0], "updates": ONE, "reduction": "maximum"}, "numpy-2", "NI-1"),
    ("ufunc_at", {"data": COMPLEX, "indices": [5], "updates": ONE, "reduction": "maximum"}, "numpy-2", "IX-1"),
    ("ufunc_at", {"data": COMPLEX, "indices": [0, 1, 0], "updates": COMPLEX, "reduction": "maximum"}, "numpy-2", "SN-3"),
]

# Names that a publisher has, or that mean another operator there: the name, what else the call has, the spec, the result, and
# whether a call without a spec is told of it.
NAMES = [
    ("gather", {"data": [1, 2, 3], "indices": [1]}, "torch-2", [2], False),
    ("gather", {"data": [1, 2, 3], "indices": [1]}, "numpy-2", [2], False),
    ("gather", {"data": [1, 2, 3], "indices": [1], "attributes": {"axis": 0}}, "jax-0", [2], False),
    ("take", {"data": [[1, 2], [3, 4]], "indices": [1]}, "torch-2", [2], True),
    ("take", {"data": [[1, 2], [3, 4]], "indices": [1], "axis": 0}, "numpy-2", [[3, 4]], True),
    ("at_set", {"data": [1, 2, 3], "indices": [1], "updates": [9]}, "jax-0", [1, 9, 3], True),
    ("index_reduce", {"data": [1, 2, 3], "indices": [1], "updates": [9], "axis": 0, "reduction": "amax"}, "torch-2", [1, 9, 3], True),
    ("scatter_reduce", {"data": [1, 2, 3], "indices": [1], "updates": [9], "axis": 0, "reduction": "sum"}, "torch-2", [1, 11, 3], True),
    ("ufunc_at", {"data": [1, 2, 3], "indices": [1], "updates": [9], "reduction": "subtract"}, "numpy-2", [1, -7, 3], True),
    ("index_fill", {"data": [1, 2, 3], "indices": [1], "updates": 9}, "", [1, 9, 3], True),
    ("segment_sum", {"data": [1, 2, 3], "indices": [1], "updates": [9]}, "", [1, 11, 3], True),
]
# What --spec all writes for each version: defaults that it lacks, its own words. The operator, its operands, publishers, the
# verdicts.
WRITTEN = [
    ("scatterelements", {"data": [1, 2, 3], "indices": [1], "updates": [9]}, "numpy,jax,onnx", {"accepted"}),
    ("scatterelements", {"data": [1, 2, 3], "indices": [1], "updates": [9], "reduction": "add"}, "openvino", {"accepted", "no_equivalent"}),
    ("scatternd", {"data": [1, 2, 3], "indices": [[1]], "updates": [9], "reduction": "sum"}, "onnx", {"accepted", "no_equivalent"}),
    # A text that states a range alone leaves both sides of it open.
    ("gather", {"data": [1, 2, 3], "indices": [3]}, "openvino", {"unspecified", "accepted"}),
    ("gather", {"data": [1, 2, 3], "indices": [-1]}, "openvino", {"unspecified", "accepted"}),
]


def text_of(operand):
    return operand if isinstance(operand, str) else json.dumps(operand.tolist())


def words_of(op, operands, shapes, spec):
    named = operands.items() if isinstance(operands, dict) else []
    words = [op, *(text_of(one) for one in (operands if isinstance(operands, list) else []))]
    for name, operand in named:
        words += [f"--{name}", text_of(operand)]
    for name, shape in shapes.items():
        words += ["--reshape", f"{name}={','.join(map(str, shape))}"]
    return words + (["--spec", spec] if spec else [])


def job_of(op, operands, shapes, spec):
    plain = (lambda one: one if isinstance(one, str) else one.tolist())
    given = {"operands": [plain(one) for one in operands]} if isinstance(operands, list) else {name: plain(one) for name, one in operands.items()}
    return {"op": op, **given, "reshape": {name: list(shape) for name, shape in shapes.items()}, **({"spec": spec} if spec else {})}


class Entrances:
    def __init__(self, program):
        self.program = program

    def has(self, what, wanted, *words, **options):
        """The call by these words is as wanted, and leaves no file."""
        done = self.program.run(*words, **options)
        try:
            found = wanted(done)
        except (OSError, ValueError, KeyError, IndexError) as error:
            found = repr(error)
        self.program.check(f"{what}: {' '.join(words)} {options.get('input', '')}", found is True, f"{done.stdout}{done.stderr}{found}")

    def has_case(self, what, outcome, job, *options):
        self.has(what, lambda done: json.loads(done.stdout)["cases"][0]["outcome"] == outcome, "check", "-", "--json", *options, input=json.dumps(job))

    def check_form(self, op, operands, shapes, spec, several, onnx, result):
        wanted = result.tolist()
        call = words_of(op, operands, shapes, spec)
        job = job_of(op, operands, shapes, spec)
        output, folder = self.program.folder / "out.npy", self.program.folder / "case"
        self.has("a call", lambda done: json.loads(done.stdout) == wanted, *call, "--format", "nested")
        self.has("run", lambda done: np.load(output).tolist() == wanted, "run", "-", input=json.dumps(job | {"output": "out.npy"}))
        output.unlink(missing_ok=True)
        self.has_case("a case", "equal", job | {"expect": wanted})
        self.has_case("a case that fails", "different", job | {"expect": (result + 1).tolist()})
        self.has("why", lambda done: [int(value) for value in re.findall(r"^out\[.*?\] = .*?= (-?\d+)(?:    |$)", done.stdout, re.M)]
                 == result.ravel().tolist() and f"out.shape = ({','.join(map(str, result.shape))})" in done.stdout, "why", *call)
        if several:
            self.has(several, lambda done: json.loads(done.stdout)["classes"]["A"]["data"] == wanted, *words_of(op, operands, shapes, several), "--json")
        else:
            self.has("all", lambda done: "cannot be combined with a specification [G-8]" in done.stderr, *words_of(op, operands, shapes, "all"))
        if onnx:
            self.has("an ONNX case", lambda done: done.returncode == 0, *words_of(op, operands, shapes, onnx), "--onnx-case", "case")
            self.has("an ONNX case as it is checked", lambda done: done.stdout.startswith("1 case: equal"), "check", "case")
            if op == "gather":
                self.has("an ONNX case under the option", lambda done: done.stdout.startswith("1 case: equal"), "check", "case", "--spec", "numpy-2")
            shutil.rmtree(folder, ignore_errors=True)
        else:
            self.has("no ONNX case", lambda done: done.returncode == 2 and not folder.exists(), *call, "--onnx-case", "case")

    def check_refusal(self, op, given, spec, rule):
        refused = (lambda done: done.returncode == 2 and done.stderr.partition("\n")[0].endswith(f"[{rule}]") and not done.stdout)
        words = [op, *(word for name, value in given.items() for word in (f"--{name}", value if isinstance(value, str) else json.dumps(value)))]
        call, job = [*words, "--spec", spec], {"op": op, **given}
        self.has("a call", refused, *call)
        self.has("a dry run", lambda done: refused(done) or rule == "IX-1" and done.returncode == 2, *call, "--dry-run")
        self.has("run", lambda done: f"[{rule}]" in done.stdout and done.returncode == 2, "run", "-", input=json.dumps(job | {"spec": spec, "output": "out.npy"}))
        for other in {rule, "NI-1", "T-2", "BC-M1"}:
            case, outcome = job | {"expect": {"error": other}}, "equal" if other == rule else "different"
            self.has_case("a case", outcome, case | {"spec": spec})
            self.has_case("a case under the option", outcome, case, "--spec", spec)
        self.has("why", lambda done: done.returncode == 2 and f"[{rule}]" in done.stderr.partition("\n")[0], "why", *call)
        publisher = spec.partition("-")[0]
        verdicts = (lambda done: {row["verdict"] for row in json.loads(done.stdout)["versions"] if row["spec"] == spec or row["rule"] == rule})
        self.has("several versions", lambda done: verdicts(done) == {"not_in_tensorop" if rule == "NI-1" else "refused"}, *words, "--spec", publisher if spec.count("-") else "all",
                 *([] if spec.count("-") else ["--only", spec]), "--json")
        if publisher == "onnx":
            self.has("an ONNX case", lambda done: refused(done) and not (self.program.folder / "case").exists(), *call, "--onnx-case", "case")

    def check_name(self, op, given, spec, result, is_told):
        if is_told:
            hint = f"--spec {spec}" if spec else "is tensorop scatterupdate"
            for words, options in (([op, "[1]", "[1]"], {}), (["check", "-"], {"input": json.dumps({"op": op, **given, "expect": result})})):
                self.has("the hint", lambda done: done.returncode == 2 and hint in done.stderr, *words, **options)
        if not spec:
            return
        words = [op]
        for name, value in (given | given.get("attributes", {})).items():
            words += [] if name == "attributes" else [f"--{name.replace('_', '-')}", value if isinstance(value, str) else json.dumps(value)]
        job, output = {"op": op, **given}, self.program.folder / "out.npy"
        self.has("a call", lambda done: json.loads(done.stdout) == result, *words, "--spec", spec, "--format", "nested")
        self.has("run", lambda done: np.load(output).tolist() == result, "run", "-", input=json.dumps(job | {"spec": spec, "output": "out.npy"}))
        output.unlink(missing_ok=True)
        for wanted, outcome in ((result, "equal"), ([7], "different")):
            case = job | {"expect": wanted}
            self.has_case("a case", outcome, case | {"spec": spec})
            self.has_case("a case under the option", outcome, case, "--spec", spec)
        self.has("several versions", lambda done: result in [one["data"] for one in json.loads(done.stdout)["classes"].values()], *words, "--spec", spec.partition("-")[0], "--json")
        self.has("a case of several versions", lambda done: json.loads(done.stdout)["cases"][0]["portability"] is not None, "check", "-", "--json",
                 input=json.dumps(job | {"spec": spec.partition("-")[0]}))
        self.has("generate", lambda done: done.returncode == 0, "generate", op, "--spec", spec, "--count", "3", "-o", "suite")
        self.has("generate", lambda done: done.stdout.startswith("3 cases: all equal"), "check", "suite")
        cases = (self.program.folder / "suite" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
        self.program.check(f"generate {op} {spec}: the name", {json.loads(case).get("op") for case in cases[1:]} == {op.replace("_", "")}, cases[:2])
        shutil.rmtree(self.program.folder / "suite", ignore_errors=True)

    def check_written(self, op, given, publishers, verdicts):
        words = [word for name, value in given.items() for word in (f"--{name}", value if isinstance(value, str) else json.dumps(value))]
        self.has("all", lambda done: {row["verdict"] for row in json.loads(done.stdout)["versions"]} == verdicts, op, *words, "--spec", "all", "--only", publishers, "--json")


def main(program):
    entrances = Entrances(program)
    for check, rows in ((entrances.check_form, FORMS), (entrances.check_refusal, REFUSALS), (entrances.check_name, NAMES),
                        (entrances.check_written, WRITTEN)):
        for row in rows:
            check(*row)


if __name__ == "__main__":
    run_program(main)
