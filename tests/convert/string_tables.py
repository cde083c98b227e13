#!/usr/bin/python3
"""Holds text tables of strings to Python's csv module, and `lookup` of strings to dictionaries and NumPy: tables that
tensorop writes are read by both as the same strings; what csv writes is read by tensorop; rows by names, some of them
unknown, and means by group.

    /usr/bin/python3 tests/convert/string_tables.py path/to/tensorop

The last line is "N passed, N failed".
"""

import csv
import io
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, run_program

PIECES = ["a", "b", "Zoë", "€", "7", "-1.5", "nan", "true", " ", "\t", ",", ";", '"', '""', "\n", "\r", "\r\n", "#", "[",
          "{", "<!", "\ufeff", "'", "\\", "\x01", "BZh", "PK", "version https://git-lfs"]


def random_strings(rng):
    return ["".join(rng.choice(PIECES, rng.integers(0, 5))) for _ in range(rng.integers(1, 9))]


def strings_of(program, *words):
    done = program.run("convert", *words)
    tensor = json.loads(done.stdout) if done.returncode == 0 else {}
    return tensor["data"] if tensor.get("dtype") == "string" else done.stderr


def check_written(program, rng):
    strings = random_strings(rng)
    (program.folder / "x.json").write_text(json.dumps({"dtype": "string", "data": strings}))
    for ending in ["txt", "csv", "tsv"]:
        program.run("convert", "x.json", "-o", f"x.{ending}")
        read = strings_of(program, f"x.{ending}", "--dtype", "string")
        program.check(f"strings as {ending}", read == strings, (strings, read))
        if ending == "txt":
            continue
        text = (program.folder / f"x.{ending}").read_bytes().decode()
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="," if ending == "csv" else "\t"))
        program.check(f"csv reads {ending}", rows == [[string] for string in strings], (strings, text))
    for ending in ["txt", "csv", "tsv"]:
        if not all(string.isascii() and string.isdigit() for string in strings):
            program.check(f"strings as {ending}, without an option", strings_of(program, f"x.{ending}") == strings, strings)
    # What begins a file may be in quotes because it begins another format, and numbers are.
    plain = [string for string in strings[1:]
             if string.isalnum() and not string.isdigit() and string not in ("nan", "true")]
    lines = (program.folder / "x.csv").read_bytes().decode().split("\n")
    program.check("no needless quotes", all(string in lines for string in plain), (strings, lines))


def check_read(program, rng):
    # csv does not know comments, and quotes no blanks.
    strings = ["x"] + [string for string in random_strings(rng) if string.strip(" \t")[:1] not in ("", "#")]
    text = io.StringIO(newline="")
    # csv quotes the characters that end its own lines: with LF it leaves carriage returns as they are.
    quoting, line_end = [(csv.QUOTE_ALL, "\n"), (csv.QUOTE_ALL, "\r\n"), (csv.QUOTE_MINIMAL, "\r\n")][rng.integers(3)]
    csv.writer(text, quoting=quoting, lineterminator=line_end).writerows([string] for string in strings)
    (program.folder / "y.csv").write_bytes(text.getvalue().encode())
    read = strings_of(program, "y.csv", "--dtype", "string")
    program.check("strings of csv", read == strings, (strings, read))


def check_lookup(program, rng):
    keys = list(dict.fromkeys(f"k{number}" for number in rng.integers(0, 60, 40)))
    ids = [f"k{number}" for number in rng.integers(0, 70, rng.integers(0, 100))]
    table = rng.standard_normal((len(keys), 3))
    np.save(program.folder / "table.npy", table)
    (program.folder / "keys.txt").write_text("".join(f"{key}\n" for key in keys))
    (program.folder / "ids.txt").write_text("".join(f"{id}\n" for id in ids))
    done = program.run("lookup", "keys.txt", "ids.txt", "--missing", "drop", "-o", "p.npy")
    place = {key: position for position, key in enumerate(keys)}
    found = [place[id] for id in ids if id in place]
    missing = [number for number, id in enumerate(ids) if id not in place]
    positions = np.load(program.folder / "p.npy")
    program.check("positions", done.returncode == 0 and positions.tolist() == found, (ids, done.stderr))
    lines = []
    if ids and ids[0] == keys[0] and ids.count(ids[0]) == 1:
        lines.append(f"tensorop: warning: keys.txt and ids.txt begin with the line '{ids[0]}': if it is a header, --column "
                     f"'{ids[0]}' takes the column below it")
    lines += [f'tensorop: warning: ids.txt: ids[{number}] = "{ids[number]}" is not among keys (keys.txt)'
             for number in missing[:20]]
    if len(missing) > 20:
        more = len(missing) - 20
        lines.append(f"tensorop: warning: ids.txt: {more} more id{'s are' if more > 1 else ' is'} not among keys (keys.txt)")
    program.check("what is missing", done.stderr.splitlines() == lines, done.stderr)
    program.run("gather", "table.npy", "p.npy", "-o", "rows.npy")
    program.check("rows", np.array_equal(np.load(program.folder / "rows.npy"), table[found].reshape(-1, 3)))
    check_columns(program, rng, keys, ids, table)


# Missing rows are zeros, as docs/ops/positions.md shows; keys and ids are columns of CSV files.
def check_columns(program, rng, keys, ids, table):
    for name, names in [("users", keys), ("wanted", ids)]:
        rows = [["n, of it", "id"]] + [[f'{rng.integers(9)}, "x"', id] for id in names]
        with open(program.folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file, lineterminator=["\n", "\r\n"][rng.integers(2)]).writerows(rows)
    done = program.run("lookup", "users.csv", "wanted.csv", "--column", "id", "--missing", "none", "-o", "all.npy")
    program.check("columns", done.returncode == 0, done.stderr)
    place = {key: position for position, key in enumerate(keys)}
    positions = [place.get(id, 2**63 - 1) for id in ids]
    program.check("positions of none", np.load(program.folder / "all.npy").tolist() == positions, positions)
    program.run("gather", "table.npy", "all.npy", "--oob", "zero", "-o", "rows.npy")
    program.run("gather", "table.npy", "all.npy", "--oob", "fill", "--fill-value", "7.5", "-o", "filled.npy")
    program.run("scatterupdate", "table.npy", "all.npy", "rows.npy", "--reduction", "add", "--oob", "drop", "-o", "sums.npy")
    known = np.array([id in place for id in ids], bool)[:, None]
    rows = table[[place.get(id, 0) for id in ids]].reshape(-1, 3)
    sums = table.copy()
    np.add.at(sums, [place[id] for id in ids if id in place], rows[known[:, 0]])
    for name, wanted in [("rows", np.where(known, rows, 0)), ("filled", np.where(known, rows, 7.5)), ("sums", sums)]:
        program.check(f"missing ids: {name}", np.array_equal(np.load(program.folder / f"{name}.npy"), wanted), (keys, ids))


def check_means(program, rng):
    count = int(rng.integers(1, 200))
    groups = rng.choice(["north", "south", "east, west", 'the "centre"'], count)
    values = rng.integers(-1000, 1000, count) / 8
    names, group = np.unique(groups, return_inverse=True)
    for name, strings in [("groups", groups), ("names", names)]:
        with open(program.folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([string] for string in strings)
    np.savetxt(program.folder / "values.txt", values)
    np.save(program.folder / "zeros.npy", np.zeros(len(names)))
    program.run("lookup", "names.csv", "groups.csv", "-o", "group.npy")
    program.check("groups", np.array_equal(np.load(program.folder / "group.npy"), group.reshape(-1)))
    program.run("scatterupdate", "zeros.npy", "group.npy", "values.txt", "--reduction", "mean", "--use-init-val", "false",
                "-o", "means.npy")
    means = np.bincount(group.reshape(-1), values) / np.bincount(group.reshape(-1))
    program.check("means", np.array_equal(np.load(program.folder / "means.npy"), means))


def check_all(program):
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        check_written(program, rng)
        check_read(program, rng)
    for _ in range(10):
        check_lookup(program, rng)
        check_means(program, rng)


if __name__ == "__main__":
    run_program(check_all)
