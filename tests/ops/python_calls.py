#!/usr/bin/python3
"""Thousands of random calls of numpy-2 and torch-2 beside NumPy and PyTorch: results bit for bit, and refusals.

All calls are cases of one `tensorop check`. PyTorch is left out where it cannot be imported. Floats are small multiples
of 1/8, so that the order of sums does not matter.
    tests/ops/python_calls.py TENSOROP
"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.checker import Checker  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

warnings.simplefilter("ignore")
CALLS = 120  # of each row
SEED = random.randrange(1 << 32) if len(sys.argv) < 3 else int(sys.argv[2])
rng = random.Random(SEED)

NUMBERS = ["float32", "float64", "int8", "int32", "int64", "uint8"]
UNSIGNED = ["uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]


def chance(percent):
    return rng.randrange(100) < percent


def shape_of(rank, most=4):
    return [rng.randint(1, most) for _ in range(rank)]


def data_of(dtype, shape):
    count = int(np.prod(shape))
    low = 0 if dtype.startswith("u") else -6
    flat = [rng.randint(low, 6) for _ in range(count)]
    if dtype == "bool":
        flat = [value > 0 for value in flat]
    if dtype.startswith(("float", "complex")):
        flat = [value / 8 for value in flat]
    return np.array(flat, dtype).reshape(shape)


def indices_of(shape, size, dtype="int64", negative=True, bad=10, far=1):
    """Mostly in range; of some calls one index is not."""
    low = -size if negative and not dtype.startswith("u") else 0
    out = np.array([rng.randint(low, size - 1) for _ in range(int(np.prod(shape)))], dtype).reshape(shape)
    if out.size and chance(bad):
        least = 0 if dtype.startswith("u") else -far * size - 2
        out.flat[rng.randrange(out.size)] = rng.choice([size, max(least, -1), least, far * size + 1])
    return out


def off_axis(shape, axis, free):
    """A shape that mostly broadcasts to it off the axis, both ways."""
    out = [1 if chance(25) else dim for dim in shape]
    out[axis] = free
    if chance(8):
        out[rng.randrange(len(out))] += 1
    return out


class Call:
    def __init__(self, op, dtype, expected, operands, **attributes):
        self.op, self.dtype, self.expected = op, dtype, expected
        self.operands, self.attributes = operands, attributes


def finite(value):
    """JSON has no word for what is not finite."""
    if isinstance(value, list):
        return [finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def described(array):
    array = np.asarray(array)
    data = array.tolist()
    if array.dtype.kind == "c":
        pairs = np.stack([array.real, array.imag], -1).reshape(-1, 2).tolist()

        def nest(shape):
            return pairs.pop(0) if not shape else [nest(shape[1:]) for _ in range(shape[0])]

        data = nest(list(array.shape))
    name = array.dtype.name
    return {"dtype": name, "shape": list(array.shape), "data": finite(data)}


# NumPy: functions of a dtype that return (operands, attributes, what NumPy does).


def numpy_take(dtype):
    a = data_of(dtype, shape_of(rng.randint(1, 3)))
    flat = chance(30)
    axis = None if flat else rng.randint(-a.ndim, a.ndim - 1)
    size = a.size if flat else a.shape[axis]
    mode = rng.choice(["raise", "wrap", "clip"])
    i = indices_of(shape_of(rng.randint(0, 2)), size, rng.choice(["int64", "int32", "uint8"]), bad=10 if mode == "raise" else 60,
                   far=3)
    given = {"mode": mode} if mode != "raise" or chance(50) else {}
    if not flat:
        given["axis"] = axis
    return {"data": a, "indices": i}, given, lambda: np.take(a, i, axis=axis, mode=mode)


def numpy_along(dtype):
    shape = shape_of(rng.randint(1, 3))
    axis = rng.randint(-len(shape), len(shape) - 1)
    a = data_of(dtype, [1 if chance(20) else dim for dim in shape])
    i = indices_of(off_axis(shape, axis, rng.randint(1, 4)), a.shape[axis], rng.choice(["int64", "int8", "uint16"]))
    return a, i, axis


def numpy_take_along_axis(dtype):
    a, i, axis = numpy_along(dtype)
    if chance(20):
        i = indices_of(shape_of(rng.choice([1, 1, 1, 2])), a.size)
        return {"data": a, "indices": i}, {"flat": True}, lambda: np.take_along_axis(a, i, None)
    return {"data": a, "indices": i}, {"axis": axis}, lambda: np.take_along_axis(a, i, axis)


def numpy_put_along_axis(dtype):
    a, i, axis = numpy_along(dtype)
    shape = [max(x, y) for x, y in zip(a.shape, i.shape)]
    shape[axis] = i.shape[axis]
    v = data_of(dtype, [1 if chance(25) else dim for dim in shape][rng.choice([0, 0, 0, 1]):])

    def call():
        out = a.copy()
        np.put_along_axis(out, i, v, axis)
        return out

    return {"data": a, "indices": i, "updates": v}, {"axis": axis}, call


def numpy_put(dtype):
    a = data_of(dtype, shape_of(rng.randint(1, 3)))
    mode = rng.choice(["raise", "wrap", "clip"])
    i = indices_of(shape_of(rng.randint(0, 2)), a.size, bad=10 if mode == "raise" else 60, far=3)
    v = data_of(dtype, i.shape if chance(50) else [i.size])

    def call():
        out = a.copy()
        np.put(out, i, v, mode=mode)
        return out

    return {"data": a, "indices": i, "updates": v}, {"mode": mode}, call


def tuples_of(a, **more):
    k = rng.randint(1, a.ndim)
    shape = shape_of(rng.randint(0, 2))
    i = np.stack([indices_of(shape, a.shape[d], bad=6, **more) for d in range(k)], -1)
    expected = shape + list(a.shape[k:])
    updates = [1 if chance(25) else dim for dim in expected][rng.choice([0, 0, 0, 1]):]
    if chance(5) and updates:
        updates[0] += 1
    return i, updates


def numpy_ufunc_at(dtype):
    a = data_of(dtype, shape_of(rng.randint(1, 3)))
    i, shape = tuples_of(a)
    v = data_of(dtype, shape)
    names = ["add", "subtract", "multiply"] + ([] if dtype in COMPLEX else ["minimum", "maximum"])
    name = rng.choice(names)

    def call():
        out = a.copy()
        getattr(np, name).at(out, tuple(np.moveaxis(i, -1, 0)), v)
        return out

    return {"data": a, "indices": i, "updates": v}, {"reduction": name}, call


def target_of(shape):
    out = shape_of(rng.randint(0, 2), 3) + [rng.randint(1, 3) if dim == 1 else dim for dim in shape]
    if chance(10) and out:
        out[rng.randrange(len(out))] += 1
    return out


def numpy_broadcast_to(dtype):
    a = data_of(dtype, shape_of(rng.randint(0, 3), 3))
    target = target_of(a.shape)
    return {"data": a}, {"shape": target}, lambda: np.broadcast_to(a, target)


def broadcasting(count, most=3):
    shape = shape_of(rng.randint(0, most))
    out = []
    for _ in range(count):
        own = [1 if chance(25) else dim for dim in shape][rng.randint(0, len(shape)):]
        if own and chance(4):
            own[0] += 1
        out.append(own)
    return out


def numpy_where(dtype):
    c, x, y = broadcasting(3)
    c, x, y = data_of("bool", c), data_of(dtype, x), data_of(dtype, y)
    return {"condition": c, "x": x, "y": y}, {}, lambda: np.where(c, x, y)


def library_binary(function, divides=False, shifts=False):
    def row(dtype):
        x, y = (data_of(dtype, shape) for shape in broadcasting(2))
        if divides and dtype[0] in "iu":
            y = np.where(y == 0, np.array(1, dtype), y)
        if shifts:
            y = np.abs(y)
        return {"a": x, "b": y}, {}, lambda: function(x, y)

    return row


def numpy_rows():
    moved = NUMBERS + UNSIGNED + COMPLEX + ["bool", "float16"]
    yield from (("take", numpy_take, moved), ("take_along_axis", numpy_take_along_axis, moved),
                ("put_along_axis", numpy_put_along_axis, moved), ("put", numpy_put, moved),
                ("ufunc_at", numpy_ufunc_at, NUMBERS + UNSIGNED + COMPLEX),
                ("broadcast_to", numpy_broadcast_to, moved), ("where", numpy_where, moved))
    integers = [dtype for dtype in NUMBERS + UNSIGNED if dtype[0] in "iu"]
    for name, dtypes in (("add", NUMBERS + UNSIGNED + COMPLEX), ("subtract", NUMBERS + UNSIGNED + COMPLEX),
                         ("multiply", NUMBERS + UNSIGNED), ("divide", ["float16", "float32", "float64"]),
                         ("floor_divide", integers), ("fmod", NUMBERS + UNSIGNED), ("remainder", NUMBERS + UNSIGNED),
                         ("minimum", NUMBERS + ["bool"]), ("maximum", NUMBERS + ["bool"]),
                         ("equal", NUMBERS + COMPLEX + ["bool"]), ("not_equal", NUMBERS + COMPLEX + ["bool"]),
                         ("less", NUMBERS + ["bool"]), ("less_equal", NUMBERS), ("greater", NUMBERS),
                         ("greater_equal", NUMBERS), ("logical_and", ["bool"]), ("logical_or", ["bool"]),
                         ("logical_xor", ["bool"]), ("bitwise_and", integers + ["bool"]), ("bitwise_or", integers),
                         ("bitwise_xor", integers), ("left_shift", integers), ("right_shift", integers)):
        divides = name in ("floor_divide", "fmod", "remainder")
        yield name, library_binary(getattr(np, name), divides, "shift" in name), dtypes


# PyTorch.


def tensor(array):
    return torch.from_numpy(np.array(array))


def of_torch(function, *arrays):
    return lambda: function(*(tensor(array) for array in arrays)).numpy()


def torch_axis(shape):
    return rng.randint(-max(len(shape), 1), max(len(shape), 1) - 1)


def torch_elements(dtype):
    """data, an axis, and indices that are mostly no larger off it; 0-D too."""
    a = data_of(dtype, shape_of(rng.randint(0, 3)))
    axis = torch_axis(a.shape)
    shape = [rng.randint(1, dim) for dim in a.shape]
    if shape:
        shape[axis] = rng.randint(1, 5)
    elif chance(50):
        shape = [1]
    if chance(6) and shape:
        shape[rng.randrange(len(shape))] += 1
    if chance(3):
        shape = [*shape, 1]
    size = a.shape[axis] if a.ndim else 1
    return a, axis, indices_of(shape, size, negative=False, bad=8)


def torch_gather(dtype):
    a, axis, i = torch_elements(dtype)
    return {"data": a, "indices": i}, {"axis": axis}, of_torch(lambda x, y: torch.gather(x, axis, y), a, i)


def torch_take_along_dim(dtype):
    shape = shape_of(rng.randint(1, 3))
    a = data_of(dtype, [1 if chance(20) else dim for dim in shape])
    if chance(20):
        i = indices_of(shape_of(rng.randint(1, 2)), a.size, negative=False)
        return {"data": a, "indices": i}, {}, of_torch(torch.take_along_dim, a, i)
    axis = torch_axis(shape)
    i = indices_of(off_axis(shape, axis, rng.randint(1, 4)), a.shape[axis], negative=False)
    return {"data": a, "indices": i}, {"axis": axis}, of_torch(lambda x, y: torch.take_along_dim(x, y, axis), a, i)


def torch_slices(dtype, scatters):
    """data, an axis, an index of slices, and what has the shape of the slices."""
    a = data_of(dtype, shape_of(rng.randint(1, 3)))
    axis = torch_axis(a.shape)
    i = indices_of([] if chance(10) else [rng.randint(1, 5)], a.shape[axis], "int64", negative=False, bad=8)
    shape = list(a.shape)
    shape[axis] = i.size
    if chance(4):
        shape[rng.randrange(len(shape))] += 1
    if not scatters and chance(3):
        i = i.reshape([1, *i.shape, 1])
    return a, axis, i, data_of(dtype, shape)


def torch_index_select(dtype):
    a, axis, i, _ = torch_slices(dtype, False)
    i = i.astype(rng.choice(["int32", "int64"]))
    return {"data": a, "indices": i}, {"axis": axis}, of_torch(lambda x, y: torch.index_select(x, axis, y), a, i)


def torch_take(dtype):
    a = data_of(dtype, shape_of(rng.randint(0, 3)))
    i = indices_of(shape_of(rng.randint(0, 2)), a.size)
    return {"data": a, "indices": i}, {}, of_torch(torch.take, a, i)


def torch_scatter_operands(dtype):
    a, axis, i = torch_elements(dtype)
    larger = [dim + (rng.randint(1, 2) if chance(20) else 0) - (1 if chance(3) and dim > 1 else 0) for dim in i.shape]
    return a, axis, i, data_of(dtype, larger)


def torch_scatter(dtype):
    a, axis, i, u = torch_scatter_operands(dtype)
    reduction = rng.choice(["none", "none", "add", "multiply"])
    if dtype == "bool":
        reduction = "none"
    if reduction == "none":
        function = of_torch(lambda x, y, z: torch.scatter(x, axis, y, z), a, i, u)
    else:
        function = of_torch(lambda x, y, z: torch.scatter(x, axis, y, z, reduce=reduction), a, i, u)
    return {"data": a, "indices": i, "updates": u}, {"axis": axis, "reduction": reduction}, function


def torch_scatter_add(dtype):
    a, axis, i, u = torch_scatter_operands(dtype)
    function = of_torch(lambda x, y, z: torch.scatter_add(x, axis, y, z), a, i, u)
    return {"data": a, "indices": i, "updates": u}, {"axis": axis}, function


def torch_scatter_reduce(dtype):
    a, axis, i, u = torch_scatter_operands(dtype)
    reduction, keep = rng.choice(["sum", "prod", "mean", "amax", "amin"]), chance(60)
    function = of_torch(lambda x, y, z: torch.scatter_reduce(x, axis, y, z, reduction, include_self=keep), a, i, u)
    attributes = {"axis": axis, "reduction": reduction, "use_init_val": keep}
    return {"data": a, "indices": i, "updates": u}, attributes, function


def torch_index_copy(dtype):
    a, axis, i, u = torch_slices(dtype, True)
    function = of_torch(lambda x, y, z: x.index_copy(axis, y, z), a, i, u)
    return {"data": a, "indices": i, "updates": u}, {"axis": axis}, function


def torch_index_add(dtype):
    a, axis, i, u = torch_slices(dtype, True)
    function = of_torch(lambda x, y, z: x.index_add(axis, y, z), a, i, u)
    return {"data": a, "indices": i, "updates": u}, {"axis": axis}, function


def torch_index_reduce(dtype):
    a, axis, i, u = torch_slices(dtype, True)
    reduction, keep = rng.choice(["prod", "mean", "amax", "amin"]), chance(60)
    function = of_torch(lambda x, y, z: x.index_reduce(axis, y, z, reduction, include_self=keep), a, i, u)
    attributes = {"axis": axis, "reduction": reduction, "use_init_val": keep}
    return {"data": a, "indices": i, "updates": u}, attributes, function


def torch_put(dtype):
    a = data_of(dtype, shape_of(rng.randint(0, 3)))
    i = indices_of(shape_of(rng.randint(0, 2)), a.size)
    u = data_of(dtype, i.shape if chance(50) else [i.size])
    accumulate = chance(50) and dtype != "bool"
    function = of_torch(lambda x, y, z: x.put(y, z, accumulate=accumulate), a, i, u)
    return {"data": a, "indices": i, "updates": u}, {"reduction": "add" if accumulate else "none"}, function


def torch_index_put(dtype):
    a = data_of(dtype, shape_of(rng.randint(1, 3)))
    i, shape = tuples_of(a)
    u = data_of(dtype, shape)
    accumulate = chance(50) and dtype != "bool"
    parts = [np.ascontiguousarray(i[..., d]) for d in range(i.shape[-1])]
    if not accumulate and len({tuple(x) for x in i.reshape(-1, i.shape[-1]) % a.shape[: i.shape[-1]]}) * i.shape[-1] < i.size:
        accumulate = dtype != "bool"  # without it duplicates are undefined
    function = of_torch(lambda x, z, *y: x.index_put(y, z, accumulate=accumulate), a, u, *parts)
    return {"data": a, "indices": i, "updates": u}, {"reduction": "add" if accumulate else "none"}, function


def torch_expand(dtype):
    a = data_of(dtype, shape_of(rng.randint(0, 3), 3))
    target = [-1 if chance(15) else dim for dim in target_of(a.shape)]
    return {"data": a}, {"shape": target}, of_torch(lambda x: x.expand(target), a)


def torch_where(dtype):
    operands, attributes, _ = numpy_where(dtype)
    return operands, attributes, of_torch(torch.where, *operands.values())


def torch_rows():
    plain = NUMBERS + COMPLEX + ["bool"]
    for name, row in (("gather", torch_gather), ("take_along_dim", torch_take_along_dim), ("take", torch_take),
                      ("index_select", torch_index_select), ("scatter", torch_scatter), ("index_copy", torch_index_copy),
                      ("put_", torch_put), ("index_put", torch_index_put), ("expand", torch_expand), ("where", torch_where)):
        yield name, row, plain
    yield "scatter_add", torch_scatter_add, NUMBERS + COMPLEX
    yield "index_add", torch_index_add, NUMBERS + COMPLEX
    yield "scatter_reduce", torch_scatter_reduce, NUMBERS
    yield "index_reduce", torch_index_reduce, NUMBERS
    integers = [dtype for dtype in NUMBERS if dtype[0] in "iu"]
    for name, dtypes in (("add", NUMBERS + COMPLEX), ("sub", NUMBERS + COMPLEX), ("mul", NUMBERS),
                         ("div", ["float32", "float64"]), ("floor_divide", integers), ("fmod", NUMBERS),
                         ("remainder", integers), ("minimum", NUMBERS + ["bool"]), ("maximum", NUMBERS),
                         ("eq", NUMBERS + COMPLEX), ("ne", NUMBERS), ("lt", NUMBERS + ["bool"]), ("le", NUMBERS),
                         ("gt", NUMBERS), ("ge", NUMBERS), ("logical_and", ["bool"]), ("logical_or", ["bool"]),
                         ("logical_xor", ["bool"]), ("bitwise_and", integers + ["bool"]), ("bitwise_or", integers),
                         ("bitwise_xor", integers), ("bitwise_left_shift", integers), ("bitwise_right_shift", integers)):
        function = getattr(torch, name)
        plain_row = library_binary(lambda x, y, f=function: f(tensor(x), tensor(y)).numpy(),
                                   name in ("floor_divide", "fmod", "remainder"), "shift" in name)
        yield name, plain_row, dtypes


def case_of(spec, name, row, dtype):
    operands, attributes, function = row(dtype)
    try:
        expect = described(function())
    except (IndexError, ValueError, RuntimeError, TypeError):
        expect = {"error": "["}  # every refusal of the tool ends with its rule
    job = {"op": name, "spec": spec, "expect": expect}
    if "error" not in expect:
        job["exact_bits"] = "NaN" not in json.dumps(expect)
    job.update({key: described(value) for key, value in operands.items()})
    job.update(attributes)
    return job


def main():
    print(f"seed {SEED}")
    checker = Checker()
    publishers = [("numpy-2", numpy_rows())]
    if torch is None:
        print("PyTorch is left out: it cannot be imported")
    else:
        publishers.append(("torch-2", torch_rows()))
    jobs = []
    for spec, rows in publishers:
        for name, row, dtypes in rows:
            own = [case_of(spec, name, row, rng.choice(dtypes)) for _ in range(CALLS)]
            refused = sum("error" in job["expect"] for job in own)
            checker.check(f"{spec} {name}: most calls have a result", refused < CALLS * 3 / 4, refused)
            jobs += own
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "jobs.jsonl"
        path.write_text("".join(json.dumps(job) + "\n" for job in jobs), encoding="utf-8")
        done = subprocess.run([sys.argv[1], "check", path], capture_output=True, text=True, check=False)
        lines = (done.stdout + done.stderr).splitlines()
        for at, line in enumerate(lines):
            if line.startswith(str(path)) and not line.endswith(": equal"):
                job = jobs[int(line[len(str(path)) + 1 :].split(":")[0]) - 1]
                checker.check(json.dumps(job), False, " ".join(lines[at : at + 2]))
        checker.check("all cases are counted", done.returncode == 0 or checker.failed > 0, lines[-3:])
        checker.passed += len(jobs) - checker.failed
    checker.exit()


if __name__ == "__main__":
    main()
