#!/usr/bin/python3
"""Writes the golden cases of this folder from the worked examples in ../spec.

Nothing here computes an operator: results are those of the examples. Those of broadcasting state shapes alone: to a
target shape, data are counting numbers that are repeated along the dimensions; between two operands, all are zeros.
Running this again changes no byte:
    /usr/bin/python3 testdata/cases/make.py
"""

import itertools
import json
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
SPEC = HERE.parent / "spec"

FAMILIES = {
    "gather": ("Gather", "GatherElements", "GatherND"),
    "scatter": ("ScatterElements", "ScatterUpdate", "ScatterND", "TensorScatter"),
    "slices": ("gatherslices", "scatterslices", "dynamicslice", "dynamicupdateslice"),
    "broadcast": ("Expand", "Broadcast"),
}

# The element-wise examples: operator and attributes; those of "default" without a selected version only.
ELEMENTWISE = {
    "Where": ("where", {}),
    "Select": ("select", {}),
    "mod": ("mod", {}),
    "tmod": ("mod", {"default": {"fmod": 1}}),
    "div": ("div", {}),
    "divide": ("div", {}),
    "sqdiff": ("squareddifference", {}),
    "mul": ("mul", {}),
    "pow": ("pow", {}),
    "floormod": ("floormod", {}),
    "shl": ("bitshift", {"direction": "left"}),
    "shr": ("bitshift", {"direction": "right"}),
    "prelu": ("prelu", {}),
    "bitand": ("bitwiseand", {}),
}

# The schemes of broadcasting between two operands, and the attributes of `add` that ask for them.
SCHEMES = {
    "numpy": {},
    "none": {"auto_broadcast": "none"},
    "pdpd": {"auto_broadcast": "pdpd"},
    "legacy": {},
}

# What the specification says in prose: NaN in min and max and in comparisons, bools reduced by logic.
NAN, ONE = (["NaN"], [1.0])
PROSE = [
    ("NaN", "scatterelements", None, "float64", {"data": a, "indices": [0], "updates": b}, {"reduction": reduction}, NAN)
    for reduction in ("max", "min") for a, b in ((NAN, ONE), (ONE, NAN))
] + [
    ("NaN", op, None, "float64", {"operands": [a, b]}, {}, NAN)
    for op in ("max", "min") for a, b in ((NAN, ONE), (ONE, NAN))
] + [
    ("NaN", op, None, "float64", {"a": NAN, "b": NAN}, {}, [op == "notequal"])
    for op in ("equal", "notequal", "less", "greater", "lessorequal", "greaterorequal")
] + [
    ("bools", op, spec, "bool", {"data": [True, False, True], "indices": indices, "updates": [True, True, False]},
     {"reduction": reduction}, expect)
    for op, spec, indices, rows in (
        ("scatterelements", None, [0, 1, 2],
         (("add", [True, True, True]), ("mul", [True, False, False]), ("sub", [False, True, True]),
          ("max", [True, True, True]), ("min", [True, False, False]))),
        ("scatternd", "openvino-15", [[0], [1], [2]],
         (("sub", [False, True, True]), ("sum", [True, True, True]), ("prod", [True, False, False]))))
    for reduction, expect in rows
]

DTYPES = {"i8": "int8", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "f16": "float16", "bf16": "bfloat16", "f32": "float32",
          "f64": "float64"}

# The examples of broadcasting that name a target shape, and the mode of `broadcast` each stands for.
MODES = {"bidirectional": "bidirectional", "unidirectional": "numpy", "explicit": "explicit", "pdpd": "pdpd"}

# Dimensions of published examples that would fill pages; what they show does not depend on the number.
SHORTER = {16: 4, 50: 5}


def read_lines(name):
    text = (SPEC / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line]


def nested_shape(value):
    shape = []
    while isinstance(value, list):
        shape.append(len(value))
        if not value:
            break
        value = value[0]
    return shape


def flatten(value):
    return [leaf for item in value for leaf in flatten(item)] if isinstance(value, list) else [value]


def nest(flat, shape):
    if not shape:
        return flat[0]
    step = len(flat) // shape[0]
    return [nest(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def tensor(dtype, written):
    """An operand or a result of an example, described: nested lists, or {"shape":[...],"data":[flat]}."""
    if isinstance(written, dict):
        shape, flat = written["shape"], flatten(written.get("data", []))
    else:
        shape, flat = nested_shape(written), flatten(written)
    if dtype.startswith("float"):
        flat = [number if isinstance(number, str) else float(number) for number in flat]
    return {"dtype": dtype, "shape": shape, "data": nest(flat, shape) if flat else []}


def data_dtype(line):
    if "dtype" in line:
        return DTYPES[line["dtype"]]
    tensors = [tensor("", line[name]) for name in ("data", "updates", "a", "b", "out") if name in line]
    numbers = [number for each in tensors for number in flatten(each["data"])]
    if any(isinstance(number, bool) for number in numbers):
        return "bool"
    return "float32" if any(isinstance(number, (float, str)) for number in numbers) else "int32"


def spec_of(selector):
    """--spec of "onnx:13" or "onnx:Scatter-9"; nothing for the default semantics."""
    return None if selector == "default" else selector.replace("Scatter-", "").replace(":", "-")


def op_of(op, selector):
    """The name to type: each publisher has its own for the older and the updating operators."""
    name = "scatter" if ":Scatter-" in selector else op.lower()
    if selector.startswith("openvino") and name in ("scatterelements", "scatternd"):
        name += "update"
    return name


def job(name, op, spec, operands, attributes, expect):
    row = {"id": f"{name} {op} {spec or 'default'}", "op": op}
    if spec:
        row["spec"] = spec
    return row | operands | attributes | {"expect": expect}


def jobs_of_vector(line):
    dtype = data_dtype(line)
    for selector in line["spec"]:
        operands = {"data": tensor(dtype, line["data"])}
        if "indices" in line:
            # The scalars of a dynamic slice are one tensor.
            indices = [line["indices"]] if line["op"].startswith("dynamic") else line["indices"]
            operands["indices"] = tensor("int64", indices)
        if "updates" in line:
            operands["updates"] = tensor(dtype, line["updates"])
        attributes = dict(line["attr"])
        if "shape" in line:
            attributes["shape"] = line["shape"]
        expect = {"error": line["err"]} if "err" in line else tensor(dtype, line["out"])
        op = line.get("name", op_of(line["op"], selector))
        yield job(line["id"], op, spec_of(selector), operands, attributes, expect)


def jobs_of_elementwise(line):
    op, attributes = ELEMENTWISE[line["op"]]
    attributes = dict(attributes)
    default_attributes = attributes.pop("default", {})
    dtype = data_dtype(line)
    names = ("condition", "x", "y") if "cond" in line else ("a", "b")
    written = [line[name] for name in ("cond", "a", "b") if name in line]
    types = ["bool" if name == "condition" else dtype for name in names]
    operands = {name: tensor(own, each) for name, own, each in zip(names, types, written)}
    attributes |= {"pythondiv" if name == "m_pythondiv" else name: value for name, value in line["attr"].items()}
    expect = {"error": line["err"]} if "err" in line else tensor(dtype, line["out"])
    tolerance = {"rtol": 1e-6} if dtype in ("float32", "float64") and "err" not in line else {}
    for selector in line["spec"]:
        more = default_attributes if selector == "default" else {}
        yield job(line["id"], op, spec_of(selector), operands, attributes | more, expect) | tolerance


def zeros(shape):
    return {"dtype": "float32", "shape": shape, "data": nest([0.0] * math.prod(shape), shape) if math.prod(shape) else []}


def jobs_of_scheme(line):
    shorter = {name: [SHORTER.get(dim, dim) for dim in line[name]] for name in ("a", "b", "out") if name in line}
    attributes = SCHEMES[line["rule"]] | {name: line[name] for name in ("axis", "broadcast") if name in line}
    expect = {"error": line["err"]} if "err" in line else zeros(shorter["out"])
    yield job(line["id"], "add", None, {"a": zeros(shorter["a"]), "b": zeros(shorter["b"])}, attributes, expect)


def job_of_prose(number, row):
    about, op, spec, dtype, operands, attributes, expect = row
    described = {}
    for name, data in operands.items():
        if name == "operands":
            described[name] = [tensor(dtype, each) for each in data]
        else:
            described[name] = tensor("int64" if name == "indices" else dtype, data)
    result = "bool" if isinstance(expect[0], bool) else dtype
    return job(f"{about}-{number}", op, spec, described, attributes, tensor(result, expect))


def repeated(data, shape, target, axes):
    """Counting numbers of `shape` repeated to `target`; dimension j of the data lies along axes[j]."""
    flat = []
    for place in itertools.product(*(range(dim) for dim in target)):
        position = 0
        for dim, axis in zip(shape, axes):
            position = position * dim + (place[axis] if dim != 1 else 0)
        flat.append(data[position])
    return flat


def jobs_of_shapes(line):
    shape, target, axis = line["a"], line["b"], line.get("axis", -1)
    attributes = {"mode": MODES[line["rule"]]}
    if line["rule"] == "pdpd":
        # Written for A and B: B is what is repeated, A's shape the target.
        shape, target = target, shape
        attributes["axis"] = axis
    if line["rule"] == "explicit":
        attributes["axes_mapping"] = line["axes"]
    if "err" in line and line["rule"] == "pdpd":
        return  # the rules of `broadcast` have other ids than those of the operators with two operands
    shape = [SHORTER.get(dim, dim) for dim in shape]
    attributes["shape"] = [SHORTER.get(dim, dim) for dim in target]
    data = list(range(math.prod(shape)))
    if "err" in line:
        expect = {"error": line["err"]}
    else:
        out = [SHORTER.get(dim, dim) for dim in line["out"]]
        start = axis if axis >= 0 else len(out) - len(shape)
        axes = line.get("axes", range(start, start + len(shape)))
        flat = repeated(data, shape, out, axes)
        expect = {"dtype": "int32", "shape": out, "data": nest(flat, out)}
    operands = {"data": {"dtype": "int32", "shape": shape, "data": nest(data, shape)}}
    if line["rule"] == "bidirectional":
        expand = {name: value for name, value in attributes.items() if name != "mode"}
        yield job(line["id"], "expand", None, operands, expand, expect)
    specs = [None, "openvino-3"]
    if line["rule"] in ("unidirectional", "explicit"):
        specs.append("openvino-1")
    for spec in specs:
        yield job(line["id"], "broadcast", spec, operands, attributes, expect)


def write(family, jobs):
    lines = [json.dumps(row, separators=(",", ":")) for row in jobs]
    (HERE / f"{family}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


def main():
    vectors = read_lines("vectors.jsonl")
    shapes = read_lines("shapes.jsonl")
    for family, operators in FAMILIES.items():
        jobs = [row for line in vectors if line["op"] in operators for row in jobs_of_vector(line)]
        if family == "broadcast":
            jobs += [row for line in shapes if line["rule"] in MODES for row in jobs_of_shapes(line)]
        write(family, jobs)
    jobs = [row for line in vectors if line["op"] in ELEMENTWISE for row in jobs_of_elementwise(line)]
    jobs += [row for line in shapes if line["rule"] in SCHEMES for row in jobs_of_scheme(line)]
    write("elementwise", jobs)
    write("prose", [job_of_prose(number, row) for number, row in enumerate(PROSE, 1)])


if __name__ == "__main__":
    main()
