"""gathernd, scatterelements and add in NumPy, right and with one planted fault each, as a program for many cases
(docs/conformance.md): take_cases(folder, fault)."""

import json
import pathlib

import numpy as np

# The faults by operator. Each is a word that the code below asks for.
FAULTS = {
    "gathernd": [
        "negative indices are 0", "batch_dims is ignored", "the last index is one less", "offsets overflow",
        "tuples are reversed", "no tuples are refused", "only the first element of a row", "out of range is clamped",
    ],
    "scatterelements": [
        "the first duplicate wins", "NaN is lost in max", "axis from the wrong end", "reduction is ignored",
        "data is no initial value", "the rest becomes zero", "sums in float64",
    ],
    "add": [
        "no negative zero", "rank 0 becomes rank 1", "integers become float64", "overflow saturates",
        "broadcast from the left",
    ],
}


class Refused(Exception):
    pass


def positions(indices, size, fault):
    """Indices from the end count; out of range is refused."""
    if fault == "out of range is clamped":
        return np.clip(np.where(indices < 0, indices + size, indices), 0, max(size - 1, 0))
    if ((indices < -size) | (indices >= size)).any():
        raise Refused("out of range")
    if fault == "negative indices are 0":
        return np.maximum(indices, 0)
    found = np.where(indices < 0, indices + size, indices)
    return np.where((found == size - 1) & (size > 1), size - 2, found) if fault == "the last index is one less" else found


def gathernd(job, data, indices, fault):
    batch = 0 if fault == "batch_dims is ignored" else job.get("batch_dims", 0)
    depth = indices.shape[-1]
    if fault == "no tuples are refused" and 0 in indices.shape[:-1]:
        raise Refused("empty")
    if not 0 <= batch < min(data.ndim, indices.ndim) or not 1 <= depth <= data.ndim - batch or data.shape[:batch] != indices.shape[:batch]:
        raise Refused("shapes")
    sizes = data.shape[batch:batch + depth]
    columns = [positions(indices[..., k], size, fault) for k, size in enumerate(sizes)]
    if fault == "tuples are reversed":
        columns = columns[::-1]
    lead = indices.shape[:-1]
    grid = np.indices(lead)[:batch]
    # Where each row begins, among rows.
    offset = np.zeros(lead, np.int64)
    for size, column in zip(data.shape, [*grid, *columns]):
        offset = offset * size + column
    row = data.shape[batch + depth:]
    rows = data.reshape((-1, *row) if data.size else (int(np.prod(data.shape[:batch + depth])), *row))
    if fault == "offsets overflow":
        offset = offset % 4
    out = rows[offset]
    if fault == "only the first element of a row" and row and out.size:
        out = np.broadcast_to(out[(..., *(slice(1),) * len(row))], out.shape)
    return out


def scatterelements(job, data, indices, updates, fault):
    axis = job.get("axis", 0)
    if not -data.ndim <= axis < data.ndim or indices.shape != updates.shape or indices.ndim != data.ndim:
        raise Refused("shapes")
    axis %= data.ndim
    if any(i != axis and size > data.shape[i] for i, size in enumerate(indices.shape)):
        raise Refused("shapes")
    if fault == "axis from the wrong end":
        axis = data.ndim - 1 - axis
    found = positions(indices, data.shape[axis], fault)
    reduction = "none" if fault == "reduction is ignored" else job.get("reduction", "none")
    out = np.zeros_like(data) if fault == "the rest becomes zero" else data.copy()
    wide = fault == "sums in float64" and data.dtype == np.float32
    out = out.astype(np.float64) if wide else out
    is_met = np.zeros(data.shape, bool)
    combine = {"add": np.add, "mul": np.multiply, "min": np.minimum,
               "max": np.fmax if fault == "NaN is lost in max" else np.maximum}.get(reduction)
    with np.errstate(all="ignore"):
        for at in np.ndindex(indices.shape):
            to = (*at[:axis], found[at], *at[axis + 1:])
            is_first = not is_met[to]
            is_met[to] = True
            if combine is None:
                if is_first or fault != "the first duplicate wins":
                    out[to] = updates[at]
            elif is_first and fault == "data is no initial value":
                out[to] = updates[at]
            else:
                out[to] = combine(out[to], updates[at])
    return out.astype(data.dtype)


def add(job, a, b, fault):
    if fault == "broadcast from the left" and a.ndim != b.ndim:
        rank = max(a.ndim, b.ndim)
        a, b = (x.reshape(x.shape + (1,) * (rank - x.ndim)) for x in (a, b))
    try:
        shape = np.broadcast_shapes(a.shape, b.shape)
    except ValueError as error:
        raise Refused(str(error)) from error
    with np.errstate(all="ignore"):
        out = np.add(a, b, dtype=a.dtype)
        if a.dtype.kind == "f":  # processors differ in the bits of a NaN that arithmetic makes
            out = np.where(out != out, a.dtype.type(np.nan), out)
        if fault == "no negative zero" and a.dtype.kind == "f":
            out = np.asarray(out + a.dtype.type(0))
        if fault == "integers become float64" and a.dtype.kind == "i":
            out = np.asarray(out, np.float64)
        if fault == "overflow saturates" and a.dtype.kind == "i":
            limits = np.iinfo(a.dtype)
            out = np.clip(a.astype(object) + b.astype(object), limits.min, limits.max)
            out = np.asarray(out).astype(a.dtype)
    if fault == "rank 0 becomes rank 1" and shape == ():
        out = np.reshape(out, 1)
    return np.asarray(out)


OPERATORS = {"gathernd": (gathernd, "data", "indices"),
             "scatterelements": (scatterelements, "data", "indices", "updates"),
             "add": (add, "a", "b")}

DTYPES = ("float32", "int64", "int8")
INDEX_DTYPES = {"gathernd": ("int64",), "scatterelements": ("int64", "int32")}


def load(path):
    with open(path, "rb") as file:
        return np.lib.format.read_array(file)


def take_cases(folder, fault=None):
    """Computes all cases of the folder."""
    folder = pathlib.Path(folder)
    for line in (folder / "cases.jsonl").read_text().splitlines():
        job = json.loads(line)
        function, *names = OPERATORS[job["op"]]
        try:
            operands = [load(folder / job[name]) for name in names if isinstance(job[name], str)]
            others = [array for name, array in zip(names, operands) if name != "indices"]
            is_index = "indices" not in names or operands[names.index("indices")].dtype in INDEX_DTYPES[job["op"]]
            has_one = others and others[0].dtype in DTYPES and all(array.dtype == others[0].dtype for array in others)
            if len(operands) != len(names) or not has_one or not is_index:
                raise Refused("dtypes")
            out = function(job, *operands, fault)
        except (Refused, IndexError, ValueError, TypeError) as refused:
            (folder / f"{job['name']}.error").write_text(str(refused))
            continue
        with open(folder / job["output"], "wb") as file:
            np.lib.format.write_array(file, np.ascontiguousarray(out).reshape(out.shape))
