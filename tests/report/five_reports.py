#!/usr/bin/python3
"""One run with all outcomes, in text, JSON, JUnit, HTML and Markdown: the same cases and the same numbers.

    /usr/bin/python3 tests/report/five_reports.py path/to/tensorop

Then the same after a signal, while nobody reads standard output: the reports in files are complete. The last line is
"N passed, N failed".
"""

import fcntl
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import Checker
from support.junit_schema import faults_of_file

F_SETPIPE_SZ = 1031
MET = set()  # outcomes, by their names in JSON
CASES = r"""
{"name":"equal","op":"add","a":[1,2],"b":1}
{"name":"refused","op":"gather","data":[1],"indices":[3],"expect":{"error":"IX-1"}}
{"name":"different <&>","op":"add","a":[1,2],"b":2}
{"name":"error","op":"add","a":"none.npy","b":2}
{"name":"not given","op":"add","a":{"dtype":"float32","data":[1]},"b":{"dtype":"float32","data":[1]},"spec":"all"}
{"name":"metrics","op":"add","a":[1.0,2.0],"b":4.0,"max_mismatch":"100%"}
{"name":"not compared","op":"scatterupdate","data":[0],"indices":[0,0],"updates":[1,2],"axis":0,"spec":"openvino-3","ignore_open":true}
"""
# Of the golden files one is right, one is wrong, and one is missing.
UPDATES = r"""
{"name":"right","op":"add","a":[1],"b":1,"expect":"right.json"}
{"name":"wrong","op":"add","a":[1],"b":2,"expect":"wrong.json"}
{"name":"missing","op":"add","a":[1],"b":3,"expect":"missing.json"}
{"name":"tensor","op":"add","a":[1],"b":4,"expect":[6]}
"""
# Cases that the program ends by their names.
ENDS = "".join(f'{{"name":"{name}","op":"add","a":[1],"b":1}}\n'
               for name in ("right", "wrong", "known", "fixed", "silent", "refuses", "crashes", "sleeps", "not run"))
ENDING_PROGRAM = r"""
case $1 in
  wrong | known) tensorop add 1 1 -o $2 ;;
  silent) ;;
  refuses) exit 1 ;;
  crashes) kill -9 $$ ;;
  sleeps) exec sleep 1000 ;;
  *) tensorop add '[1]' 1 -o $2 ;;
esac
"""
# Right where b is 1, refuses what is out of range.
PROGRAM = r"""
case $1 in
  gather) tensorop gather $2 $3 -o $4 ;;
  scatterupdate) cp $2 $5 ;;
  *) tensorop $1 $2 1 -o $4 ;;
esac
"""


def read_outcomes():
    """The table of outcomes in docs/check.md, by their names in JSON: the label and the class in JUnit."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "docs/check.md").read_text()
    rows = re.findall(r"^\| ([a-z ]+) \| `([a-z_]+)` \| (passed|failure|error|skipped) \| \d \|", text, re.MULTILINE)
    return {name: (label, verdict) for label, name, verdict in rows}


OUTCOMES = read_outcomes()
# The words of summaries.
WORDS = {name: f"{label}s?" for name, (label, _) in OUTCOMES.items()} | {
    "unreadable": "files? unreadable", "passes_now": "known failures? that pass(?:es)? now", "refused": "refused as expected",
    "unexpected_refusal": "refused(?! as)", "findings": "findings?"}


def numbers_of_text(line):
    """The numbers of a summary, by their names in JSON; "N cases: all equal" is N."""
    out = {}
    whole = re.search(r"(\d+) (?:cases?|tensors?|jobs?): (?:all )?(equal|done)\b", line)
    if whole:
        out[whole[2]] = int(whole[1])
    for key, words in WORDS.items():
        found = re.search(rf"(?:^|[ (])(\d+) (?:{words})(?=[ ,;)]|$)", line)
        if found:
            out[key] = int(found[1])
    out = {key: count for key, count in out.items() if count != 0}
    unseen = re.search(r"not looked at: (.*)", line)
    return out, unseen[1] if unseen else ""


def check_reports(checker, name, folder, words, tool, program_status, prepare=lambda: None):
    """Runs the command twice: as text, and as JSON with the reports in files; each time after `prepare`."""
    prepare()
    text = subprocess.run([tool, *words], cwd=folder, capture_output=True, text=True)
    prepare()
    has_pages = words[0] != "run"
    pages = ["--html", "../r.html", "--markdown", "../r.md"] if has_pages else []
    run = subprocess.run([tool, *words, "--json", "--junit", "../r.xml", *pages], cwd=folder, capture_output=True, text=True)
    checker.check(f"{name}: status", text.returncode == run.returncode == program_status, (text, run))
    document = json.loads(run.stdout)
    wanted = {key: count for key, count in document["summary"].items() if key in WORDS and count != 0}
    listed = document.get("cases") or document.get("pairs") or document.get("jobs")
    outcomes = [entry["outcome"] for entry in listed]
    for key in set(outcomes):
        checker.check(f"{name}: JSON lists {key}", wanted.get(key) == outcomes.count(key), wanted)
    lines = (text.stdout + text.stderr).splitlines()
    summary = [line for line in lines if re.match(r"\d+ (case|tensor|job)s?:", line)][-1]
    unseen = ", ".join(entry["what"].split(" ", 1)[0] for entry in document["unseen"])
    shown = {"text": summary}
    html = (folder / "../r.html").read_text() if has_pages else ""
    if has_pages:
        shown["HTML"] = re.search(r'<p class="summary">(.*)</p>', html)[1]
        shown["Markdown"] = (folder / "../r.md").read_text().splitlines()[0]
    for report, line in shown.items():
        plain = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), line)
        found, left = numbers_of_text(plain)
        checker.check(f"{name}: {report}", found == wanted, (found, wanted, plain))
        checker.check(f"{name}: {report}: not looked at", bool(left) == bool(unseen), (left, unseen))
    boxes = dict(re.findall(r">([a-z ]+) \((\d+)\)</label>", html))
    for word, count in boxes.items():
        key = next(name for name, (label, _) in OUTCOMES.items() if label == word)
        checker.check(f"{name}: box {word}", wanted.get(key) == int(count), (boxes, wanted))
    faults = faults_of_file(folder / "../r.xml")
    checker.check(f"{name}: JUnit is valid", not faults, faults)
    suites = ElementTree.parse(folder / "../r.xml").getroot()
    sums = {}
    for entry in suites.iter("property"):
        if entry.get("name") in WORDS:
            sums[entry.get("name")] = sums.get(entry.get("name"), 0) + int(entry.get("value"))
    checker.check(f"{name}: JUnit", sums == wanted, (sums, wanted))
    checker.check(f"{name}: JUnit lists all", len(list(suites.iter("testcase"))) == len(listed), listed)
    checker.check(f"{name}: JUnit: attributes", int(suites.get("tests")) == len(listed)
                  and int(suites.get("failures")) == sum(OUTCOMES[key][1] == "failure" for key in outcomes)
                  and int(suites.get("errors")) == sum(OUTCOMES[key][1] == "error" for key in outcomes), suites.attrib)
    left = [entry.get("value") for entry in suites.iter("property") if entry.get("name") == "not looked at"]
    checker.check(f"{name}: JUnit: not looked at", len(left) == len(document["unseen"]), left)
    for path in ("r.xml", "r.html", "r.md"):
        (folder / ".." / path).unlink(missing_ok=True)
    MET.update(wanted)
    return wanted


def all_outcomes(checker, tool, folder):
    cases = folder / "cases"
    cases.mkdir()
    (cases / "a.jsonl").write_text(CASES.lstrip())
    (cases / "bad.jsonl").write_text("{")
    (cases / "tensor.json").write_text("[1]")
    (cases / "download").mkdir()
    (cases / "download/data.json").write_text('{"url":"https://example.org/model.tar.gz"}')
    (cases / "program").write_text(PROGRAM)
    words = ["check", ".", "--command", "sh program {op} {inputs} {output}"]
    found = check_reports(checker, "check", cases, words, tool, 2)
    checker.check("check: all of them", {"equal", "refused", "different", "error", "not_given", "skipped", "unreadable", "not_compared"}
                  <= set(found), found)
    check_reports(checker, "check --fail-fast", cases, [*words, "--fail-fast", "--jobs", "1"], tool, 2)
    check_reports(checker, "check --filter", cases, [*words, "--filter", "different <&>"], tool, 2)
    check_updates(checker, tool, cases)
    check_ends(checker, tool, folder)
    (cases / "jobs").write_text('{"id":"a","op":"add","a":1,"b":1}\n{"id":"b","op":"add","a":"none.npy","b":1}\n'
                                '{"op":"add","a":"@b","b":1,"output":"out.json"}\n')
    check_reports(checker, "run", cases, ["run", "jobs"], tool, 2)
    check_reports(checker, "run --fail-fast", cases, ["run", "jobs", "--fail-fast", "--jobs", "1"], tool, 2)
    (cases / "there.json").write_text("2")
    (cases / "missing").write_text('{"op":"add","a":1,"b":1,"output":"there.json"}\n')
    check_reports(checker, "run --missing", cases, ["run", "missing", "--missing"], tool, 0)
    for name, files in {"r": {"a": "[1]", "b": "[2]", "d": "[1]", "e": "[1,"}, "g": {"a": "[1]", "b": "[3]", "c": "[1]", "e": "[1]"}}.items():
        (cases / name).mkdir()
        for file, text in files.items():
            (cases / name / f"{file}.json").write_text(text)
        (cases / name / "notes.bin").write_text("notes")
        (cases / name / "README.txt").write_text("no tensor")
    os.link(cases / "r/a.json", cases / "r/link.json")
    os.link(cases / "r/a.json", cases / "g/link.json")
    found = check_reports(checker, "compare", cases, ["compare", "r", "g"], tool, 2)
    checker.check("compare: all of them", set(found) == {"equal", "different", "missing", "extra", "error", "skipped"}, found)
    check_reports(checker, "compare --fail-fast", cases, ["compare", "r", "g", "--fail-fast"], tool, 1)


def check_updates(checker, tool, cases):
    (cases / "updates").write_text(UPDATES.lstrip())

    def prepare():
        (cases / "right.json").write_text("[2]")
        (cases / "wrong.json").write_text("[2]")
        (cases / "missing.json").unlink(missing_ok=True)

    found = check_reports(checker, "check --update", cases, ["check", "updates", "--update"], tool, 1, prepare)
    checker.check("check --update: all of them", found == {"equal": 1, "updated": 2, "different": 1}, found)


def check_ends(checker, tool, folder):
    ends = folder / "ends"
    ends.mkdir()
    (ends / "cases").write_text(ENDS)
    (ends / "program").write_text(ENDING_PROGRAM)
    (ends / "known").write_text("known\nfixed\n")
    words = ["check", "cases", "--command", "sh program {name} {output}", "--timeout", "2", "--crashes", "2", "--jobs", "1",
             "--known-failures", "known"]
    check_reports(checker, "check: ends", ends, words, tool, 2)


def after_a_signal(checker, tool, folder, options, fills_it):
    """Standard output is full, and nobody reads it. The command has filled it itself, a thread of it waits for the
    reader, or others have, and the first that waits is the thread that ends the process."""
    lines = "".join(f'{{"name":"{i}","op":"add","a":{list(range(50))},"b":{i + 2}}}\n' for i in range(300))
    (folder / "many.jsonl").write_text(lines)
    (folder / "program").write_text(PROGRAM if fills_it else "touch started; exec sleep 1000")
    command = [tool, "check", "many.jsonl", "--command", "sh program {op} {inputs} {output}", "--show", "10", "--junit", "s.xml",
               "--html", "s.html", *options]
    what = f"signal {options}, {'full' if fills_it else 'full before'}"
    reading, writing = os.pipe()
    room = fcntl.fcntl(writing, F_SETPIPE_SZ, 4096)
    if not fills_it:
        os.write(writing, b" " * room)
    process = subprocess.Popen(command, cwd=folder, stdout=writing, stderr=subprocess.DEVNULL)
    os.close(writing)

    def waiting():
        return struct.unpack("i", fcntl.ioctl(reading, termios.FIONREAD, b"\0" * 4))[0]

    def is_reached():
        return waiting() >= 2048 and (fills_it or (folder / "started").exists())

    limit = time.monotonic() + 120
    while not is_reached() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.01)
    checker.check(f"{what}: standard output is full", is_reached(), waiting())
    process.send_signal(signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    checker.check(f"{what}: ended by it", process.returncode == -signal.SIGINT, process.returncode)
    os.close(reading)
    for name in ("s.xml", "s.html"):
        checker.check(f"{what}: {name}", (folder / name).exists(), list(folder.iterdir()))
    suites = ElementTree.parse(folder / "s.xml").getroot()
    numbers = {entry.get("name"): int(entry.get("value")) for entry in suites.iter("property")}
    checker.check(f"{what}: all cases", numbers.get("cases") == 300 and numbers.get("not_run", 0) > 0, numbers)
    faults = faults_of_file(folder / "s.xml")
    checker.check(f"{what}: JUnit is valid", not faults, faults)
    MET.update(numbers)
    for name in ("s.xml", "s.html", "started"):
        (folder / name).unlink(missing_ok=True)


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ["PATH"] = f"{pathlib.Path(tool).parent}:{os.environ['PATH']}"
    checker = Checker()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        all_outcomes(checker, tool, folder)
        for options in ([], ["--json"], ["--shrink", "--json"]):
            for fills_it in (True, False):
                after_a_signal(checker, tool, folder, options, fills_it)
        checker.check("every outcome", MET >= set(OUTCOMES), set(OUTCOMES) - MET)
    checker.exit()


if __name__ == "__main__":
    main()
