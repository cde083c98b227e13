#!/usr/bin/python3
"""The same operand as NPY, as TensorProto and as safetensors.

    tests/bench/formats.py build/release/apps/tensorop/tensorop [--mib 1024] [--runs 9]

float32 in the page cache, each command on each format in turn: the median of each format, and relative to NPY. The
elements of the TensorProto begin at an odd address. Results are compared byte for byte.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np

FILES = ("a.npy", "a.pb", "a.safetensors")


def make(binary, mib):
    rng = np.random.default_rng(1)
    rows = mib << 10
    np.save("data.npy", rng.standard_normal((rows, 256), dtype=np.float32))
    np.save("rows.npy", rng.integers(0, rows, rows // 2))
    np.save("mask.npy", rng.random((rows, 1)) < 0.5)
    for name in FILES:
        subprocess.run([binary, "convert", "data.npy", "-o", "written-" + name], check=True)
        # How a file was written decides how large its pages in the page cache are, and with them what mapping costs:
        # all files are written by cp.
        subprocess.run(["cp", "written-" + name, name], check=True)
        os.unlink("written-" + name)
    assert open("a.pb", "rb").read(64).index(open("a.npy", "rb").read(136)[128:]) % 2 == 1
    os.sync()


def commands(name):
    yield "gather, half of the rows", ["gather", name, "rows.npy"]
    yield "add a scalar", ["add", name, "[1.5]"]
    yield "where", ["where", "mask.npy", name, "[0.0]"]
    yield "scatterelements of one element", ["scatterelements", name, "[[5]]", "[[2.5]]"]
    yield "convert to float16", ["convert", name, "--dtype", "float16"]
    yield "convert to NPY", ["convert", name]
    yield "compare", ["compare", name, "data.npy"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        os.chdir(folder)
        make(binary, options.mib)
        print("| %d MiB of float32 | NPY s | TensorProto | safetensors |\n| --- | --- | --- | --- |" % options.mib)
        for rows in zip(*(commands(name) for name in FILES)):
            times = [[] for _ in FILES]
            for _ in range(options.runs):
                for own, (what, words) in zip(times, rows):
                    if os.path.exists("out.npy"):
                        os.unlink("out.npy")
                    output = [] if words[0] == "compare" else ["-o", "out.npy"]
                    start = time.perf_counter()
                    subprocess.run([binary, *words, *output, "-q"], check=True)
                    own.append(time.perf_counter() - start)
                    if output and own is times[0] and len(own) == 1:
                        os.rename("out.npy", "expected.npy")
                    elif output and len(own) == 1:
                        subprocess.run(["cmp", "out.npy", "expected.npy"], check=True)
            npy, *others = (statistics.median(own) for own in times)
            print("| %s | %.3f | %s |" % (what, npy, " | ".join("%.2f" % (other / npy) for other in others)), flush=True)


if __name__ == "__main__":
    main()
