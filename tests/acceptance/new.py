#!/usr/bin/env python3
"""Takes 100 random copybooks below a folder through `gantry new` to an answer of the simulated provider: a part of `make conformance`.

Usage: new.py GANTRY CASES [SEED]. The seed is printed; with it, the same copybooks are chosen.

Every 01 level of every copybook is a candidate. Each must be refused with a reason, or become a folder whose request to try is answered
with JSON that is valid by the schema in the API's OpenAPI document. Prints the counts and every failure; ends with 1 if there is one.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.request

ENDINGS = (".cpy", ".cob", ".cbl", ".copybook")
COUNT = 100


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def candidates(gantry, cases):
    """Copybooks, each with one of its records, or with none if it has only one or cannot be read."""
    found = []
    for folder, _, names in os.walk(cases):
        for name in names:
            if name.lower().endswith(ENDINGS):
                path = os.path.join(folder, name)
                code, _, errors = run(gantry, "new", "probe", "--into", "/dev/null/probe", "--copybook", path)
                several = re.search(r"say --record one of (.*)", errors)
                records = several.group(1).split(", ") if several else [None]
                found += [(path, record) for record in records]
    return sorted(found, key=str)


def check(value, schema, document, place="$"):
    """Raises if the value is not valid, by the words of JSON Schema that Gantry's documents have."""
    if "$ref" in schema:
        target = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part.replace("~1", "/").replace("~0", "~")]
        return check(value, target, document, place)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    holds = {"object": isinstance(value, dict), "array": isinstance(value, list), "string": isinstance(value, str),
             "number": is_number, "integer": is_number and value == int(value), "boolean": isinstance(value, bool),
             "null": value is None}
    assert not kinds or any(holds[kind] for kind in kinds), f"{place}: {value!r} is not {kinds}"
    assert "enum" not in schema or value in schema["enum"], f"{place}: {value!r} is not listed"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        missing = [name for name in schema.get("required", []) if name not in value]
        assert not missing, f"{place}: {missing} missing"
        for name, inner in value.items():
            assert name in known, f"{place}: {name} is not in the schema"
            check(inner, known[name], document, f"{place}.{name}")
    elif isinstance(value, list):
        assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), f"{place}: {len(value)} rows"
        for row in value:
            check(row, schema.get("items", {}), document, f"{place}[]")
    elif isinstance(value, str):
        assert len(value) <= schema.get("maxLength", len(value)), f"{place}: {value!r} is too long"
    elif is_number:
        assert schema.get("minimum", value) <= value <= schema.get("maximum", value), f"{place}: {value} is out of its limits"


def ask(url, data=None):
    headers = {"content-type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=20) as answer:
        return json.load(answer)


def serve(gantry, folder):
    """Sends the request to try, and checks the answer by the document."""
    with open(os.path.join(folder, "requests.http"), encoding="utf-8") as file:
        head, body = file.read().split("\n\n", 1)
    path = head.splitlines()[1].split("2222", 1)[1]
    with tempfile.TemporaryFile() as log, subprocess.Popen(
            [gantry, "serve", folder, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=log, text=True) as process:
        try:
            line = process.stdout.readline()
            assert line.startswith("gantry serves on "), f"it does not start: {line!r}"
            url = line.split()[-1]
            answer = ask(url + path, body.encode())
            document = ask(url + "/shop/openapi.json")
            operation = document["paths"]["/"]["post"]
            schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
            check(answer, schema, document)
        finally:
            process.terminate()


def main():
    gantry, cases = os.path.abspath(sys.argv[1]), sys.argv[2]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1_000_000)
    found = candidates(gantry, cases)
    chosen = random.Random(seed).sample(found, min(COUNT, len(found)))
    answered, refused, failed = 0, [], []
    with tempfile.TemporaryDirectory() as place:
        for index, (path, record) in enumerate(chosen):
            folder = os.path.join(place, str(index))
            more = ["--record", record] if record else []
            name = os.path.relpath(path, cases) + (f" {record}" if record else "")
            code, _, errors = run(gantry, "new", "shop", "--into", folder, "--copybook", path, *more)
            try:
                if code == 0:
                    serve(gantry, folder)
                    answered += 1
                else:
                    lines = [line for line in errors.splitlines() if line.strip() and not line.endswith("(warning)")]
                    assert code == 1 and lines and not os.path.exists(folder), f"exit code {code}: {errors}"
                    refused.append(f"{name}: {lines[0]}")
            except Exception as error:  # Each failure is told, and the others are tried.
                failed.append(f"{name}: {error!r}")
    for line in refused:
        print(f"refused: {line}")
    for line in failed:
        print(f"FAILED:  {line}")
    print(f"gantry new, seed {seed}: {answered} answered, {len(refused)} refused with a reason, {len(failed)} failed, of {len(chosen)}"
          f" ({len(found)} records in all)")
    return 1 if failed or not answered else 0


sys.exit(main())
