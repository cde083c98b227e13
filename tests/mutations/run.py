#!/usr/bin/env python3
"""Shows what the test suite notices: puts small faults into src and apps, one at a time, and runs the tests.

  run.py [--suite DIR] --work DIR [--only N,N-N,... | --share K/N] [--all] [--again] [--seconds N] [--jobs N]
         [--cmake OPTION]...
  run.py [--suite DIR] --places

faults.txt lists the faults. All of them are built into one copy of the source tree DIR (by default the one that this
file is in), each beside the original text; the environment variable TENSOROP_FAULT chooses the one that acts. The
suite runs once without a fault, which tells how long each test takes and which faults it reaches. Then for each fault
the tests that reach it run, those of its file and the fastest first, until one fails or hangs: the fault is caught;
or until they have taken N seconds (90), and then the scripts
and ranks whole (TENSOROP_NIGHTLY=1), for twice as long. A test that fails without a fault is named and left out. WORK keeps the copy,
the build and result.tsv (number, verdict, test, seconds, description); a second run builds only what has
changed. --again takes what the run before found out about the tests. --only looks at some faults, --share
K/N at every N-th from the K-th on, by files: N shares are all. Random tests draw from TENSOROP_SEED, by default 1. Exit status 1: a fault is not
caught. Where there is mpirun, tensorop-mpi and its tests are among the programs.

--all does not stop at the first test that fails. It adds to WORK/matrix.tsv (number, tests that kill the fault, other
tests that ran, each list separated by " | ") and prints which few tests kill what all kill (a greedy cover of the whole
file; without --again the file begins anew), and all others with the number of faults that they kill and met: these
kill nothing alone.

faults.txt: a line "file PATH", then faults of three lines: number and description, "- " original text, "+ " changed
text. The original must occur once in the file, blanks, line breaks and comments do not count. One that ends with ; is
statements without declarations, any other one a whole expression. --places only shows which originals do not occur once
or are neither; its last line is "N passed, N failed".

But for --places not part of the test run: it takes a build and some minutes to an hour, by the number of faults that are
not caught.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 20  # seconds, for a test that takes less than a fifth of it
LEFT_OUT = {".git", "build", "mutations"}

FAULT_HEADER = """\
// Made by tests/mutations/run.py. Whether fault `number` acts; notes in the file TENSOROP_FAULT_LOG, at the byte of its
// number, that it was asked for.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <atomic>
#include <type_traits>
namespace tensorop_faults {
inline std::atomic<bool> is_noted[1000];
inline std::atomic<int> acting{-1};
[[gnu::noinline, gnu::cold]] inline void note(int number) {
  const int reason = errno;
  const char* const given = ::getenv("TENSOROP_FAULT");
  acting = given == nullptr ? 0 : ::atoi(given);
  const char* const log = ::getenv("TENSOROP_FAULT_LOG");
  const int fd = log == nullptr ? -1 : ::open(log, O_WRONLY | O_CLOEXEC);
  if (fd >= 0) {
    if (::pwrite(fd, "x", 1, number) < 0) errno = 0;
    ::close(fd);
  }
  is_noted[number] = true;
  errno = reason;
}
}  // namespace tensorop_faults
constexpr bool tensorop_fault(int number) {
  if (std::is_constant_evaluated()) return false;
  if (!tensorop_faults::is_noted[number].load(std::memory_order_relaxed)) tensorop_faults::note(number);
  return tensorop_faults::acting.load(std::memory_order_relaxed) == number;
}
"""


def read_faults(path):
    faults = []
    file = None
    for line in path.read_text().splitlines():
        if line.startswith("file "):
            file = line[5:]
        elif line.startswith("- "):
            faults[-1]["original"] = line[2:]
        elif line.startswith("+"):
            faults[-1]["changed"] = line[1:].strip()
        elif line:
            number, description = line.split(" ", 1)
            faults.append({"number": int(number), "file": file, "description": description})
    assert len({fault["number"] for fault in faults}) == len(faults), "a number stands twice"
    return faults


def kind_of(text):
    """"statements", "expression" or "neither", by brackets, and by the words and operators at the ends."""
    text = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', "0", text).replace("::", "")
    before = None
    while before != text:
        before = text
        text = re.sub(r"\([^][(){}]*\)|\[[^][(){}]*\]|\{[^][(){}]*\}", "0", text)
    if re.search(r"[][(){}]", text):
        return "neither"
    if text == "" or text.endswith(";"):
        return "neither" if re.match(r"(const |constexpr )?\w+ \w+ = ", text) else "statements"
    if re.search(r"^(if|for|while|switch|case|return|throw|else|const)\b|\breturn$", text) or re.match(r"\w+ \w+ =", text):
        return "neither"
    if ";" in text or text.count("?") != text.count(":") or re.search(r"^[|/<>=.,?]|[&|*/+<>=?,.]$", text):
        return "neither"
    return "expression"


def pattern_of(text):
    tokens = re.findall(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|[^\w\s]', text)
    body = r"\s*(?://[^\n]*\s*)*".join(re.escape(token) for token in tokens)
    return re.compile((r"(?<!\w)" if re.match(r"\w", text) else "") + body + (r"(?!\w)" if text[-1].isalnum() else ""))


def switched(fault, original):
    number, changed = fault["number"], fault["changed"]
    if fault["original"].endswith(";"):
        return f"{{ if (::tensorop_fault({number})) {{ {changed} }} else {{ {original} }} }}"
    return f"(::tensorop_fault({number}) ? ({changed}) : ({original}))"


def with_faults(text, faults):
    """The text with the faults; faults without a place in it get a verdict."""
    places = []
    for fault in faults:
        found = list(pattern_of(fault["original"]).finditer(text))
        kind = kind_of(fault["original"])
        if kind == "neither" or kind_of(fault["changed"]) != kind:
            fault["verdict"] = "NO EXPRESSION"
        elif len(found) != 1:
            fault["verdict"] = f"NO PLACE ({len(found)})"
        elif kind == "statements" and not re.search(r"([;:{})]|\belse|//[^\n]*)\s*$", text[:found[0].start()]):
            fault["verdict"] = "NO STATEMENT"
        else:
            places.append((found[0].start(), found[0].end(), fault))
    places.sort(key=lambda place: place[0], reverse=True)
    end = len(text)
    for begin, stop, fault in places:
        assert stop <= end, f"fault {fault['number']} overlaps another one"
        text = text[:begin] + switched(fault, text[begin:stop]) + text[stop:]
        end = begin
    return "#include <tensorop_fault.hpp>\n" + text


def copy_tree(suite, copy, faults):
    by_file = {fault["file"]: [other for other in faults if other["file"] == fault["file"]] for fault in faults}
    wanted = set()
    for folder, folders, files in os.walk(suite):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in files:
            path = pathlib.Path(folder, name)
            relative = path.relative_to(suite)
            target = copy / relative
            wanted.add(target)
            content = path.read_bytes()
            if str(relative) in by_file:
                content = with_faults(content.decode(), by_file.pop(str(relative))).encode()
            if target.is_file() and target.read_bytes() == content:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            shutil.copymode(path, target)
    for fault in faults:
        if fault["file"] in by_file:
            fault["verdict"] = "NO FILE"
    for path in copy.rglob("*"):
        if path.is_file() and path not in wanted:
            path.unlink()


def check_places(suite, faults):
    """Whether each fault has its place in the sources."""
    for name in sorted({fault["file"] for fault in faults}):
        of_file = [fault for fault in faults if fault["file"] == name]
        if (suite / name).is_file():
            with_faults((suite / name).read_text(), of_file)
        else:
            for fault in of_file:
                fault["verdict"] = "NO FILE"
    lost = [fault for fault in faults if "verdict" in fault]
    for fault in lost:
        print(fault["number"], fault["verdict"], f"{fault['file']}: {fault['original']}", sep="\t")
    print(f"{len(faults) - len(lost)} passed, {len(lost)} failed")
    return 1 if lost else 0


def build(work, options):
    header = work / "include" / "tensorop_fault.hpp"
    header.parent.mkdir(exist_ok=True)
    if not header.is_file() or header.read_text() != FAULT_HEADER:
        header.write_text(FAULT_HEADER)
    with_mpi = "ON" if shutil.which("mpirun") else "OFF"
    subprocess.run(["cmake", "--preset", "release", "-B", work / "build", "-DTENSOROP_HARDENED=OFF",
                    f"-DTENSOROP_MPI={with_mpi}",
                    "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", f"-DCMAKE_CXX_FLAGS=-w -I{header.parent}", *options],
                   cwd=work / "copy", check=True, stdout=subprocess.DEVNULL)
    built = subprocess.run(["cmake", "--build", work / "build"], capture_output=True, text=True)
    if built.returncode != 0:
        sys.exit(built.stdout[-4000:] + built.stderr)


def list_tests(work):
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=work / "build", check=True, capture_output=True)
    tests = {}
    for test in json.loads(listed.stdout)["tests"]:
        properties = {one["name"]: one["value"] for one in test["properties"]}
        command = test["command"]
        if pathlib.Path(command[0]).name.endswith("_tests"):
            command = [*command, "--abort"]
        tests[test["name"]] = {"whole": bool({"script", "mpi"} & set(properties.get("LABELS", []))), "command": command, "folder": properties.get("WORKING_DIRECTORY", str(work / "build")),
                               "environment": properties.get("ENVIRONMENT", [])}
    return tests


def run_test(test, fault, log=None, whole=False):
    """Whether the test passes, and its seconds. `whole` is how it runs at night."""
    environment = {**os.environ, **dict(one.split("=", 1) for one in test["environment"]),
                   "TENSOROP_FAULT": str(fault), "TENSOROP_FAULT_LOG": str(log or "")}
    environment.setdefault("TENSOROP_SEED", "1")
    environment["TENSOROP_NIGHTLY"] = "1" if whole else "0"
    start = time.monotonic()
    process = subprocess.Popen(test["command"], cwd=test["folder"], env=environment, start_new_session=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        status = process.wait(600 if whole else max(LIMIT, 5 * test.get("seconds", 100)))
    except subprocess.TimeoutExpired:
        status = None
    try:
        os.killpg(process.pid, signal.SIGKILL)  # and what it has left running
    except ProcessLookupError:
        pass
    process.wait()
    return status == 0, time.monotonic() - start


def look_at_test(work, item):
    name, test = item
    log = work / "logs" / re.sub(r"\W", "_", name)
    log.write_bytes(bytes(1000))
    passes, test["seconds"] = run_test(test, 0, log)
    test["passes"] = passes or run_test(test, 0)[0]  # again: the other worker may have been in its way
    test["reaches"] = [number for number, byte in enumerate(log.read_bytes()) if byte != 0]
    log.unlink()


def order(fault, name, test):
    """The fastest first; those of the same file and of the same folder count as faster."""
    path = pathlib.Path(fault["file"])
    return test["seconds"] * (0.05 if path.stem in name else 0.3 if name.startswith(path.parts[1] + "/") else 1)


def judge(fault, tests, most_seconds, matrix):
    start = time.monotonic()
    reaching = [name for name, test in tests.items() if test["passes"] and fault["number"] in test["reaches"]]
    reaching.sort(key=lambda name: order(fault, name, tests[name]))
    spent = 0
    killers, others = [], []
    for name in reaching:
        spent += tests[name]["seconds"]
        if spent > most_seconds and killers + others:
            break
        # A test that also fails without the fault does not fail because of it.
        fails = not run_test(tests[name], fault["number"])[0] and run_test(tests[name], 0)[0]
        (killers if fails else others).append(name)
        if killers and matrix is None:
            break
    for name in reaching:
        if not killers and tests[name]["whole"] and time.monotonic() - start < 3 * most_seconds:
            fails = not run_test(tests[name], fault["number"], whole=True)[0] and run_test(tests[name], 0, whole=True)[0]
            killers += [name] if fails else []
    fault["seconds"] = time.monotonic() - start
    if killers:
        fault["verdict"], fault["test"] = "caught", killers[0]
    elif not reaching:
        fault["verdict"] = "NOT REACHED"
    else:
        by = "any" if len(others) == len(reaching) else f"{len(others)} of {len(reaching)} tests"
        fault["verdict"], fault["test"] = "NOT CAUGHT", f"by {by}"
    if matrix is not None:
        with open(matrix, "a") as out:
            print(fault["number"], " | ".join(killers), " | ".join(others), sep="\t", file=out)
    print(*row_of(fault), sep="\t", flush=True)


def print_cover(matrix, tests):
    """Which few tests kill what all kill, by the matrix of fault and test."""
    kills, met = {}, {}
    for line in matrix.read_text().splitlines():
        number, *columns = line.split("\t")
        for column, faults in zip(columns, ((kills, met), (met,))):
            for name in filter(None, column.split(" | ")):
                for by_test in faults:
                    by_test.setdefault(name, set()).add(number)
    left = set().union(*kills.values())
    print(f"a cover of {len(left)} faults that are caught:")
    cover = []
    while left:
        cover.append(max(kills, key=lambda name: (len(kills[name] & left), -tests[name]["seconds"])))
        print(len(kills[cover[-1]] & left), cover[-1], sep="\t")
        left -= kills[cover[-1]]
    print("tests that kill nothing alone: faults killed, faults met, seconds:")
    for name in sorted(met.keys() - set(cover), key=lambda name: -tests[name]["seconds"]):
        print(len(kills.get(name, ())), len(met[name]), f"{tests[name]['seconds']:.1f}", name, sep="\t")


def row_of(fault):
    return (fault["number"], fault["verdict"], fault.get("test", ""), f"{fault.get('seconds', 0):.1f}",
            f"{fault['file']}: {fault['description']}")


def numbers_in(text):
    """3,5-7: 3, 5, 6 and 7."""
    spans = [part.split("-") for part in text.split(",")]
    return {number for span in spans for number in range(int(span[0]), int(span[-1]) + 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=pathlib.Path, default=HERE.parent.parent)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--work", type=pathlib.Path)
    mode.add_argument("--places", action="store_true")
    parser.add_argument("--faults", type=pathlib.Path, default=HERE / "faults.txt")
    parser.add_argument("--only", type=numbers_in)
    parser.add_argument("--share", type=lambda text: tuple(map(int, text.split("/"))))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cmake", action="append", default=[])
    arguments = parser.parse_args()
    if arguments.places:
        return check_places(arguments.suite.resolve(), read_faults(arguments.faults))
    work = arguments.work.resolve()
    (work / "logs").mkdir(parents=True, exist_ok=True)

    # A shell and nohup let what runs in the background ignore signals, and with it its tests; some tests send signals.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)  # which a program that is started does not inherit

    start = time.monotonic()
    faults = read_faults(arguments.faults)
    copy_tree(arguments.suite.resolve(), work / "copy", faults)
    build(work, arguments.cmake)
    print(f"built after {time.monotonic() - start:.0f} s", flush=True)

    workers = concurrent.futures.ThreadPoolExecutor(arguments.jobs)
    known = work / "tests.json"
    if arguments.again and known.is_file():
        tests = json.loads(known.read_text())
    else:
        tests = list_tests(work)
        list(workers.map(lambda item: look_at_test(work, item), tests.items()))
        known.write_text(json.dumps(tests, indent=1))
    for name, test in tests.items():
        if not test["passes"]:
            print("left out, it fails without a fault:", name)
    print(f"{len(tests)} tests run after {time.monotonic() - start:.0f} s", flush=True)

    chosen = [fault for fault in faults if arguments.only is None or fault["number"] in arguments.only]
    if arguments.share is not None:
        chosen.sort(key=lambda fault: (fault["file"], fault["number"]))
        first, step = arguments.share
        chosen = chosen[first - 1::step]
    matrix = work / "matrix.tsv" if arguments.all else None
    if matrix and not arguments.again:
        matrix.write_text("")
    list(workers.map(lambda fault: judge(fault, tests, arguments.seconds, matrix),
                     [fault for fault in chosen if "verdict" not in fault]))
    if matrix:
        print_cover(matrix, tests)
    missed = [fault for fault in chosen if fault["verdict"] != "caught"]
    with open(work / "result.tsv", "w" if len(chosen) == len(faults) else "a") as out:
        for fault in chosen:
            print(*row_of(fault), sep="\t", file=out)
    for fault in missed:
        print(*row_of(fault), sep="\t")
    print(f"{len(chosen)} faults, {len(missed)} not caught; {time.monotonic() - start:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
