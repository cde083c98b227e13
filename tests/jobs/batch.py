#!/usr/bin/python3
"""Holds run and check to what only another program can see: results by NumPy, reports by parsers of XML and JSON, and
the progress bar in a terminal. What an interrupted run leaves is tested by tests/faults/signal_test.cpp.

    /usr/bin/python3 tests/jobs/batch.py path/to/tensorop

The last line is "N passed, N failed".
"""

import fcntl
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import xml.etree.ElementTree

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import SEED, run_program


def check_results(checker, root):
    """A random graph of jobs against NumPy, whatever the number of threads."""
    rng = random.Random(SEED)
    functions = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum}
    values, jobs = [], []
    for i in range(300):
        operands, arrays = [], []
        for _ in range(2):
            if values and rng.random() < 0.7:
                j = rng.randrange(len(values))
                # As the result in memory, or as the file that the job has written.
                operands.append(f"@{j}" if rng.random() < 0.5 else f"{j}.npy")
                arrays.append(values[j])
            else:
                number = rng.randrange(-(2**63), 2**63)
                operands.append({"dtype": "int64", "data": [number]})
                arrays.append(np.array([number], dtype=np.int64))
        op = rng.choice(sorted(functions))
        with np.errstate(over="ignore"):
            values.append(functions[op](*arrays))
        jobs.append({"op": op, "operands": operands, "id": str(i), "output": f"{i}.npy"})
    for threads in (1, 2, 5):
        folder = root / f"graph{threads}"
        folder.mkdir()
        (folder / "jobs.json").write_text(json.dumps(jobs, indent=1))
        result = checker.run("run", folder / "jobs.json", "--threads", str(threads))
        checker.check("graph: summary", result.stdout == "300 jobs: all done\n", result.stdout)
        for i, value in enumerate(values):
            checker.check(f"graph {threads}: job {i}", np.array_equal(np.load(folder / f"{i}.npy"), value))


def check_reports(checker, root):
    name = "<a> & \"b\" 'c' \u00e9\u65e5 \x1b[31m\ttab\nline \ufffe"
    cases = [
        {"op": "add", "a": 1, "b": 1, "expect": 2, "name": "good"},
        {"op": "add", "a": 1, "b": 1, "expect": 3, "name": name},
        {"op": "add", "a": 1, "b": 1, "expect": "none.bin"},
        {"op": "add", "a": 1, "b": 1, "expect": "golden.npy", "name": "new"},
    ]
    (root / "a.json").write_text(json.dumps(cases))
    (root / "b & c.jsonl").write_text(json.dumps(cases[0]))
    report = root / "report.xml"
    result = checker.run("check", "a.json", "b & c.jsonl", "--junit", "report.xml", "--update", cwd=root)
    checker.check("junit: status", result.returncode == 2, result.returncode)
    suites = xml.etree.ElementTree.parse(report).getroot()
    checker.check("junit: root", suites.tag == "testsuites")
    totals = {key: suites.get(key) for key in ("tests", "failures", "errors")}
    checker.check("junit: totals", totals == {"tests": "5", "failures": "1", "errors": "1"}, totals)
    checker.check("junit: suites", [suite.get("name") for suite in suites] == ["a.json", "b & c.jsonl"])
    found = [(case.get("name"), [child.tag for child in case]) for case in suites[0].iter("testcase")]
    shown = name.replace("\x1b", "\\x1b").replace("\t", "\\t").replace("\ufffe", "\ufffd")
    wanted = [("good", []), (shown, ["failure"]), ("a.json:1: job 3", ["error"]), ("new", ["system-out"])]
    checker.check("junit: cases", found == wanted, found)
    failure = suites[0].find("testcase/failure")
    checker.check("junit: failure", failure.get("message") == "different: 1 of 1 element (100%)", failure.attrib)
    checker.check("junit: failure text", "actual 2, expected 3" in failure.text, failure.text)
    checker.check("junit: times", all(float(case.get("time")) >= 0 for case in suites.iter("testcase")))
    # The place begins the text of what does not pass, or is the name of a case that has none of its own.
    bad = [(case.get("name"), one.text) for case in suites[0].iter("testcase") for one in case
           if one.tag in ("failure", "error")]
    placed = [any(text.startswith("a.json:1: ") for text in texts) for texts in bad]
    checker.check("junit: places", placed == [True, True], bad)

    # The last shard of ten has no case.
    names = [name, "good", "a.json:1: job 3", "good", "new"]
    for options, wanted in (([], names), (["--filter", "new"], ["new"]), (["--shard", "10/10"], [])):
        result = checker.run("check", "a.json", "b & c.jsonl", "--json", *options, cwd=root)
        try:
            parsed = json.loads(result.stdout)
        except ValueError as error:
            checker.check("json: well-formed", False, error)
            continue
        found = sorted(case["name"] for case in parsed["cases"])
        checker.check("json: cases", found == sorted(wanted), found)
        checker.check("json: summary", parsed["summary"]["cases"] == len(wanted), parsed["summary"])
        checker.check("json: times", all(case["seconds"] >= 0 for case in parsed["cases"]))


def check_shards(checker, root):
    """The reports of shards, joined as docs/recipes.md has it, are the report of all cases."""
    rng = random.Random(SEED)
    for name in ("a.jsonl", "b & c.jsonl"):
        cases = []
        for i in range(20):
            operand = f"@j{rng.randrange(i)}" if i and rng.random() < 0.2 else 1
            expect = rng.choice([2, 3, "none.npy", "<testsuite>\n</testsuite>"])
            cases.append({"op": "add", "a": operand, "b": 1, "expect": expect, "id": f"j{i}", "name": f"\n<{i}>"})
        (root / name).write_text("\n".join(map(json.dumps, cases)))

    def tests_in(suites):
        return sorted((suite.get("name"), case.get("name"), case.get("line"), [child.tag for child in case])
                      for suite in suites for case in suite.iter("testcase"))

    def check_report(what, text):
        report = xml.etree.ElementTree.fromstring(text)
        for suite in report:
            counts = [int(suite.get(key)) for key in ("tests", "failures", "errors")]
            found = [len(suite.findall("testcase")), len(suite.findall("*/failure")), len(suite.findall("*/error"))]
            checker.check(f"shards: counts of {what}", counts == found, (counts, found))
        return tests_in(report)

    checker.run("check", "a.jsonl", "b & c.jsonl", "-q", "--junit", "whole.xml", cwd=root)
    whole = check_report("all", (root / "whole.xml").read_text())
    checker.check("shards: cases", len(whole) == 40, len(whole))
    for count in (1, 3, 50):
        for path in root.glob("report-*.xml"):
            path.unlink()
        for i in range(count):
            checker.run("check", "b & c.jsonl", "a.jsonl", "-q", "--junit", f"report-{i}.xml", "--shard",
                        f"{i + 1}/{count}", cwd=root)
        parts = [check_report(f"shard {i} of {count}", (root / f"report-{i}.xml").read_text()) for i in range(count)]
        checker.check(f"shards: all of {count}", sorted(sum(parts, [])) == whole)
        checker.check(f"shards: empty ones of {count}", ([] in parts) == (count == 50))
        join = "{ echo '<testsuites>'; grep -hv '^<' report-*.xml; echo '</testsuites>'; }"
        joined = subprocess.run(["sh", "-c", join], cwd=root, capture_output=True, text=True).stdout
        checker.check(f"shards: joined from {count}", check_report(f"{count} joined", joined) == whole)


def status_of(process):
    """What it ended with; it is not waited for forever."""
    try:
        return process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return "did not end"


def in_terminal(command, columns, feed=None, seconds=30, output=None):
    """Runs the command with a terminal as standard error, and as standard output unless `output` is that, which is
    closed here; what it writes to the terminal, and its status. `feed` is called with the text so far each time some
    arrives; what it returns is a signal to send."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output or child, stderr=child)
    os.close(child)
    if output is not None:
        os.close(output)
    text, end = "", time.monotonic() + seconds
    while time.monotonic() < end:
        ready, _, _ = select.select([parent], [], [], 0.1)
        if not ready:
            if feed and (number := feed(text)):
                process.send_signal(number)
            continue
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece.decode()
        if feed and (number := feed(text)):
            process.send_signal(number)
    os.close(parent)
    return text, status_of(process)


def screen(text):
    """The lines a terminal shows in the end."""
    lines, column = [""], 0
    for character in text:
        if character == "\n":
            lines.append("")
            column = 0
        elif character == "\r":
            column = 0
        else:
            lines[-1] = lines[-1][:column].ljust(column) + character + lines[-1][column + 1 :]
            column += 1
    return [line.rstrip() for line in lines]


class SlowJobs:
    """A file of jobs; the third one waits for a FIFO; open_gate() lets it go on."""

    def __init__(self, root):
        root.mkdir()
        self.fifo = root / "fifo"
        os.mkfifo(self.fifo)
        self.file = root / "jobs.jsonl"
        jobs = [{"op": "add", "a": 1, "b": i, "output": f"{i}.npy"} for i in range(2)]
        jobs.append({"op": "add", "a": "fifo", "b": 1, "output": "slow.npy"})
        jobs.append({"op": "gather", "data": [1], "indices": [9], "id": "x"})
        self.file.write_text("".join(json.dumps(job) + "\n" for job in jobs))
        self.is_open = False

    def open_gate(self):
        if not self.is_open:
            self.is_open = True
            self.fifo.write_text("[1]")


def check_terminal(checker, root):
    for columns in (80, 30, 12):
        slow = SlowJobs(root / f"terminal{columns}")
        start = time.monotonic()
        seen = []

        def feed(text):
            if "3/4" in text:
                seen.append(time.monotonic() - start)
                slow.open_gate()

        command = [checker.binary, "run", "--threads", "2", slow.file]
        text, status = in_terminal(command, columns, feed)
        checker.check(f"terminal {columns}: status", status == 2, status)
        checker.check(f"terminal {columns}: drawn, after a second", seen and seen[0] >= 1, f"{seen[:1]} {text!r}")
        if columns == 80:
            bar = re.search(r"\r\[=+>? *\] 3/4, 0:\d\d left", text)
            checker.check("terminal: bar", bar is not None, repr(text))
            left = [line for line in screen(text) if line]
            checker.check("terminal: left", len(left) == 3 and "1 error" in left[2] and "jobs.jsonl:4: error" in left[0], left)
        drawn = [part for part in text.split("\r") if re.search(r"\d/4", part)]
        checker.check(f"terminal {columns}: fits", all(len(part) < columns for part in drawn), drawn)

    quick = root / "quick.jsonl"
    quick.write_text('{"op":"add","a":1,"b":1,"id":"x"}')
    text, status = in_terminal([checker.binary, "run", quick], 80)
    checker.check("terminal: quick", text == "1 job: done\r\n", repr(text))
    slow = SlowJobs(root / "never")

    def wait_and_open(_):
        time.sleep(1.5)
        slow.open_gate()

    text, _ = in_terminal([checker.binary, "run", "--progress", "never", slow.file], 80, wait_and_open)
    checker.check("terminal: never", "/4" not in text, repr(text))

    # Where there is no terminal the bar comes only when asked for.
    for mode, drawn in (("auto", False), ("always", True)):
        slow = SlowJobs(root / f"pipe-{mode}")
        command = [checker.binary, "--progress", mode, "run", slow.file]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        text = ""
        if drawn:
            while "/4" not in text and select.select([process.stderr], [], [], 60)[0]:
                text += os.read(process.stderr.fileno(), 4096).decode()
        else:
            time.sleep(1.5)  # after a second it would be there
        slow.open_gate()
        text += process.communicate(timeout=60)[1]
        checker.check(f"pipe {mode}", ("/4" in text) == drawn, repr(text))

    # A result that nobody takes: the bar of its bytes stays until somebody does. Where it goes to no terminal, its
    # bytes are not those of the bar.
    for columns, seen, mode in ((80, r"\r\[=*> *\] \d+%", []), (12, r"\d%", []),
                                (80, r"\d%", ["--progress", "always"])):
        reading, writing = os.pipe()
        taken = []

        def take(text):
            if not taken and re.search(seen, text):
                while piece := os.read(reading, 1 << 20):
                    taken.append(len(piece))

        command = [checker.binary, "broadcast", "7", "--shape", "[4000000]", "--format", "npy", *mode]
        text, status = in_terminal(command, columns, take, output=writing)
        os.close(reading)
        checker.check(f"bytes {columns}: status", status == 0, (status, text))
        checker.check(f"bytes {columns}: result", sum(taken) == 32000128, sum(taken))
        checker.check(f"bytes {columns}: removed", not "".join(screen(text)), repr(text))
    # A signal removes the bar, and what the terminal shows of ^C.
    for number in (signal.SIGINT, signal.SIGTERM):
        reading, writing = os.pipe()
        command = [checker.binary, "broadcast", "7", "--shape", "[4000000]", "--format", "npy"]
        text, status = in_terminal(command, 80, lambda text: number if "%" in text else None, output=writing)
        os.close(reading)
        checker.check(f"bytes: ended by {number}", status == -number, status)
        checker.check(f"bytes: removed by {number}", "%" in text and text.endswith("\r\033[K"), repr(text))
    text, _ = in_terminal([checker.binary, "add", "1", "1"], 80)
    checker.check("bytes: quick", text == "int64 ()\r\n2\r\n", repr(text))


def check_all(checker):
    root = checker.folder
    check_results(checker, root)
    check_reports(checker, root)
    (root / "shards").mkdir()
    check_shards(checker, root / "shards")
    check_terminal(checker, root)


if __name__ == "__main__":
    run_program(check_all)
