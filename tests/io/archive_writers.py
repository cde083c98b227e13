#!/usr/bin/env python3
"""Rounds of four processes that write arrays of one archive at the same time: -o ARCHIVE:NAME, convert --replace, and
shards through an index, some of them killed. What a process has written is there at the end if it exited with 0, and
no array that was there before is missing. Files are read by NumPy, and by a reader of safetensors that is written here.

usage: archive_writers.py BINARY [ROUNDS]"""
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED

NAMES = "wxyz"
SHARDS = {"w": "p-1.safetensors", "x": "p-1.safetensors", "y": "p-2.safetensors", "z": "p-2.safetensors"}


def write_safetensors(path, arrays):
    head, data = {}, b""
    for name, values in arrays.items():
        raw = np.asarray(values, "<f4").tobytes()
        head[name] = {"dtype": "F32", "shape": [len(values)], "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    with open(path, "rb") as file:
        raw = file.read()
    begin = 8 + struct.unpack("<Q", raw[:8])[0]
    head = json.loads(raw[8:begin])
    head.pop("__metadata__", None)
    out = {}
    for name, array in head.items():
        first, last = array["data_offsets"]
        assert array["dtype"] == "F32" and begin + last <= len(raw)
        out[name] = np.frombuffer(raw[begin + first:begin + last], "<f4").reshape(array["shape"])
    return out


def make_old(kind, path, folder):
    old = {name: [float(i)] * 3 for i, name in enumerate(NAMES)}
    if kind == "npz":
        np.savez(path, **{name: np.float32(values) for name, values in old.items()})
    elif kind == "safetensors":
        write_safetensors(path, old)
    else:
        for shard in set(SHARDS.values()):
            write_safetensors(os.path.join(folder, shard), {n: old[n] for n in NAMES if SHARDS[n] == shard})
        with open(path, "w") as file:
            json.dump({"weight_map": SHARDS}, file)


def read_arrays(kind, path, folder):
    if kind == "index":
        return {k: v for s in set(SHARDS.values()) for k, v in read_safetensors(os.path.join(folder, s)).items()}
    if not os.path.exists(path):
        return {}
    return dict(np.load(path)) if kind == "npz" else read_safetensors(path)


def run_round(kind, binary, folder, rng, counts):
    path = os.path.join(folder, {"npz": "m.npz", "safetensors": "m.safetensors"}.get(kind, "m.safetensors.index.json"))
    is_new = kind != "index" and rng.random() < 0.25
    if not is_new:
        make_old(kind, path, folder)
    processes = []
    for name in NAMES:
        value = rng.randrange(10, 1000000) / 4
        array = json.dumps({"dtype": "float32", "data": [value] * 3})
        if not is_new and rng.random() < 0.5:
            file = os.path.join(folder, SHARDS[name]) if kind == "index" else path
            command = [binary, "convert", file, name + "=" + array, "--replace", "-o", file]
        else:
            command = [binary, "add", array, '{"dtype":"float32","data":0}', "-o", path + ":" + name]
        processes.append((name, value, subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)))
    if rng.random() < 0.3:
        time.sleep(rng.random() * 0.006)  # a moment of the processes' lives
        rng.choice(processes)[2].kill()
    written = {}
    for name, value, process in processes:
        errors = process.communicate()[1].decode()
        counts[process.returncode] = counts.get(process.returncode, 0) + 1
        if process.returncode == 0:
            written[name] = value
        elif process.returncode == 2:
            # The one case of a refusal: the archive did not exist, and another process created it.
            assert is_new and "was created by another process" in errors, errors
        else:
            assert process.returncode == -9, errors
    arrays = read_arrays(kind, path, folder)
    if not is_new:
        assert set(arrays) == set(NAMES), (kind, sorted(arrays))
    for name, value in written.items():
        assert name in arrays and (arrays[name] == value).all(), (kind, name, value, arrays.get(name))


def main():
    binary = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    print(f"TENSOROP_SEED={SEED}")
    rng = random.Random(SEED)
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    for kind in ("npz", "safetensors", "index"):
        counts, start = {}, time.time()
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(dir=base) as folder:
                run_round(kind, binary, folder, rng, counts)
        print(kind, rounds, "rounds, exit statuses", counts, "%.1f s" % (time.time() - start), flush=True)


main()
