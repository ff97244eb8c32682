"""Clients of SOAP that nobody here wrote: node-soap, gSOAP and Apache CXF call a service with all kinds of fields.

The clients stand in tests/clients. Each is made in the folder of build output from the WSDL that the gateway serves, prints the values of the
answer or the fault as lines, and is judged here. `make soap` runs this file for CXF: clients.py BINARY cxf.
"""

import json
import os
import shutil
import subprocess
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path

from server import Server

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "tests" / "clients"
GATEWAY = CLIENTS / "gateway"
VALUES = CLIENTS / "values.json"
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute() / "clients"
PATH = "/cics/services/KINDS"
PHOTO_PATH = "/cics/services/PHOTO"
VERSIONS = ("1.1", "1.2")

RUN_MAX_S = 600
CALL_MAX_S = 60

TOO_LARGE = "10000"
# The SOAP 1.1 and 1.2 fault of a number that is too large for its field.
FAULTS = {"1.1": {"status": "500", "code": "Client"}, "1.2": {"status": "400", "code": "Sender"}}


def run(command: list, folder: Path, max_s: int = RUN_MAX_S) -> str:
    """Runs a command and returns what it prints; its errors become the failure."""
    done = subprocess.run(
        command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=max_s
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def fresh(name: str) -> Path:
    """An empty folder with the files of a client."""
    folder = BUILT / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(CLIENTS / name, folder)
    return folder


class Node:
    """node-soap reads the WSDL each time; npm installs it once for a lock file."""

    def __init__(self, server: Server):
        self.wsdl = f"{server.url}{PATH}?wsdl"
        self.folder = BUILT / "node"
        known, wanted = self.folder / "package-lock.json", CLIENTS / "node" / "package-lock.json"
        is_there = (self.folder / "node_modules" / ".complete").exists() and known.read_bytes() == wanted.read_bytes()
        if not is_there:
            fresh("node")
            run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"], self.folder)
            (self.folder / "node_modules" / ".complete").touch()

    def call(self, version: str, *zoned: str) -> str:
        shutil.copy(CLIENTS / "node" / "call.js", self.folder)
        return run(["node", "call.js", self.wsdl, version, VALUES, *zoned], self.folder, CALL_MAX_S)


class Gsoap:
    """wsdl2h and soapcpp2 make the client in C, once for each version of SOAP."""

    def __init__(self, server: Server):
        self.url = f"{server.url}{PATH}"
        self.folder = fresh("gsoap")
        run(["wsdl2h", "-c", "-o", "kinds.h", f"{self.url}?wsdl"], self.folder)
        for version in VERSIONS:
            made = self.folder / version
            made.mkdir()
            option = f"-{version[-1]}"
            run(["soapcpp2", "-c", "-C", "-L", "-x", option, "-d", made, "-I/usr/share/gsoap/import", "kinds.h"], self.folder)
            run(["cc", "-I.", "-o", "call", "../call.c", "soapC.c", "soapClient.c", "-lgsoap"], made)

    def call(self, version: str, *zoned: str) -> str:
        return run([self.folder / version / "call", self.url, *zoned], self.folder, CALL_MAX_S)


class Cxf:
    """Maven gets CXF, and its wsdl2java makes the client in Java."""

    def __init__(self, server: Server):
        self.wsdl, self.photo_wsdl = f"{server.url}{PATH}?wsdl", f"{server.url}{PHOTO_PATH}?wsdl"
        self.folder = fresh("cxf")
        wsdls = [f"-Dwsdl={self.wsdl}", f"-Dphoto={self.photo_wsdl}"]
        run(["mvn", "--batch-mode", "--quiet", *wsdls, "package"], self.folder)

    def call(self, version: str, *zoned: str) -> str:
        return self.java("Call", self.wsdl, version, *zoned)

    def photo(self, version: str) -> str:
        return self.java("Photo", self.photo_wsdl, version)

    def java(self, *command: str) -> str:
        libraries = f"{self.folder}/target/cxf-client-1.jar:{self.folder}/target/lib/*"
        return run(["java", "-cp", libraries, *command], self.folder, CALL_MAX_S)


KINDS = {"node-soap": Node, "gsoap": Gsoap, "cxf": Cxf}


def lines(text: str) -> dict:
    """Lines of NAME=VALUE; numbers are compared as numbers."""
    return {name: normal(value) for name, _, value in (line.partition("=") for line in text.splitlines())}


def normal(value: str):
    try:
        return Decimal(value)
    except InvalidOperation:
        return value


def flat(value, name: str = "") -> dict:
    """The values of JSON by their paths."""
    if not isinstance(value, dict | list):
        return {name: normal(value)}
    members = value.items() if isinstance(value, dict) else enumerate(value)
    found: dict = {}
    for key, inner in members:
        found |= flat(inner, f"{name}.{key}" if name else str(key))
    return found


def check_echo(client, version: str) -> None:
    """All values come back as they were sent."""
    expected, found = flat(json.loads(VALUES.read_text("utf-8"))), lines(client.call(version))
    wrong = {name: (expected.get(name), found.get(name)) for name in expected | found if expected.get(name) != found.get(name)}
    assert not wrong, f"path: (sent, came back): {wrong}"


def check_fault(client, version: str) -> None:
    """A number that is too large for its field is a fault that the client understands."""
    found = {name.removeprefix("fault."): str(value) for name, value in lines(client.call(version, TOO_LARGE)).items()}
    expected = {**FAULTS[version], "text": "Conversion from SOAP failed", "condition": "OUTPUT_OVERFLOW"}
    # CXF does not tell the status.
    found.setdefault("status", expected["status"])
    assert found == expected, found


def check_photo(client, version: str) -> None:
    """Bytes go out and come back as parts of MIME packages."""
    found = client.photo(version)
    assert found == "LAMP true\n", found


def check(tests, binary: Path, names: list[str]) -> None:
    """All calls by the clients of these names."""
    with Server(binary, GATEWAY) as server:
        for name in names:
            made = []
            tests.run(f"clients: {name} is made from the WSDL", lambda: made.append(KINDS[name](server)))
            for version in VERSIONS:
                checks = {"all kinds of fields": check_echo, "a fault": check_fault}
                if KINDS[name] is Cxf:
                    checks["MTOM"] = check_photo
                for what, test in checks.items():
                    if made:
                        tests.run(f"clients: {name} over SOAP {version}: {what}", test, made[0], version)


def main() -> int:
    from tests import Tests

    tests = Tests()
    check(tests, Path(sys.argv[1]).absolute(), sys.argv[2:])
    print(f"{tests.passed} passed, {tests.failed} failed")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main())
