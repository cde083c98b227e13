#!/usr/bin/python3
"""Whole-process benchmark: the same work by tensorop, by NumPy and, as the floor, by cp.

    tests/bench/workloads.py build/release/apps/tensorop/tensorop [--size small|full] [--runs 5] [--only NAME] [--before BINARY]

Every workload is a real run from files to a file: the contestants take turns, each run writes a fresh output file, the
results are compared byte for byte, and the medians are printed with their ratios. The floor is cp of a file of the
output's size; with --before, another tensorop takes turns too. For start-up, 1,000 runs one after the other, it is
/bin/true. JSON is read for NumPy by Python's json or, where it is installed (Debian: python3-ujson), by ujson,
whichever is faster. Text tables are read by np.loadtxt and, where it is installed (Debian: python3-pandas), by pandas'
C reader. Memory is the peak of private (anonymous) and of mapped (file and shared) pages of tensorop; the
size of its output is printed beside it.
"""
import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

PYTHON = sys.executable


class Workload:
    def __init__(self, name, make, args, numpy, output="out.npy", compare="bytes"):
        self.name = name        # as in docs/benchmarks.md
        self.make = make        # make(rng, scale): writes the inputs into the current directory
        self.args = args        # of tensorop, without -o
        self.numpy = numpy      # spellings: Python lines that write ref.npy
        self.output = output
        self.compare = compare  # "bytes", or the dtype of the numbers of two JSON files


def save(name, array):
    np.save(name, array)


def rows(rng, count, shape, picks):
    save("a.npy", rng.standard_normal(shape, dtype=np.float32))
    save("i.npy", rng.integers(0, count, picks, dtype=np.int64))


def make_tiny(rng, scale):
    save("a.npy", np.arange(12, dtype=np.float32).reshape(3, 4))
    save("i.npy", np.array([[0, 1], [2, 3]]))


def make_rows_1k(rng, scale):
    n = (1 << 20) // scale
    rows(rng, n, (n, 256), n)


def make_rows_16(rng, scale):
    n = (64 << 20) // scale
    rows(rng, n, (n, 4), n // 2)


def make_columns(rng, scale):
    rows(rng, 65536, (4096 // scale, 65536), 32768)


def make_scalars(rng, scale):
    n = 16384 // scale
    save("a.npy", rng.standard_normal((n, 16384), dtype=np.float32))
    k = (32 << 20) // scale
    save("i.npy", np.stack([rng.integers(0, n, k), rng.integers(0, 16384, k)], axis=1))


def make_batch(rng, scale):
    b = max(1, 64 // scale)
    save("a.npy", rng.standard_normal((b, 65536, 64), dtype=np.float32))
    save("i.npy", rng.integers(0, 65536, (b, 65536, 1)))


def make_big_endian(rng, scale):
    n = (4 << 20) // scale
    save("a.npy", rng.standard_normal((n, 16), dtype=np.float32).astype(">f4"))
    save("i.npy", rng.integers(0, n, n // 2))


def make_fortran(rng, scale):
    shape = (16384 // scale, 4096)
    for name in ("a.npy", "b.npy"):
        save(name, np.asfortranarray(rng.standard_normal(shape, dtype=np.float32)))
    save("i.npy", rng.integers(0, shape[0], shape[0] // 2))


def make_elements(axis, updates=False):
    def make(rng, scale):
        shape = (16384 // scale, 8192)
        save("a.npy", rng.standard_normal(shape, dtype=np.float32))
        save("i.npy", rng.integers(0, shape[axis], shape))
        if updates:
            save("u.npy", rng.standard_normal(shape, dtype=np.float32))
    return make


def make_scatter_axis1(rng, scale):
    n = 16384 // scale
    save("a.npy", rng.standard_normal((n, 16384), dtype=np.float32))
    index = np.empty((n, 4096), dtype=np.int64)
    for row in index:
        row[:] = rng.permutation(16384)[:4096]
    save("i.npy", index)
    save("u.npy", rng.standard_normal((n, 4096), dtype=np.float32))


def make_scatternd(duplicates):
    def make(rng, scale):
        n = (1 << 20) // scale
        k = n // 4
        save("a.npy", rng.standard_normal((n, 256), dtype=np.float32))
        index = rng.integers(0, n // 8, k) if duplicates else rng.permutation(n)[:k]
        save("i.npy", index.reshape(-1, 1))
        save("u.npy", rng.standard_normal((k, 256), dtype=np.float32))
    return make


def make_sums(dtype, targets):
    def make(rng, scale):
        n = (16 << 20) // scale
        save("a.npy", np.zeros(max(1, targets // scale), dtype))
        save("i.npy", rng.integers(0, max(1, targets // scale), n))
        save("u.npy", rng.random(n, dtype=np.float32).astype(dtype))
    return make


def make_column_and_row(rng, scale):
    save("a.npy", rng.standard_normal((65536 // scale, 1), dtype=np.float32))
    save("b.npy", rng.standard_normal((1, 4096), dtype=np.float32))


def make_two(rng, scale):
    for name in ("a.npy", "b.npy"):
        save(name, rng.standard_normal((16384 // scale, 16384), dtype=np.float32))


# About 96 MB of text each.
def json_floats(rng, scale):
    return rng.standard_normal(5_000_000 // scale, dtype=np.float64).astype(np.float32).tolist()


def json_doubles(rng, scale):
    return rng.standard_normal(4_800_000 // scale).tolist()


def json_integers(rng, scale):
    return rng.integers(-10**12, 10**12, 7_000_000 // scale).tolist()


def json_strings(rng, scale):
    words = ["%x" % number for number in 2 ** rng.uniform(1, 52, 4000).astype(np.int64)] + ["naïve", 'quo"te', ""]
    return [words[i] for i in rng.integers(0, len(words), 9_500_000 // scale)]


def make_metadata(text):
    def make(rng, scale):
        value = text * (6_000_000 // len(text) // scale)
        header = '{"__metadata__":{"m":"%s"},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}' % value
        with open("a.safetensors", "wb") as f:
            f.write(len(header).to_bytes(8, "little") + header.encode() + b"\7")
    return make


def make_json(elements):
    def make(rng, scale):
        with open("a.json", "w") as f:
            json.dump(elements(rng, scale), f, separators=(",", ":"))
    return make


def make_table(rng, scale):
    with open("a.txt", "w") as f:
        f.writelines("%d\n" % n for n in rng.integers(-10**12, 10**12, 7_300_000 // scale).tolist())


def make_csv(rng, scale):
    with open("a.csv", "w") as f:
        f.writelines(",".join(map(repr, row)) + "\n" for row in rng.standard_normal((520_000 // scale, 10)).tolist())


def make_floats(dtype):
    def make(rng, scale):
        numbers = rng.standard_normal(10_000_000 // scale, dtype=np.float32)
        if dtype != "bfloat16":
            return save("a.npy", numbers.astype(dtype))
        with open("a.npy", "wb") as f:
            np.lib.format.write_array_header_1_0(f, {"descr": "<V2", "fortran_order": False, "shape": numbers.shape})
            f.write(bfloat16_bits(numbers).tobytes())
    return make


def make_numbers(dtype):
    """Of every dtype the same numbers, which int8 holds."""
    def make(rng, scale):
        save("a.npy", (16 * rng.standard_normal((64 << 20) // scale, dtype=np.float32)).astype(dtype))
    return make


def bfloat16_bits(numbers):
    bits = numbers.view(np.uint32).astype(np.uint64)
    return (bits + 0x7FFF + (bits >> 16 & 1) >> 16).astype(np.uint16)


LOAD = "a=np.load('a.npy',mmap_mode='r');i=np.load('i.npy',mmap_mode='r')"
TWO = "a=np.load('a.npy',mmap_mode='r');b=np.load('b.npy',mmap_mode='r');"
OUT = "o=np.lib.format.open_memmap('ref.npy','w+',a.dtype,%s)"
COPY = "import shutil;shutil.copyfile('a.npy','ref.npy');o=np.load('ref.npy',mmap_mode='r+')"
UPDATES = "u=np.load('u.npy',mmap_mode='r')"


def rows_of(shape, expression):
    return "for k in range(0,%s,1024): o[k:k+1024]=%s" % (shape, expression)


WORKLOADS = [
    Workload("start-up, tiny gathernd", make_tiny, ["gathernd", "a.npy", "i.npy"],
             ["a=np.load('a.npy');i=np.load('i.npy');np.save('ref.npy',a[tuple(i.T)])"]),
    Workload("gather, random rows of 1 KiB", make_rows_1k, ["gather", "a.npy", "i.npy"],
             [LOAD + ";np.save('ref.npy',a[i])",
              LOAD + ";" + OUT % "(len(i),256)" + ";np.take(a,i,axis=0,out=o,mode='clip')"]),
    Workload("gather, random rows of 16 B", make_rows_16, ["gather", "a.npy", "i.npy"],
             [LOAD + ";np.save('ref.npy',a[i])",
              LOAD + ";" + OUT % "(len(i),4)" + ";np.take(a,i,axis=0,out=o,mode='clip')"]),
    Workload("gather, half of the columns (axis 1)", make_columns, ["gather", "a.npy", "i.npy", "--axis", "1"],
             [LOAD + ";" + OUT % "(len(a),len(i))" + ";np.take(a,i,axis=1,out=o,mode='clip')",
              LOAD + ";np.save('ref.npy',np.take(a,i,axis=1))"]),
    Workload("gathernd, random scalars", make_scalars, ["gathernd", "a.npy", "i.npy"],
             [LOAD + ";np.save('ref.npy',a[i[:,0],i[:,1]])",
              LOAD + ";np.save('ref.npy',np.take(a.reshape(-1),i[:,0]*a.shape[1]+i[:,1],mode='clip'))"]),
    Workload("gathernd, batch_dims 1, rows of 256 B", make_batch, ["gathernd", "a.npy", "i.npy", "--batch-dims", "1"],
             [LOAD + ";" + OUT % "a.shape" + "\nfor k in range(len(a)): np.take(a[k],i[k,:,0],axis=0,out=o[k],mode='clip')"]),
    Workload("gatherelements, axis 0", make_elements(0), ["gatherelements", "a.npy", "i.npy"],
             [LOAD + ";np.save('ref.npy',np.take_along_axis(a,i,0))"]),
    Workload("gatherelements, axis 1", make_elements(1), ["gatherelements", "a.npy", "i.npy", "--axis", "1"],
             [LOAD + ";np.save('ref.npy',np.take_along_axis(a,i,1))",
              LOAD + ";" + OUT % "i.shape" + "\nfor k in range(len(a)): np.take(a[k],i[k],out=o[k],mode='clip')"]),
    Workload("scatterelements, axis 1", make_scatter_axis1,
             ["scatterelements", "a.npy", "i.npy", "u.npy", "--axis", "1"],
             [COPY + ";i=np.load('i.npy',mmap_mode='r');" + UPDATES + ";np.put_along_axis(o,i,u,1)",
              COPY + ";i=np.load('i.npy',mmap_mode='r');" + UPDATES + "\nfor k in range(len(o)): o[k][i[k]]=u[k]"]),
    Workload("scatterelements add, axis 0, duplicates", make_elements(0, True),
             ["scatterelements", "a.npy", "i.npy", "u.npy", "--reduction", "add"],
             [COPY + ";i=np.load('i.npy',mmap_mode='r');" + UPDATES +
              ";np.add.at(o,(i,np.arange(o.shape[1])[None,:]),u)"]),
    Workload("scatternd, rows of 1 KiB", make_scatternd(False), ["scatternd", "a.npy", "i.npy", "u.npy"],
             [COPY + ";i=np.load('i.npy',mmap_mode='r');" + UPDATES + ";o[i[:,0]]=u"]),
    Workload("scatternd add, duplicates", make_scatternd(True),
             ["scatternd", "a.npy", "i.npy", "u.npy", "--reduction", "add"],
             [COPY + ";i=np.load('i.npy',mmap_mode='r');" + UPDATES + ";np.add.at(o,i[:,0],u)"]),
    Workload("broadcast [n,1] to [n,4096]", make_column_and_row, ["broadcast", "a.npy", "--shape", "{n},4096"],
             ["a=np.load('a.npy');" + OUT % "(len(a),4096)" + ";o[:]=a",
              "a=np.load('a.npy');np.save('ref.npy',np.broadcast_to(a,(len(a),4096)))"]),
    Workload("broadcast [1,4096] to [n,4096]", make_column_and_row, ["broadcast", "b.npy", "--shape", "{n},4096"],
             ["a=np.load('b.npy');n=len(np.load('a.npy',mmap_mode='r'));" + OUT % "(n,4096)" + ";o[:]=a"]),
    Workload("add [n,1] + [1,4096]", make_column_and_row, ["add", "a.npy", "b.npy"],
             ["a=np.load('a.npy');b=np.load('b.npy');" + OUT % "(len(a),4096)" + ";np.add(a,b,out=o)",
              "a=np.load('a.npy');b=np.load('b.npy');" + OUT % "(len(a),4096)" +
              "\nfor k in range(0,len(a),64): np.add(a[k:k+64],b,out=o[k:k+64])"]),
    Workload("add, two of one shape", make_two, ["add", "a.npy", "b.npy"],
             [TWO + OUT % "a.shape" + ";np.add(a,b,out=o)"]),
    Workload("equal, two of one shape", make_two, ["equal", "a.npy", "b.npy"],
             [TWO + "o=np.lib.format.open_memmap('ref.npy','w+',bool,a.shape);np.equal(a,b,out=o)"]),
    Workload("max, two of one shape", make_two, ["max", "a.npy", "b.npy"],
             [TWO + OUT % "a.shape" + ";np.maximum(a,b,out=o)"]),
    Workload("gather, random rows of 64 B of a big-endian file", make_big_endian, ["gather", "a.npy", "i.npy"],
             [LOAD + ";np.save('ref.npy',a[i].astype('<f4'))"]),
    Workload("gather, random rows of a Fortran file", make_fortran, ["gather", "a.npy", "i.npy"],
             [LOAD + ";np.save('ref.npy',np.ascontiguousarray(a[i]))",
              LOAD + ";np.save('ref.npy',np.take(a,i,axis=0))"]),
    Workload("add, two Fortran files", make_fortran, ["add", "a.npy", "b.npy"],
             [TWO + OUT % "a.shape" + ";np.add(a,b,out=o)", TWO + "np.save('ref.npy',np.ascontiguousarray(a+b))"]),
]

# float16 against float32: sums of float16 are accumulated in float32 and rounded once.
for dtype in ("float32", "float16"):
    for targets in (4 << 20, 64):
        for reduction, end in (("add", "w"), ("mean", "w/(1+np.bincount(i,minlength=len(a))).astype('f4')")):
            WORKLOADS.append(Workload(
                "scatterelements %s, %s, 16 M into %d" % (reduction, dtype, targets), make_sums(dtype, targets),
                ["scatterelements", "a.npy", "i.npy", "u.npy", "--reduction", reduction],
                [LOAD + ";" + UPDATES + ";w=a.astype('f4');np.add.at(w,i,u.astype('f4'));np.save('ref.npy',(" + end +
                 ").astype(a.dtype))"]))

for elements, dtype, numpy in ((json_floats, "float32", "np.float32"), (json_doubles, "float64", "np.float64"),
                               (json_integers, "int64", "np.int64"), (json_strings, "string", "str")):
    parsers = [parser for parser in ("json", "ujson") if importlib.util.find_spec(parser)]
    for threads in ("2", "1"):
        WORKLOADS.append(Workload(
            "JSON %s to NPY, %s" % (dtype, "one thread" if threads == "1" else "two threads"), make_json(elements),
            ["convert", "a.json", "--dtype", dtype, "--threads", threads],
            ["import %s as j;np.save('ref.npy',np.array(j.load(open('a.json')),dtype=%s))" % (parser, numpy)
             for parser in parsers]))

# Metadata of 6 MB: plain, and JSON in a JSON string, as programs that train adapters write it. The second row may take
# 1.5 times the first.
for name, text in (("plain text", "a"), ("escapes", '\\"key\\":\\"value\\",')):
    WORKLOADS.append(Workload(
        "safetensors header of 6 MB of %s, one element" % name, make_metadata(text), ["gather", "a.safetensors", "[0]"],
        ["import json;b=open('a.safetensors','rb').read();n=int.from_bytes(b[:8],'little');json.loads(b[8:8+n]);"
         "np.save('ref.npy',np.frombuffer(b,'u1',1,8+n))"]))

# Each peer in rows of its own. pandas rounds as tensorop does only when it is told to.
for name, make, file, columns, dtype in (("column of int64", make_table, "a.txt", "", "np.int64"),
                                         ("CSV of float64, 10 columns", make_csv, "a.csv", ",delimiter=','", "float")):
    peers = {"np.loadtxt": "np.save('ref.npy',np.loadtxt('%s'%s,dtype=%s))" % (file, columns, dtype)}
    if importlib.util.find_spec("pandas"):
        peers["pandas"] = ("import pandas;a=pandas.read_csv('%s',header=None,float_precision='round_trip').to_numpy();"
                           "np.save('ref.npy',np.ascontiguousarray(a[:,0] if a.shape[1]==1 else a))" % file)
    for peer, spelling in peers.items():
        for threads in ("2", "1"):
            WORKLOADS.append(Workload(
                "%s to NPY, %s, %s" % (name, "one thread" if threads == "1" else "two threads", peer), make,
                ["convert", file, "--threads", threads], [spelling]))

for dtype in ("float32", "float16", "bfloat16"):
    widened = ";a=(a.view('u2').astype('u4')<<16).view('f4')" if dtype == "bfloat16" else ""
    WORKLOADS.append(Workload(
        "NPY to JSON, %s" % dtype, make_floats(dtype), ["convert", "a.npy", "--format", "nested"],
        ["import json;a=np.load('a.npy')" + widened + ";json.dump(a.tolist(),open('ref.json','w'))"],
        output="out.json", compare=dtype))


for source, target in (("float32", "float16"), ("float64", "float16"), ("float32", "int8"), ("float32", "int32"),
                       ("int64", "int32"), ("float64", "float32"), ("float16", "float32")):
    WORKLOADS.append(Workload(
        "convert, %s to %s" % (source, target), make_numbers(source), ["convert", "a.npy", "--dtype", target],
        ["a=np.load('a.npy',mmap_mode='r');np.save('ref.npy',a.astype('%s'))" % target,
         "a=np.load('a.npy',mmap_mode='r');o=np.lib.format.open_memmap('ref.npy','w+',np.dtype('%s'),a.shape);"
         "np.copyto(o,a,casting='unsafe')" % target]))


def timed(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def spawned(command, times):
    """Seconds a run, of many runs one after the other, started as cheaply as a shell would."""
    start = time.perf_counter()
    for _ in range(times):
        _, status = os.waitpid(os.posix_spawn(command[0], command, os.environ), 0)
        assert status == 0
    return (time.perf_counter() - start) / times


def peak_memory(command):
    """Peak private and mapped pages in MiB, sampled from /proc while the command runs."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    private = mapped = 0
    while process.poll() is None:
        try:
            with open("/proc/%d/status" % process.pid) as f:
                fields = dict(line.split(":", 1) for line in f)
            private = max(private, int(fields["RssAnon"].split()[0]))
            mapped = max(mapped, int(fields["RssFile"].split()[0]) + int(fields["RssShmem"].split()[0]))
        except (OSError, KeyError, ValueError):
            pass
        time.sleep(0.001)
    return private / 1024, mapped / 1024


def equal(workload):
    if workload.compare == "bytes":
        return subprocess.run(["cmp", "-s", "out.npy", "ref.npy"]).returncode == 0
    values = []
    for name in ("out.json", "ref.json"):
        with open(name) as f:
            numbers = np.array(json.load(f), np.float16 if workload.compare == "float16" else np.float32)
        values.append(bfloat16_bits(numbers) if workload.compare == "bfloat16" else numbers)
    return np.array_equal(*values)


def remove(*names):
    for name in names:
        if os.path.exists(name):
            os.remove(name)


def measure(workload, binary, before, runs, scale):
    rng = np.random.default_rng(1)
    workload.make(rng, scale)
    n = np.load("a.npy", mmap_mode="r").shape[0] if os.path.exists("a.npy") else 0
    ours = [binary] + [arg.format(n=n) for arg in workload.args] + ["-o", workload.output]
    spellings = [[PYTHON, "-c", "import numpy as np\n" + text] for text in workload.numpy]
    reference = "ref.npy" if workload.compare == "bytes" else "ref.json"
    binaries = {"tensorop": ours}
    # A binary of before may not have the operation.
    if before and subprocess.run([before] + ours[1:], capture_output=True).returncode == 0:
        binaries["before"] = [before] + ours[1:]
    times = {name: [] for name in [*binaries, "floor"]}
    best_numpy = [[] for _ in spellings]
    same = True
    tiny = workload.make is make_tiny
    for run in range(runs):
        # Whoever goes first in a run goes last in the next.
        for name in list(binaries)[::1 if run % 2 else -1]:
            remove(workload.output)
            times[name].append(spawned(binaries[name], 1000) if tiny else timed(binaries[name]))
        for k, spelling in enumerate(spellings):
            remove(reference)
            best_numpy[k].append(timed(spelling))
        if run == 0:
            same = equal(workload)
        remove("floor")
        times["floor"].append(spawned(["/bin/true"], 1000) if tiny else timed(["cp", workload.output, "floor"]))
    remove(workload.output)
    memory = peak_memory(ours)
    result = os.path.getsize(workload.output) / 2**20
    return {
        "name": workload.name,
        "tensorop": statistics.median(times["tensorop"]),
        "numpy": min(statistics.median(t) for t in best_numpy),
        "floor": statistics.median(times["floor"]),
        "before": statistics.median(times["before"]) if "before" in binaries else None,
        "private": memory[0],
        "mapped": memory[1],
        "result": result,
        "equal": same,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--size", choices=["small", "full"], default="small")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--before", help="another tensorop to compare with, such as the last release")
    parser.add_argument("--limit", type=float, help="with --before: it fails where a workload takes more than LIMIT times as long")
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--dir", help="where the files go (default: the temporary directory)")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    before_binary = options.before and os.path.abspath(options.before)
    scale = 1 if options.size == "full" else 16
    workloads = [workload for workload in WORKLOADS if options.only in workload.name]
    if not workloads:
        parser.error(f"no workload has {options.only} in its name")
    print("| workload | tensorop s | NumPy s | floor s | NumPy / tensorop | tensorop / floor | private MiB | mapped MiB "
          + "| result MiB |" + (" tensorop / before |" if before_binary else ""))
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |" + (" --- |" if before_binary else ""))
    failed = 0
    for workload in workloads:
        folder = tempfile.mkdtemp(prefix="tensorop-bench-", dir=options.dir)
        before = os.getcwd()
        os.chdir(folder)
        try:
            r = measure(workload, binary, before_binary, options.runs, scale)
        finally:
            os.chdir(before)
            shutil.rmtree(folder)
        ratio = r["tensorop"] / r["before"] if r["before"] else None
        failed += not r["equal"] or (ratio is not None and options.limit is not None and ratio > options.limit)
        print("| %s%s | %.4f | %.3f | %.4f | %.1f | %.2f | %.1f | %.0f | %.1f |" % (
            r["name"], "" if r["equal"] else " (RESULTS DIFFER)", r["tensorop"], r["numpy"], r["floor"],
            r["numpy"] / r["tensorop"], r["tensorop"] / r["floor"], r["private"], r["mapped"], r["result"])
            + ("" if not before_binary else
               " %.2f |" % ratio if ratio else " |"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
