#!/usr/bin/python3
"""Reads the pages of `--html` and `--markdown` as a browser and a CI system do.

    /usr/bin/python3 tests/report/pages.py path/to/tensorop

Names that look like markup are text; a page has no script and names nothing outside of it; its heat map is NumPy's,
binned by maximum; it does not depend on threads and is complete after a signal. Only this reads a page as markup, and its
pixels. Heat maps of a few shapes, and 1,000 cases; with TENSOROP_NIGHTLY=1 of all shapes, and 10,000. The last line is
"N passed, N failed".
"""

import base64
import json
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time
import zlib
from html.parser import HTMLParser

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import NIGHTLY, Program, run_program, share

HOSTILE = ["<script>alert(1)</script>", "</pre></details><b>", "a|b `c` *d* [e](f) ~g~", "\"quoted\" & 'this'", "<!-- ",
           "&lt;", "```", "line\nbreak", "\u00e9 \U0001f600", "x" * 500, "</style><img src=x onerror=y>"]
EMPTY = {"meta", "input", "img", "br"}
OPTIONAL = {"tr", "td"}


class Page(HTMLParser):
    """The elements of a page, and the text of each <code> and <pre>."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.faults, self.texts, self.attributes = [], [], [], [], []
        self.feed(text)
        self.close()
        self.faults += [f"{tag} is open at the end" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attributes)))
        if tag not in EMPTY | OPTIONAL:
            self.open.append(tag)
        if tag in ("code", "pre"):
            self.texts.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("code", "pre"):
            self.texts[-1] += data

    def images(self):
        return [values["src"] for tag, values in self.attributes if tag == "img"]


def pixels(source):
    """The numbers of the colours of a PNG of four bits a pixel."""
    data = base64.b64decode(source.removeprefix("data:image/png;base64,"), validate=True)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        chunks[kind] = body
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (depth, colour, len(chunks[b"PLTE"])) == (4, 3, 48)
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    return np.stack([rows[:, 1:] >> 4, rows[:, 1:] & 15], axis=2).reshape(height, -1)[:, :width]


class Pages(Program):
    def page(self, what, name="page.html"):
        text = (self.folder / name).read_text(encoding="utf-8")
        page = Page(text)
        self.check(f"{what}: well-formed", not page.faults, page.faults[:3])
        named = [values for _, values in page.attributes for key in values if key in ("href", "src", "srcset", "action")]
        self.check(f"{what}: self-contained", all(v.get("src", "").startswith("data:image/png") for v in named), named[:2])
        self.check(f"{what}: no script", "script" not in page.tags and "link" not in page.tags and
                   not any(key.startswith("on") for _, values in page.attributes for key in values))
        return text, page


def check_names(pages):
    cases = [{"name": name, "op": "add", "a": [1, 2], "b": 1, "expect": [2, 3 + i % 2]} for i, name in enumerate(HOSTILE)]
    (pages.folder / "f.jsonl").write_text("\n".join(map(json.dumps, cases)))
    run = pages.run("check", "f.jsonl", "--html", "page.html", "--markdown", "new.md")
    pages.check("hostile names: status", run.returncode == 1 and not run.stderr, run.stderr)
    _, page = pages.page("hostile names")
    for name in HOSTILE:
        pages.check(f"{name[:30]!r} is text", name in page.texts)
    # A command that was copied does what it says.
    commands = [text for text in page.texts if text.startswith("tensorop ")]
    for command in commands:
        run = subprocess.run(command.replace("tensorop", str(pages.binary), 1), shell=True, cwd=pages.folder,
                             capture_output=True, text=True)
        pages.check(f"{command[:60]}", run.returncode == 1 and "different" in run.stdout, run.stdout + run.stderr)
    pages.check("a command for each difference", len(commands) == len(HOSTILE) // 2, len(commands))
    boxes = {values["id"]: "checked" in values for tag, values in page.attributes if tag == "input"}
    pages.check("filters", boxes == {"show-equal": False, "show-different": True}, boxes)
    markdown = (pages.folder / "new.md").read_text(encoding="utf-8")
    table = [line for line in markdown.splitlines() if line.startswith("| different")]
    pages.check("markdown: rows", len(table) == len(HOSTILE) // 2 and all(len(re.split(r"(?<!\\)\|", row)) == 6 for row in table), table)
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", markdown, flags=re.S | re.M)
    pages.check("markdown: no markup but its own", set(re.findall(r"</?\w+", outside)) ==
                {"<details", "</details", "<summary", "</summary"} and "`" not in outside, outside[:2000])


def check_heat_map(pages, rng):
    kinds = [((7, 9), "float32"), ((1300, 700), "float32"), ((3, 500, 40), "float64"), ((2000,), "float32"), ((50, 60), "int32"),
             ((20, 30), "bool"), ((), "float64")]
    for shape, dtype in share(kinds, 3):
        e = rng.standard_normal(shape)
        a = e + np.where(rng.random(shape) < 0.01, rng.standard_normal(shape) * 10.0 ** rng.integers(-6, 3, shape), 0)
        if dtype == "bool":
            a, e = a > 1, e > 1
        elif dtype == "int32":
            a, e = a * 1000, e * 1000
        a, e = np.array(a).astype(dtype), np.array(e).astype(dtype)
        if dtype == "float32":
            a.flat[-1] = np.nan
        a.flat[0] = ~e.flat[0] if dtype == "bool" else e.flat[0] + 1
        np.save(pages.folder / "a.npy", a)
        np.save(pages.folder / "e.npy", e)
        run = pages.run("compare", "a.npy", "e.npy", "--html", "page.html", *(["--atol", "0.01"] if dtype != "bool" else []))
        text, page = pages.page(f"{dtype}{shape}")
        pages.check(f"{dtype}{shape}: status", run.returncode == 1, run)
        found = pixels(page.images()[0])
        off = (a != e).astype(float) if dtype == "bool" else np.abs(a.astype(float) - e.astype(float))
        off = np.where(np.isnan(off), np.inf, off)
        grid = off.reshape(-1, shape[-1] if shape else 1)
        tall, wide = -(-grid.shape[0] // 512), -(-grid.shape[1] // 512)
        reduce = np.add if dtype == "bool" else np.maximum
        cells = reduce.reduceat(reduce.reduceat(grid, np.arange(0, grid.shape[0], tall), 0), np.arange(0, grid.shape[1], wide), 1)
        pages.check(f"{dtype}{shape}: cells", found.shape == cells.shape, (found.shape, cells.shape))
        limit = 0 if dtype == "bool" else 0.01
        kind = np.where(np.isinf(cells), 3, np.where(cells == 0, 0, np.where(cells > limit, 2, 1)))
        pages.check(f"{dtype}{shape}: colours", np.array_equal((found + 6) // 7 * (found < 15) + 3 * (found == 15), kind))
        # A larger error is not paler.
        for shown in (1, 2):
            order = np.argsort(cells[kind == shown], kind="stable")
            pages.check(f"{dtype}{shape}: shades", (np.diff(found[kind == shown][order].astype(int)) >= 0).all())
        first = text
        pages.run("compare", "a.npy", "e.npy", "--html", "page.html", "--threads", "1", *(["--atol", "0.01"] if dtype != "bool" else []))
        pages.check(f"{dtype}{shape}: threads", (pages.folder / "page.html").read_text() == first)


def check_many(pages):
    """Many cases: a page of bounded size, and Markdown below 1 MiB also when it is appended to."""
    count = 10_000 if NIGHTLY else 1000
    cases = [json.dumps({"name": f"case {i} " + "<>" * (20 if NIGHTLY else 60), "op": "add", "a": [[i, 2], [3, 4]], "b": 1, "expect": [[0, 3], [4, 5]]})
             for i in range(count)]
    (pages.folder / "many.jsonl").write_text("\n".join(cases))
    run = pages.run("check", "many.jsonl", "-q", "--html", "page.html", "--markdown", "many.md")
    pages.check(f"{count}: status", run.returncode == 1 and not run.stderr, run.stderr)
    text, page = pages.page(str(count))
    pages.check(f"{count}: size", len(text) < count << 13, len(text))
    pages.check(f"{count}: all", page.tags.count("details") == count, page.tags.count("details"))
    pages.check(f"{count}: one is open", sum(tag == "details" and "open" in v for tag, v in page.attributes) == 1)
    size = (pages.folder / "many.md").stat().st_size
    markdown = (pages.folder / "many.md").read_text()
    pages.check(f"{count}: Markdown", 500_000 < size < 1 << 20, size)
    pages.check(f"{count}: what is cut", f" of {count}: there is room for no more" in markdown)
    pages.run("check", "many.jsonl", "-q", "--markdown", "many.md")
    again = (pages.folder / "many.md").read_text()
    pages.check(f"{count}: appended", again.startswith(markdown) and len(again) < (1 << 20) + 2048 and
                again.count("## tensorop check: ") == 2, len(again))


def check_interrupted(pages):
    (pages.folder / "slow.sh").write_text("touch started; exec sleep 1000\n")
    (pages.folder / "slow.jsonl").write_text('{"name": "first", "op": "add", "a": 1, "b": 1, "expect": 3}\n')
    process = subprocess.Popen([pages.binary, "check", "slow.jsonl", "--command", "sh slow.sh {output}", "--html", "stopped.html",
                                "--markdown", "stopped.md"], cwd=pages.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (pages.folder / "started").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    pages.check("interrupted: by the signal", process.returncode == -signal.SIGTERM, process.returncode)
    text, _ = pages.page("interrupted", "stopped.html")
    pages.check("interrupted: says so", "interrupted by SIGTERM" in text and 'class="f interrupted"' in text, text[-500:])
    pages.check("interrupted: Markdown", "interrupted by SIGTERM" in (pages.folder / "stopped.md").read_text())


def check_all(pages):
    check_names(pages)
    check_heat_map(pages, np.random.default_rng(7))
    check_many(pages)
    check_interrupted(pages)


if __name__ == "__main__":
    run_program(check_all, Pages)
