#!/usr/bin/python3
"""Thousands of random calls of numpy-2 and torch-2 beside NumPy and PyTorch: results bit for bit, and refusals.

All calls are cases of `tensorop check`: under their version, where the bits count, under all versions of its publisher and
under all versions. PyTorch is left out where it cannot be imported. Floats are small multiples
of 1/8, so that the order of sums does not matter. What the installed libraries do otherwise than the current ones
is in JUDGES; what tensorop does not compute is in NOT_HERE. docs/portability.md, "How this is known", describes both.
    tests/ops/python_calls.py TENSOROP      a part of the calls; with TENSOROP_NIGHTLY=1 all
"""

import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from support.checker import NIGHTLY, SEED, Checker  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

warnings.simplefilter("ignore")
CALLS = 400 if NIGHTLY else 25  # of each row
rng = random.Random(SEED)

NUMBERS = ["float32", "float64", "int8", "int32", "int64", "uint8"]
UNSIGNED = ["uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
HALF = ["float16"]
FLOATS = ["float16", "float32", "float64"]
INTEGERS = [dtype for dtype in NUMBERS + UNSIGNED if dtype[0] in "iu"]

# Dtypes that the publisher takes and tensorop refuses with NI-1, by row.
NOT_HERE = {
    "numpy-2": {"divide": INTEGERS + ["bool"], "floor_divide": FLOATS + ["bool"], "fmod": ["bool"], "remainder": ["bool"],
                "power": COMPLEX + ["bool"], "left_shift": ["bool"], "right_shift": ["bool"]},
    "torch-2": {"div": INTEGERS + ["bool"], "floor_divide": FLOATS, "pow": COMPLEX},
}

# Messages of PyTorch 1.13 for calls that PyTorch 2 accepts: kernels of half floats on a CPU, and int32 indices of
# gather and scatter, which 2.8 takes (aten/src/ATen/native/TensorAdvancedIndexing.cpp). Such calls are left out.
JUDGES = ("not implemented for 'Half'", "Expected dtype int64 for index")

ORDERS = ("less", "less_equal", "greater", "greater_equal", "minimum", "maximum")

def chance(percent):
    return rng.randrange(100) < percent

def shape_of(rank, most=4):
    return [0 if chance(2) else rng.randint(1, most) for _ in range(rank)]

def data_of(dtype, shape):
    count = int(np.prod(shape))
    low = 0 if dtype.startswith("u") else -6
    flat = [rng.randint(low, 6) for _ in range(count)]
    if dtype == "bool":
        flat = [value > 0 for value in flat]
    if dtype.startswith(("float", "complex")):
        flat = [value / 8 for value in flat]
    if dtype.startswith("complex"):
        flat = [complex(value, rng.randint(-6, 6) / 8) for value in flat]
    return np.array(flat, dtype).reshape(shape)

def mixed(array):
    """Of some calls in another dtype, which the libraries convert or refuse."""
    return array.astype(rng.choice(["int32", "int64", "uint8", "float32", "float64"])) if chance(5) else array

def indices_of(shape, size, dtype="int64", negative=True, bad=10, far=1):
    """Mostly in range; of some calls one index is not."""
    low = -size if negative and not dtype.startswith("u") else 0
    out = np.array([rng.randint(low, max(size - 1, low)) for _ in range(int(np.prod(shape)))], dtype).reshape(shape)
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
    a = data_of(dtype, shape_of(rng.randint(0, 3)))
    flat = chance(30)
    axis = None if flat else rng.randint(-max(a.ndim, 1), max(a.ndim, 1) - 1)
    size = a.size if flat or a.ndim == 0 else a.shape[axis]
    # With wrap NumPy 1.24 does not return where the axis is empty.
    mode = rng.choice(["raise", "wrap", "clip"] if size else ["raise", "clip"])
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
    v = mixed(data_of(dtype, [1 if chance(25) else dim for dim in shape][rng.choice([0, 0, 0, 1]):]))
    given = {"axis": axis}
    if chance(15):
        i, axis, given = indices_of(shape_of(1), a.size), None, {"flat": True}
        v = data_of(dtype, [1] if chance(25) else i.shape)
    elif chance(3):  # the axis has no default
        return {"data": a, "indices": i, "updates": v}, {}, lambda: np.put_along_axis(a.copy(), i, v)

    def call():
        out = a.copy()
        np.put_along_axis(out, i, v, axis)
        return out

    return {"data": a, "indices": i, "updates": v}, given, call

def numpy_put(dtype):
    a = data_of(dtype, shape_of(rng.randint(1, 3)))
    mode = rng.choice(["raise", "wrap", "clip"])
    i = indices_of(shape_of(rng.randint(0, 2)), a.size, bad=10 if mode == "raise" else 60, far=3)
    v = mixed(data_of(dtype, i.shape if chance(50) else shape_of(rng.randint(0, 2))))  # repeated or cut
    if a.size == 0:
        mode = "raise"  # with others NumPy 1.24 does not return, or writes beyond the array

    def call():
        out = a.copy()
        np.put(out, i, v, mode=mode)
        return out

    return {"data": a, "indices": i, "updates": v}, {"mode": mode}, call

def arrays_of(a, dtypes, **more):
    """One to three index arrays of shapes that broadcast, and a shape of updates."""
    k = rng.randint(1, a.ndim)
    shape = shape_of(rng.randint(0, 2))
    arrays = []
    for d in range(k):
        own = [1 if chance(25) else dim for dim in shape][rng.choice([0, 0, 0, 1]):]
        if chance(2) and own:
            own[0] += 1
        arrays.append(indices_of(own, a.shape[d], rng.choice(dtypes), bad=6, **more))
    expected = list(np.broadcast_shapes(*(i.shape for i in arrays))) if chance(98) else [3]
    expected += a.shape[k:]
    updates = [1 if chance(25) else dim for dim in expected][rng.choice([0, 0, 0, 1]):]
    if chance(5) and updates:
        updates[0] += 1
    return arrays, updates

def drawn_arrays(a, dtypes):
    while True:
        try:
            return arrays_of(a, dtypes)
        except ValueError:  # their shapes do not broadcast
            pass

def reshaped(operands, attributes):
    """The operands and attributes of a call with index arrays; of some calls they are flat, and reshaped by the call."""
    if chance(70):
        return {"operands": operands}, attributes
    arrays = len(operands) - 2
    names = ["data", *(["indices"] if arrays == 1 else [f"indices {k + 1}" for k in range(arrays)]), "updates"]
    shapes = {name: list(operand.shape) for name, operand in zip(names, operands)}
    return {"operands": [operand.ravel() for operand in operands]}, {**attributes, "reshape": shapes}

def numpy_ufunc_at(dtype):
    a = data_of(dtype, shape_of(rng.randint(1, 3)))
    arrays, shape = drawn_arrays(a, ["int64", "int64", "int32", "uint8"])
    v = mixed(data_of(dtype, shape))
    names = ["add", "subtract", "multiply"] + ([] if dtype in COMPLEX else ["minimum", "maximum"])
    name = rng.choice(names)

    def call():
        out = a.copy()
        getattr(np, name).at(out, tuple(arrays), v)
        return out

    return reshaped([a, *arrays, v], {"reduction": name}) + (call,)

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

def numpy_where(dtype, conditions=("bool", "bool", "uint8", "int8", "int64", "float32", "complex64")):
    c, x, y = broadcasting(3)
    c, x, y = data_of(rng.choice(conditions), c), data_of(dtype, x), mixed(data_of(dtype, y))
    return {"condition": c, "x": x, "y": y}, {}, lambda: np.where(c, x, y)


def joined(dtype):
    """Operands that mostly differ along one axis alone, and the axis, which some operands do not have."""
    shape = shape_of(rng.randint(0 if chance(10) else 1, 3), 3)
    axis = rng.randint(-max(len(shape), 1) - chance(5), max(len(shape), 1) - 1 + chance(5))
    operands = []
    for _ in range(rng.randint(1, 4)):
        own = list(shape)
        if own and -len(own) <= axis < len(own):
            own[axis] = rng.randint(0, 3)
        if chance(4) and own:
            own[rng.randrange(len(own))] += 1
        operands.append(data_of(dtype, own))
    operands[-1] = mixed(operands[-1])
    return operands, axis


def numpy_concatenate(dtype):
    operands, axis = joined(dtype)
    attributes = {"axis": axis}
    if chance(25):
        operands, axis, attributes = [data_of(dtype, shape_of(rng.randint(0, 3), 3)) for _ in operands], None, {"flat": True}
    return {"operands": operands}, attributes, lambda: np.concatenate(operands, axis)


def library_binary(function, name):
    divides = name in ("floor_divide", "fmod", "remainder", "div", "divide")

    def row(dtype):
        x, y = (data_of(dtype, shape) for shape in broadcasting(2))
        if name.startswith("bitwise") and "shift" in name and dtype[0] in "iu":
            # PyTorch 1.13 leaves other amounts to the processor; 2 defines them (cpu/BinaryOpsKernel.cpp).
            return {"a": x, "b": np.abs(y)}, {}, lambda: function(x, np.abs(y))
        if divides and dtype[0] in "iu" and chance(90):
            y = np.where(y == 0, np.array(1, dtype), y)
        if divides and dtype.startswith("complex"):
            y = np.where(y == 0, np.array(0.125, dtype), y)  # which infinities a quotient by zero has is open
        if "shift" in name and dtype != "bool" and chance(20) and y.size:
            y.flat[rng.randrange(y.size)] = rng.choice([7, 8, 31, 33, 64, 100])
        if name == "power" and dtype[0] == "i" and chance(80):
            y = np.abs(y)
        if dtype.startswith("float") and name in ("fmod", "remainder", "multiply", "mul", "add") and x.size:
            x.flat[rng.randrange(x.size)] = rng.choice([-0.0, math.inf, -math.inf, math.nan])
        if dtype.startswith("complex") and name in ORDERS:
            for operand in (x, y):
                for part in (operand.real, operand.imag):
                    if part.size and chance(60):
                        part.flat[rng.randrange(part.size)] = rng.choice([1.0, -0.0, math.inf, -math.inf, math.nan])
            if x.shape == y.shape and chance(50):
                x.real = y.real  # the imaginary parts decide
        # A mixed call is judged by shapes and dtypes, not by values.
        other = y if divides or "shift" in name or name in ("power", "pow") else mixed(y)
        return {"a": x, "b": other}, {}, lambda: function(x, other)

    return row

def numpy_rows():
    moved = NUMBERS + UNSIGNED + COMPLEX + ["bool", "float16"]
    numbers = NUMBERS + UNSIGNED + HALF
    yield from (("take", numpy_take, moved), ("take_along_axis", numpy_take_along_axis, moved),
                ("put_along_axis", numpy_put_along_axis, moved), ("put", numpy_put, moved),
                ("ufunc_at", numpy_ufunc_at, moved),
                ("broadcast_to", numpy_broadcast_to, moved), ("where", numpy_where, moved),
                ("concatenate", numpy_concatenate, moved))
    for name in ("add", "subtract", "multiply", "divide", "floor_divide", "fmod", "remainder", "power", "minimum",
                 "maximum", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and",
                 "logical_or", "logical_xor"):
        yield name, library_binary(getattr(np, name), name), numbers + COMPLEX + ["bool"]
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        yield name, library_binary(getattr(np, name), name), INTEGERS + INTEGERS + ["bool", "float32"]

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
    shape = [rng.randint(min(1, dim), dim) for dim in a.shape]
    if shape:
        shape[axis] = rng.randint(1, 5)
    elif chance(50):
        shape = [1]
    if chance(6) and shape:
        shape[rng.randrange(len(shape))] += 1
    if chance(3):
        shape = [*shape, 1]
    if chance(3):
        shape = rng.choice([[0], [0, 2], [2, 0, 1]])  # nothing but the axis is checked
    size = a.shape[axis] if a.ndim else 1
    return a, axis, indices_of(shape, size, rng.choice(["int64", "int64", "int64", "int32"]), negative=False, bad=8)

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
    if scatters and a.size == 0:
        i = np.zeros([0], "int64")  # PyTorch 1.13 looks at nothing else then
    shape = list(a.shape)
    shape[axis] = i.size
    if chance(4) and a.size:
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
    return a, axis, i, mixed(data_of(dtype, larger))

def torch_scatter(dtype):
    a, axis, i, u = torch_scatter_operands(dtype)
    reduction = rng.choice(["none", "none", "add", "multiply"])
    if dtype == "bool" and reduction == "multiply":
        reduction = "none"
    if chance(15):  # a value in place of src
        u = np.array(rng.randint(0, 5), dtype)
        value = u.item()
        keywords = {} if reduction == "none" else {"reduce": reduction}
        function = of_torch(lambda x, y: torch.scatter(x, axis, y, value, **keywords), a, i)
    elif reduction == "none":
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
    if i.size == 0 and (dtype == "bool" or dtype in COMPLEX):
        reduction = "sum"  # whether PyTorch 1.13 looks at the dtype then depends on the reduction
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
    arrays, shape = drawn_arrays(a, ["int64"])
    u = data_of(dtype, shape)
    try:
        tuples = np.broadcast_arrays(*(i % max(a.shape[d], 1) for d, i in enumerate(arrays)))
        distinct = len(set(zip(*(i.ravel().tolist() for i in tuples)))) == tuples[0].size
    except ValueError:  # their shapes do not broadcast, which is refused
        distinct = True
    accumulate = chance(50) or not distinct  # without it duplicates are undefined
    function = of_torch(lambda x, z, *y: x.index_put(y, z, accumulate=accumulate), a, u, *arrays)
    return reshaped([a, *arrays, u], {"reduction": "add" if accumulate else "none"}) + (function,)

def torch_expand(dtype):
    a = data_of(dtype, shape_of(rng.randint(0, 3), 3))
    target = [-1 if chance(15) else dim for dim in target_of(a.shape)]
    return {"data": a}, {"shape": target}, of_torch(lambda x: x.expand(target), a)

def torch_where(dtype):
    operands, attributes, _ = numpy_where(dtype, ("bool", "bool", "uint8", "int64"))
    return operands, attributes, of_torch(torch.where, *operands.values())


def torch_cat(dtype):
    operands, axis = joined(dtype)
    operands = [data_of(dtype, [0]) if chance(20) else operand for operand in operands]
    return {"operands": operands}, {"axis": axis}, of_torch(lambda *arrays: torch.cat(arrays, axis), *operands)


def torch_rows():
    plain = NUMBERS + COMPLEX + ["bool", "float16"]
    integers = [dtype for dtype in NUMBERS if dtype[0] in "iu"]
    for name, row in (("gather", torch_gather), ("take_along_dim", torch_take_along_dim), ("take", torch_take),
                      ("index_select", torch_index_select), ("scatter", torch_scatter), ("index_copy", torch_index_copy),
                      ("put_", torch_put), ("index_put", torch_index_put), ("expand", torch_expand), ("where", torch_where),
                      ("scatter_add", torch_scatter_add), ("index_add", torch_index_add),
                      ("scatter_reduce", torch_scatter_reduce), ("cat", torch_cat)):
        yield name, row, plain
    # Its text has floats alone; the kernels take integers, and by the number of dimensions others too.
    yield "index_reduce", torch_index_reduce, NUMBERS
    for name in ("add", "sub", "mul", "div", "floor_divide", "fmod", "remainder", "pow", "minimum", "maximum", "eq", "ne",
                 "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or",
                 "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"):
        function = getattr(torch, name)
        dtypes = integers + integers + ["bool", "float32"] if name.startswith("bitwise") else plain
        yield name, library_binary(lambda x, y, f=function: f(tensor(x), tensor(y)).numpy(), name), dtypes

def is_not_here(spec, name, dtype, operands):
    if dtype in NOT_HERE[spec].get(name, []):
        return True
    values = [operands[key] for key in ("data", "updates", "a", "b", "x", "y") if key in operands]
    given = operands.get("operands", [])
    values += given[:: max(len(given) - 1, 1)] if name in ("ufunc_at", "index_put") else given
    if len({value.dtype for value in values}) > 1:
        return True  # converted
    if name == "where":
        return spec == "numpy-2" and operands["condition"].dtype.name not in ("bool", "uint8", "int8")
    divides = spec == "numpy-2" and dtype[0] in "iu" and name in ("floor_divide", "fmod", "remainder")
    # An element by zero that is computed.
    return divides and bool(np.any(np.broadcast_arrays(operands["a"], operands["b"])[1] == 0))

def case_of(spec, name, row, dtype):
    """A case, or nothing where the installed library is no judge."""
    operands, attributes, function = row(dtype)
    if name.startswith("bitwise") and spec == "numpy-2" and operands["a"].dtype != operands["b"].dtype:
        return None  # NumPy 1.24 takes a dtype by the value of what has no dimensions, and bits of no other
    try:
        result = np.asarray(function())
        if result.size == 0 and name in ("ufunc_at", "index_put", "take_along_dim"):
            return None  # the libraries do not look at all indices then, tensorop does
        expect = described(result)
        if is_not_here(spec, name, dtype, operands):
            expect = {"error": "[NI-1]"}
    except (IndexError, ValueError, RuntimeError, TypeError, ZeroDivisionError) as error:
        if any(words in str(error) for words in JUDGES):
            return None
        if name == "ufunc_at" and isinstance(error, IndexError) and any(np.size(one) == 0 for one in operands["operands"][1:-1]):
            return None  # NumPy looks at an index without dimensions also where others choose no element, tensorop does not
        expect = {"error": "["}  # every refusal of the tool ends with its rule
    job = {"op": name, "spec": spec, "expect": expect}
    if "error" not in expect:
        is_power = name in ("pow", "power") and dtype.startswith("float")
        is_quotient = name in ("div", "divide") and dtype.startswith("complex")
        # The last bits of powers and of complex quotients depend on the library.
        job.update({"max_ulp": 2} if is_power else {"rtol": 1e-5} if is_quotient else {"exact_bits": "NaN" not in json.dumps(expect)})
    job.update({key: [described(item) for item in value] if key == "operands" else described(value)
                for key, value in operands.items()})
    job.update(attributes)
    return job

def check(jobs):
    """What `check` says of each job, and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "jobs.jsonl"
        path.write_text("".join(json.dumps(job) + "\n" for job in jobs), encoding="utf-8")
        done = subprocess.run([sys.argv[1], "check", path, "--json"], capture_output=True, text=True, check=False)
        return json.loads(done.stdout)["cases"], done.returncode

def is_close(a, b, tolerance):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(is_close(x, y, tolerance) for x, y in zip(a, b))
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= tolerance * abs(b))

def row_fault(job, found):
    """What is wrong in the row of the job's version in a table of several versions; nothing: the row says what the library does."""
    name = job["op"].replace("_", "")
    rows = [row for row in found["versions"] if row["spec"] == job["spec"] and row["published"].replace("_", "").replace(".", "") == name
            and row["mode"] in (None, job.get("mode", "raise"))]
    if len(rows) != 1:
        return f"{len(rows)} rows"
    error = job["expect"].get("error")
    verdict, said = rows[0]["verdict"], found["classes"].get(rows[0]["class"])
    wanted = ["not_in_tensorop"] if error == "[NI-1]" else ["unspecified", "refused" if error else "accepted"]
    if verdict not in wanted or (said is None) != (error is not None):
        return f"{verdict}, not {wanted[-1]}: {rows[0]['message']}"
    if error is not None:
        return None
    # The first digits of floats: the case of the version alone has compared the bits.
    tolerance = 0.01 if job["expect"]["dtype"].startswith(("float", "complex")) else 0
    same = [said[key] == job["expect"][key] for key in ("dtype", "shape")] + [said["data"] is None or is_close(said["data"], job["expect"]["data"], tolerance)]
    return None if all(same) else f"another result: {said}"

def check_under_all(checker, jobs, specs):
    """Beside other versions the call has the verdict and the result that it has alone."""
    options = ("expect", "exact_bits", "max_ulp", "rtol")
    # A default that a version lacks is written into a call of several versions.
    jobs = [job for job in jobs if job["op"] != "put_along_axis" or "axis" in job or "flat" in job]
    cases, _ = check([{key: value for key, value in job.items() if key not in options}
                      | {"spec": "all" if specs == "all" else job["spec"].partition("-")[0]} for job in jobs])
    judged = 0
    for job, case in zip(jobs, cases, strict=True):
        if case["portability"] is None:  # wrong for all versions
            fault = None if job["expect"] == {"error": "["} else case["error"]
        else:
            fault = row_fault(job, case["portability"])
        # Beside other publishers a name may mean another operator or, as divide, have another default.
        is_other = specs == "all" and fault is not None and (fault == "0 rows" or job["op"] == "divide")
        judged += not is_other
        checker.check(f"{specs}: {json.dumps(job)}", fault is None or is_other, fault)
    checker.check(f"{specs}: most calls have a row", judged > len(jobs) * 3 / 4, f"{judged} of {len(jobs)}")

def main():
    checker = Checker()
    publishers = [("numpy-2", numpy_rows())]
    if torch is None:
        print("PyTorch is left out: it cannot be imported")
    else:
        publishers.append(("torch-2", torch_rows()))
    jobs = []
    for spec, rows in publishers:
        for name, row, dtypes in rows:
            # Half of the calls have dtypes that tensorop computes, so that no row is refused as a whole.
            here = [dtype for dtype in dtypes if dtype not in NOT_HERE[spec].get(name, [])]
            own = [case_of(spec, name, row, rng.choice(here if chance(50) else dtypes)) for _ in range(CALLS)]
            own = [job for job in own if job is not None]
            refused = sum("error" in job["expect"] for job in own)
            checker.check(f"{spec} {name}: one call in five has a result", refused < len(own) * 4 / 5, refused)
            jobs += own
    cases, status = check(jobs)
    for job, case in zip(jobs, cases, strict=True):
        checker.check(json.dumps(job), case["outcome"] == "equal", case)
    checker.check("the exit status tells of failures", (status == 0) == (checker.failed == 0), status)
    # What the libraries refuse is refused, not said to be accepted by them.
    refused = [job | {"expect": {"error": "[NI-1]"}} for job in jobs if job["expect"] == {"error": "["}]
    for job, case in zip(refused, check(refused)[0], strict=True):
        checker.check(json.dumps(job), case["outcome"] != "equal", "refused by the library, [NI-1] here")
    for specs in ("all versions of the publisher", "all"):
        check_under_all(checker, jobs, specs)
    checker.check("refused calls were drawn", len(refused) > 0)
    checker.exit()

if __name__ == "__main__":
    main()
