#!/usr/bin/python3
"""Validates the JSON documents of the program with docs/report.schema.json.

    /usr/bin/python3 tests/report/json_schema.py path/to/tensorop

They are those of the calls below and all that the pages of docs and tests/cli show whole. Each key of the schema must occur
with a value in one of them. The last line is "N passed, N failed".
"""

import json
import os
import pathlib
import subprocess
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support.checker import run_program

ROOT = pathlib.Path(__file__).resolve().parents[2]


def closed(schema):
    """The schema, in which an object has no keys but the ones it names. The published one allows more, because a
    later release may add keys within a schema version."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    own = {key: closed(one) for key, one in schema.items()}
    if "properties" in own and own.get("type") in ("object", ["object", "null"]):
        own.setdefault("additionalProperties", False)
    return own


SCHEMA = closed(json.loads((ROOT / "docs/report.schema.json").read_text()))
DEFS = SCHEMA["$defs"]
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
DOCUMENTS = [entry["$ref"].rpartition("/")[2] for entry in SCHEMA["anyOf"]]
# The first key that a document has decides what it is.
KINDS = {"pairs": "compare", "cases": "check", "jobs": "run", "arrays": "info", "operators": "ops", "classes": "specs",
         "elements": "why", "versions": "refusal", "error": "failure", "dtype": "dry_run"}
CALLS = r"""
tensorop convert '{"dtype":"float32","data":[[1,2],[3,4.5]]}' -o a.npy && tensorop convert '{"dtype":"float32","data":[[1,2],[3.125,4]]}' -o e.npy
tensorop compare a.npy e.npy --show 2 --map --histogram --max-rms 0.1 --min-cosine 0.999999 --ignore '[[true,false],[false,false]]' --json
tensorop compare a.npy e.npy --exact-bits --json
tensorop compare '{"dtype":"float64","data":["NaN",1]}' '{"dtype":"float64","data":["Infinity",1]}' --max-ulp 3 --json
tensorop compare '{"dtype":"complex64","data":[[1,2]]}' '{"dtype":"complex64","data":[[1,3]]}' --json
tensorop compare '["a"]' '["b"]' --json
tensorop compare '[1]' '[[1.5]]' --json
tensorop compare '[]' '[]' --json
tensorop compare '{"dtype":"float16","data":[1]}' '{"dtype":"float32","data":[1]}' --by-value --json
tensorop compare a.npy none.npy --json
mkdir r g && cp a.npy r && cp e.npy g/a.npy && echo x > r/log && ln a.npy r/same.npy && ln a.npy g/same.npy && echo 1 > g/b.json && printf '1,2\n3\n' > r/c.csv && echo 1 > g/c.csv
tensorop compare r g --json
printf '%s\n' '{"id":"x","op":"gather","data":[1],"indices":[3]}' '{"op":"add","a":"@x","b":1,"output":"o.npy"}' '{"op":"add","a":1,"b":1,"output":"p.npy"}' > jobs.jsonl
tensorop run jobs.jsonl --json --shard 1/1
tensorop run jobs.jsonl --json --fail-fast --jobs 1
tensorop run jobs.jsonl --json --missing
tensorop run none.jsonl --json
printf '%s\n' '{"name":"wrong","op":"add","a":[1.5,2],"b":[1,2],"expect":[2.5,5]}' '{"op":"gather","data":[1],"indices":[3],"expect":{"error":"IX-1"}}' '{"op":"div","a":[1],"b":[2],"spec":"all"}' '{"op":"add","a":[1],"b":[2],"spec":"all","expect":{"onnx-14":[4]}}' '{"op":"scatterupdate","data":[0,0],"indices":[0,0],"updates":[1,2],"axis":0,"spec":"openvino-3","expect":[1,0]}' > cases.jsonl
tensorop check cases.jsonl --json --why --compare-open --shard 1/1
tensorop check cases.jsonl --json
tensorop check none.jsonl --json
echo 'wrong # a reason' > known.txt
tensorop check cases.jsonl --known-failures known.txt --json
echo '{"op":"add","a":[1],"b":[2],"expect":"golden.npy"}' > update.jsonl
tensorop check update.jsonl --update --json
mkdir results
tensorop check update.jsonl --actual results --json
cp golden.npy results
tensorop check update.jsonl --actual results --json
tensorop check cases.jsonl --command 'false {inputs} {output}' --json
tensorop check cases.jsonl --command 'kill -9 $$; : {inputs} {output}' --shell --json
tensorop check cases.jsonl --command 'sleep 9; : {inputs} {output}' --shell --timeout 0.1 --json
echo '{"op":"gather","data":[1],"indices":[4]}' > refused.jsonl
tensorop check refused.jsonl --command 'false {inputs} {output}' --json
tensorop check cases.jsonl --command './none {inputs} {output}' --json
tensorop check cases.jsonl --command 'cp e.npy {output}; : {inputs}' --shell --shrink --keep kept --json
tensorop gather '{"dtype":"float32","data":[[1,2],[3,4]]}' '[1]' --spec onnx-13 --onnx-case case && tensorop convert x=a.npy -o a.safetensors && tensorop convert x=a.npy -o a.npz
echo '{"weight_map":{"x":"a.safetensors"}}' > a.safetensors.index.json
tensorop check case abs --json
tensorop info case abs case/model.onnx abs/model.onnx tensor.pb m.safetensors a.safetensors.index.json a.npy a.safetensors a.npz none.npy r --json
tensorop info a.npy a.npz e.npy --stats --digest --sort name --json
tensorop info '' --json --filter x
tensorop ops --json
tensorop ops none --json
tensorop gather '[10,20,30]' '[-1]' --spec all --json
tensorop add 'float32[2,3]' 'float32[3]' --dry-run --spec all --json
tensorop div '[-7,7]' '[2]' --spec all --only onnx,openvino --json
tensorop gather none.npy '[-1]' --spec all --json
tensorop gather 'float32[8,2]' '[3]' --dry-run # --json
tensorop why gather '[10,20]' '[-1,5]' --oob zero --json
tensorop why where '[true]' '[1]' '[2]' --json
tensorop why scatterupdate '[0,0]' '[0,0]' '[1,2]' --axis 0 --spec openvino-3 --json
tensorop why scatterupdate '[0,0]' '[0,0]' '[1,2]' --axis 0 --of updates --at 0 --at 1 --json
tensorop why gather '[10,20]' '[2]' --json
tensorop why add '[1,2]' '[1,2,3]' --json
tensorop why gather none.npy '[2]' --json
tensorop why none.jsonl --job x --json
"""


def message(*fields):
    """A protobuf message of (number, integer or bytes), which are short."""
    return b"".join(bytes([number << 3, value]) if isinstance(value, int) else bytes([number << 3 | 2, len(value)]) + value
                    for number, value in fields)


def write_files(folder):
    """What no command writes: a model that tensorop does not have, with initializers, and metadata."""
    external = message((1, b"location"), (2, b"w.bin"))
    tensors = [message((1, 1), (2, 1), (8, b"w"), (9, bytes(4))), message((1, 1), (2, 1), (8, b"x"), (13, external), (14, 1)),
               message((1, 2), (2, 1), (8, b"bad"), (9, bytes(4)))]
    node = message((1, b"w"), (2, b"y"), (4, b"Abs"))
    graph = message((1, node), *((5, tensor) for tensor in tensors), (12, message((1, b"y"))))
    (folder / "abs/test_data_set_0").mkdir(parents=True)
    (folder / "abs/model.onnx").write_bytes(message((1, 7), (8, message((2, 13))), (7, graph)))
    (folder / "tensor.pb").write_bytes(tensors[0])
    header = b'{"__metadata__":{"format":"pt"},"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    (folder / "m.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"x")


def part(schema):
    return VALIDATOR.evolve(schema=schema)


def parts_of(schema, place):
    """The object that a schema describes, with its place in the schema; of alternatives each one."""
    while "$ref" in schema:
        place = schema["$ref"].rpartition("/")[2]
        schema = DEFS[place]
    if "anyOf" in schema:
        for one in schema["anyOf"]:
            yield from parts_of(one, place)
    else:
        yield schema, place


def keys_of(schema, place, found):
    """Adds (place, key) for every key that the schema has."""
    for own, at in parts_of(schema, place):
        for key, value in own.get("properties", {}).items():
            if (at, key) not in found and value != {"type": "null"}:
                found.add((at, key))
                keys_of(value, f"{at}.{key}", found)
        for more in (own.get("items"), own.get("additionalProperties")):
            if isinstance(more, dict):
                keys_of(more, at, found)


def mark(schema, value, place, seen):
    """Adds (place, key) for every key that a document has with a value."""
    for own, at in parts_of(schema, place):
        if not part(own).is_valid(value):
            continue
        if isinstance(value, list):
            for item in value:
                mark(own.get("items", {}), item, at, seen)
        elif isinstance(value, dict):
            for key, item in value.items():
                known = own.get("properties", {}).get(key)
                if known is not None and item is not None:
                    seen.add((at, key))
                    mark(known, item, f"{at}.{key}", seen)
                elif known is None and isinstance(own.get("additionalProperties"), dict):
                    mark(own["additionalProperties"], item, at, seen)


def validate(checker, document, what, seen):
    kind = next((kind for key, kind in KINDS.items() if key in document), "failure")
    errors = sorted(part(DEFS[kind]).iter_errors(document), key=lambda error: list(error.absolute_path))
    detail = "; ".join(f"{error.json_path}: {error.message[:300]}" for error in errors[:3])
    checker.check(f"{what}: {kind}", not errors, detail)
    if not errors:
        mark({"$ref": f"#/$defs/{kind}"}, document, kind, seen)


def documents_of_page(page):
    """The documents that a page shows whole, and their lines. A command may have printed a part of one."""
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines):
        if not line.startswith('{"schema_version"'):
            continue
        text = ""
        for more in lines[number:]:
            if more.startswith(("$ ", "```")):
                break
            text += more.replace('"seconds":TIME', '"seconds":0')
            try:
                document = json.loads(text)
            except ValueError:
                continue
            yield number + 1, document
            break


def validate_pages(checker, seen):
    for page in sorted([*(ROOT / "docs").glob("**/*.md"), *(ROOT / "tests/cli").glob("*.md")]):
        for line, document in documents_of_page(page):
            for noun in {"pairs", "cases", "jobs"} & document.keys():  # transcripts leave out counts of zero
                for key in DEFS[f"summary_of_{noun}"]["required"]:
                    document["summary"].setdefault(key, 0)
            validate(checker, document, f"{page.relative_to(ROOT)}:{line}", seen)


def validate_calls(checker, seen):
    write_files(checker.folder)
    path = f"{checker.binary.parent}:{os.environ['PATH']}"
    for call in CALLS.strip().splitlines():
        done = subprocess.run(["sh", "-c", call], cwd=checker.folder, capture_output=True, text=True,
                              env={**os.environ, "PATH": path})
        if "--json" not in call:
            checker.check(call, done.returncode == 0, done.stderr)
            continue
        try:
            document = json.loads(done.stdout)
        except ValueError as error:
            checker.check(call, False, (error, done.stdout, done.stderr))
            continue
        validate(checker, document, call, seen)


def check_all(checker):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    seen = set()
    validate_pages(checker, seen)
    validate_calls(checker, seen)
    known = set()
    for kind in DOCUMENTS:
        keys_of({"$ref": f"#/$defs/{kind}"}, kind, known)
    for place, key in sorted(known):
        checker.check(f"{place}: {key} has no value in any document", (place, key) in seen)


if __name__ == "__main__":
    run_program(check_all)
