"""Runs each program in a region and under ironwork with the same requests, and compares the commareas by their fields.

Called by run.sh with the gateway's binary, ironwork, and names of programs (all of them if there are none). The text is that
of an ASCII page in the region and EBCDIC under ironwork, so what is compared is what `gantry record decode` reads. The last
line is `N compared, M differ`.

requests/NAME.jsonl has a request a line for programs/NAME.cbl, whose commarea is copybooks/NAME.cpy. What ironwork cannot run
is compared with expected/NAME.jsonl, written by the documentation. differences.toml lists the differences that are
known, each with its reason; one that is not there any more is a difference too.
"""

import fnmatch
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
CCSID, EBCDIC = 819, 37
APPLID, SYSID, USER, TRANSACTION = "IRONWORK", "IRON", "TESTER", "IRON"
CLOCK = "2026-09-27T12:00:00"
RUN_MAX_S = 120

CONFIGURATION = """[[listener]]
address = "127.0.0.1:0"
[region]
applid = "{applid}"
sysid = "{sysid}"
default_user = "{user}"
workers = 1
cache = "{cache}"
store = "{store}"
[[region.file]]
name = "BOOKS"
organization = "ksds"
record_bytes = 20
key_bytes = 6
"""

SERVICE = """ccsid = {ccsid}
[provider]
kind = "program"
program = "{name}"
transaction = "{transaction}"
[request]
copybook = "{name}.cpy"
[response]
copybook = "{name}.cpy"
"""

# ironwork writes the commarea that RETURN TRANSID names; the program under test is linked to, as by the gateway.
DRIVER = """       IDENTIFICATION DIVISION.
       PROGRAM-ID. DRIVER.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY {name}.
       PROCEDURE DIVISION.
           EXEC CICS LINK PROGRAM('{name}') COMMAREA(DFHCOMMAREA)
             LENGTH(EIBCALEN) END-EXEC
           EXEC CICS RETURN TRANSID('NEXT') COMMAREA(DFHCOMMAREA)
             LENGTH(EIBCALEN) END-EXEC.
"""


def run(command, **options):
    return subprocess.run(command, capture_output=True, timeout=RUN_MAX_S, **options)


def said(done):
    return (done.stderr + done.stdout).decode(errors="replace").strip()


class Sides:
    """The two engines."""

    def __init__(self, gantry, ironwork, folder):
        self.gantry, self.ironwork, self.folder = gantry, ironwork, folder
        cache = Path(gantry).parent / "ironwork-programs"
        cache.mkdir(mode=0o700, exist_ok=True)
        settings = CONFIGURATION.format(applid=APPLID, sysid=SYSID, user=USER, cache=cache.resolve(), store=folder / ".store")
        (folder / "gantry.toml").write_text(settings)
        (folder / "services").mkdir()
        for part in ("programs", "copybooks"):
            (folder / part).symlink_to(HERE / part)

    def add(self, name):
        service = SERVICE.format(ccsid=CCSID, name=name, transaction=TRANSACTION)
        (self.folder / "services" / f"{name.lower()}.toml").write_text(service)

    def record(self, name, request, ccsid):
        """A request as the bytes of the commarea."""
        command = [self.gantry, "record", "encode", HERE / f"copybooks/{name}.cpy", "--ccsid", str(ccsid)]
        path = self.folder / f"request-{ccsid}"
        done = run([*command, "--output", path], input=request.encode())
        if done.returncode:
            raise ValueError(f"{name}: the request {request}: {said(done)}")
        return path

    def fields(self, name, path, ccsid):
        """The commarea's fields by their paths."""
        command = [self.gantry, "record", "decode", HERE / f"copybooks/{name}.cpy", "--ccsid", str(ccsid), path]
        done = run(command)
        if done.returncode:
            return {"(record)": said(done)}
        return fields_of(done.stdout)

    def region(self, name, request):
        """What a region makes of a request."""
        out = self.folder / "answer"
        command = [self.gantry, "call", name.lower(), "--in", self.folder, "--out", out]
        done = run([*command, "--record", self.record(name, request, CCSID)])
        return self.outcome(name, done, (out, CCSID), r"abend (\S+) in program")

    def other(self, name, request):
        """What ironwork makes of it."""
        driver, out = self.folder / "DRIVER.cbl", self.folder / "other"
        driver.write_text(DRIVER.format(name=name))
        out.unlink(missing_ok=True)
        books = self.folder / "books"
        books.write_bytes(b"")
        command = [self.ironwork, "cics", driver, "-I", HERE / "copybooks", "-L", HERE / "programs"]
        command += ["--transid", TRANSACTION, "--applid", APPLID, "--sysid", SYSID, "--userid", USER]
        command += ["--cics-return-warning=never", "--clock", CLOCK, "--commarea-out", out]
        command += ["--file", f"BOOKS={books},KSDS,key=0:6,len=20"]
        done = run([*command, "--commarea", self.record(name, request, EBCDIC)])
        return self.outcome(name, done, (out, EBCDIC), r"ABEND (\S+):")

    def outcome(self, name, done, answer, abend):
        if done.returncode == 0:
            return self.fields(name, *answer)
        code = re.search(abend, said(done))
        return {"(abend)": code[1]} if code and code[1] != "IRONWORK" else {"(failure)": said(done)}


def flat(value, path=""):
    """The leaves of JSON with their paths."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value, 1):
            yield from flat(inner, f"{path}[{index}]")
    else:
        yield path, value


def fields_of(text):
    """The fields of a record in JSON, numbers as they are written."""
    return dict(flat(json.loads(text, parse_float=str, parse_int=str)))


class Known:
    """The differences with a reason."""

    def __init__(self):
        text = (HERE / "differences.toml").read_text()
        self.entries = tomllib.loads(text).get("difference", [])
        self.used = set()

    def reason(self, name, number, field):
        for index, entry in enumerate(self.entries):
            requests = entry.get("requests", [number])
            if entry["program"] == name and number in requests and fnmatch.fnmatchcase(field, entry["field"]):
                self.used.add(index)
                return entry["reason"]
        return None

    def unused(self, names):
        unseen = (entry for index, entry in enumerate(self.entries) if index not in self.used)
        return [entry for entry in unseen if entry["program"] in names]


def lines(path):
    return [line for line in path.read_text().splitlines() if line.strip()]


def main(gantry, ironwork, *wanted):
    names = sorted(path.stem for path in (HERE / "requests").glob("*.jsonl"))
    names = [name for name in names if not wanted or name in wanted]
    known = Known()
    compared = differ = listed = 0
    with tempfile.TemporaryDirectory(prefix="gantry-ironwork-") as folder:
        sides = Sides(gantry, ironwork, Path(folder))
        for name in names:
            sides.add(name)
        for name in names:
            documented = HERE / f"expected/{name}.jsonl"
            expected = [fields_of(line) for line in lines(documented)] if documented.exists() else None
            for number, request in enumerate(lines(HERE / f"requests/{name}.jsonl"), 1):
                ours = sides.region(name, request)
                theirs = expected[number - 1] if expected else sides.other(name, request)
                whose = "documented" if expected else "ironwork"
                for field in sorted(ours.keys() | theirs.keys()):
                    compared += 1
                    here, there = ours.get(field), theirs.get(field)
                    if here == there:
                        continue
                    if known.reason(name, number, field):
                        listed += 1
                        continue
                    differ += 1
                    print(f"{name} {number} {field}: region {here!r}, {whose} {there!r}")
    for entry in known.unused(names):
        differ += 1
        print(f"{entry['program']} {entry['field']}: differences.toml lists a difference that there is not")
    print(f"{listed} differences are listed in tests/ironwork/differences.toml")
    print(f"{compared} compared, {differ} differ")
    return 1 if differ or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
