#!/usr/bin/python3
"""Deflating and inflating archives, beside NumPy.

    tests/bench/archives.py build/release/apps/tensorop/tensorop [--mib 256] [--runs 3] [--before BINARY]

Three kinds of arrays, in the page cache: random float32, a smooth float32 field, and int64 indices. np.savez_compressed,
tensorop on one thread and on all, and with --before another tensorop on all threads, take turns; the medians are
printed, with the size of the archive relative to that of NumPy. Then the archives that tensorop and NumPy wrote are
read into NPY files, and stored archives too. Every result is compared byte for byte. At last an archive of 16 random
arrays that NumPy wrote is converted as a whole, and compared with what that gave; NumPy loads it and saves it.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np


def arrays(mib):
    rng = np.random.default_rng(1)
    count = mib << 18
    yield "random float32", rng.standard_normal(count, dtype=np.float32)
    t = np.linspace(0, 2000, count, dtype=np.float64)
    yield "smooth float32", (np.sin(t) * 10 + np.sin(t * 0.37)).astype(np.float32)
    yield "int64 indices", rng.integers(0, 100_000, count // 2)


def timed(command):
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def measure(contestants, runs, check):
    """Medians of {name: (output, command)}, which take turns."""
    times = {name: [] for name in contestants}
    for _ in range(runs):
        for name, (output, command) in contestants.items():
            if os.path.exists(output):
                os.unlink(output)
            times[name].append(timed(command))
    for name, (output, _) in contestants.items():
        check(name, output)
    return {name: statistics.median(own) for name, own in times.items()}


def row(what, times, more=""):
    print("  %-10s %s%s" % (what, "  ".join("%s %.3f s" % item for item in times.items()), more), flush=True)


def numpy_command(code):
    return [sys.executable, "-c", "import numpy as np;" + code]


def is_same(first, second):
    if subprocess.run(["cmp", "-s", first, second]).returncode != 0:
        sys.exit("%s and %s differ" % (first, second))


def measure_many(binary, programs, mib, runs):
    """An archive of 16 arrays of `mib` MiB in all."""
    print("16 arrays of random float32, %d MiB" % mib)
    rng = np.random.default_rng(1)
    np.savez_compressed("many.npz",
                        **{"a%02d" % i: rng.standard_normal(mib << 14, dtype=np.float32) for i in range(16)})
    for ending, load in (("npz", "np.savez('numpy.npz',**np.load('many.npz'))"),
                         ("safetensors", "z=np.load('many.npz');[z[k] for k in z.files];open('numpy.safetensors','w')")):
        contestants = {name: ("out%d.%s" % (i, ending),
                              [own[0], "convert", "many.npz", "-o", "out%d.%s" % (i, ending), *own[1:], "-q"])
                       for i, (name, own) in enumerate(programs.items())}
        contestants["NumPy" if ending == "npz" else "np.load alone"] = ("numpy." + ending, numpy_command(load))

        def check(_, output):
            if not output.startswith("numpy"):
                subprocess.run([binary, "compare", "-q", output, "many.npz"], check=True)

        row("to " + ending, measure(contestants, runs, check))
    for what, other in (("compare", "out0.safetensors"), ("with itself", "many.npz")):
        contestants = {name: ("none", [own[0], "compare", "many.npz", other, *own[1:], "-q"])
                       for name, own in programs.items()}
        row(what, measure(contestants, runs, lambda *_: None))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--mib", type=int, default=256)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--before")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    all_threads = str(len(os.sched_getaffinity(0)))
    programs = {"one thread": [binary, "--threads", "1"], all_threads + " threads": [binary, "--threads", all_threads]}
    if options.before:
        programs["before"] = [os.path.abspath(options.before), "--threads", all_threads]

    def tensorop(output, *words):
        return {name: (output % i, [own[0], "convert", *words, "-o", output % i, *own[1:], "-q"])
                for i, (name, own) in enumerate(programs.items())}

    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        os.chdir(folder)
        for name, array in arrays(options.mib):
            print("%s, %d MiB" % (name, array.nbytes >> 20))
            np.save("a.npy", array)
            del array
            contestants = tensorop("out%d.npz", "a.npy", "--compress")
            contestants["NumPy"] = ("numpy.npz", numpy_command("np.savez_compressed('numpy.npz',a=np.load('a.npy'))"))

            def check_archive(_, output):
                subprocess.run([binary, "compare", "-q", "--nan-unequal", output + ":a", "a.npy"], check=True)

            times = measure(contestants, options.runs, check_archive)
            is_same("out0.npz", "out1.npz")
            size = os.path.getsize("out0.npz") / os.path.getsize("numpy.npz")
            row("deflate", times, "  size %.4f of NumPy's" % size)
            subprocess.run([binary, "convert", "a.npy", "-o", "stored.npz"], check=True)
            for what, archive in (("inflate", "out0.npz"), ("inflate NumPy's", "numpy.npz"), ("stored", "stored.npz")):
                contestants = tensorop("out%d.npy", archive)
                contestants["NumPy"] = (
                    "numpy.npy", numpy_command("np.save('numpy.npy',np.load('%s')['a'])" % archive))
                row(what, measure(contestants, options.runs, lambda _, output: is_same(output, "a.npy")))
        measure_many(binary, programs, options.mib, options.runs)


if __name__ == "__main__":
    main()
