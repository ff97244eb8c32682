"""Servers of SOAP that nobody here wrote: gSOAP and Apache CXF are called by services and by API requesters.

The servers stand in tests/servers. `make soap` runs this file for CXF: servers.py BINARY. A server is made in the folder of build output for each version of SOAP and each form of elements. gSOAP's own
code, which soapcpp2 writes there, is under the GPL, so it stays there.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

import requests

from clients import run
from server import Server

ROOT = Path(__file__).resolve().parents[2]
SERVERS = ROOT / "tests" / "servers"
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute() / "servers"

START_MAX_S = 60
CALL_MAX_S = 60

# Version of SOAP, and whether the elements inside of the body's element have its namespace.
KINDS = [("1.1", "qualified"), ("1.1", "unqualified"), ("1.2", "qualified"), ("1.2", "unqualified")]

LINES = ["one", "two", "<three>", "four & more", "fünf"]


def found(item: str, quantity: int) -> dict:
    return {"name": item, "price": Decimal("12345.5"), "stock": 999999999999999999, "line": LINES[:quantity]}


class Shop:
    """A server, with a configuration that leads to it: `with Gsoap(version, form) as shop`."""

    command: list
    folder: Path
    words: dict

    def __enter__(self) -> "Shop":
        with (self.folder / "server.log").open("w") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        watchdog = threading.Timer(START_MAX_S, self.process.kill)
        watchdog.start()
        line = self.process.stdout.readline()
        watchdog.cancel()
        assert (port := re.fullmatch(r"port (\d+)\n", line)), f"the server does not start: {line}"
        for path in [path for ending in ("*.toml", "*.xml") for path in (self.folder / "gateway").rglob(ending)]:
            text = path.read_text().replace("URL", f"http://127.0.0.1:{port.group(1)}")
            for word, value in self.words.items():
                text = text.replace(word, value)
            path.write_text(text)
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()


class Gsoap(Shop):
    """The server by gSOAP."""

    def __init__(self, version: str, form: str):
        self.folder = BUILT / f"{version}-{form}"
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(SERVERS / "gsoap", self.folder)
        shutil.copytree(SERVERS / "gateway", self.folder / "gateway")
        self.words = {"VERSION": version, "FORM": form}
        prefix = "s__" if form == "qualified" else ""
        header = self.folder / "shop.h"
        header.write_text(header.read_text().replace("PREFIX", prefix).replace("FORM", form))
        run(["soapcpp2", "-c", "-S", "-L", "-x", f"-{version[-1]}", "shop.h"], self.folder)
        in_form = f"{prefix}##name" if prefix else "name"
        command = ["cc", "-I.", f"-DF(name)={in_form}", "-o", "shop", "main.c", "soapC.c", "soapServer.c", "-lgsoap"]
        run(command, self.folder)
        self.command = [self.folder / "shop"]


class Cxf(Shop):
    """The server by Apache CXF, which Maven gets. It is made once, with the classes of both forms of elements."""

    def __init__(self, version: str, form: str):
        built = BUILT / "cxf"
        if Cxf.is_stale:
            shutil.rmtree(built, ignore_errors=True)
            shutil.copytree(SERVERS / "cxf", built)
            java = built / "src" / "main" / "java"
            for known in ("qualified", "unqualified"):
                shutil.copytree(java / "form", java / known)
                for path in (java / known).glob("*.java"):
                    text = path.read_text("utf-8").replace("package form;", f"package {known};").replace("UPPER", known.upper())
                    path.write_text(text, "utf-8")
            shutil.rmtree(java / "form")
            run(["mvn", "--batch-mode", "--quiet", "package"], built)
            Cxf.is_stale = False
        self.folder = BUILT / f"cxf-{version}-{form}"
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(SERVERS / "gateway", self.folder / "gateway")
        shutil.copytree(SERVERS / "pictures", self.folder / "gateway", dirs_exist_ok=True)
        self.words = {"VERSION": version, "FORM": form}
        self.command = ["java", "-Djava.net.preferIPv4Stack=true", "-cp", f"{built}/target/classes:{built}/target/lib/*", "Server", version, form]

    is_stale = True


def call(binary: Path, shop: Shop, name: list[str], request: dict) -> subprocess.CompletedProcess:
    command = [binary, "call", *name, "--in", shop.folder / "gateway", "--json", json.dumps(request)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CALL_MAX_S)


def check_calls(binary: Path, shop: Shop) -> None:
    """The service and the API requester get each value as the server wrote it, and its faults."""
    for name in (["find"], ["SHOP", "Find"]):
        for item, quantity in (("Zoë & <Bob>", 5), ("LAMP", 1)):
            done = call(binary, shop, name, {"item_id": item, "quantity": quantity})
            assert done.returncode == 0, done.stderr
            answer = json.loads(done.stdout, parse_float=Decimal)
            assert answer == found(item, quantity), answer
        refused = call(binary, shop, name, {"item_id": "LAMP", "quantity": -1})
        assert refused.returncode != 0, refused.stdout
        for told in ("Less than nothing cannot be found", "no &amp; never", "Client" if shop.words["VERSION"] == "1.1" else "Sender"):
            assert told in refused.stderr, refused.stderr


def check_gateway(binary: Path, shop: Shop) -> None:
    """Requests over REST share one kept connection; a fault has its code; a server that is gone has another one."""
    with Server(binary, shop.folder / "gateway") as server:
        def find(quantity: int) -> requests.Response:
            url = f"{server.url}/shop/find"
            return requests.post(url, json={"item_id": "SOFA", "quantity": quantity}, timeout=CALL_MAX_S)

        for quantity in (1, 2, 3):
            answer = find(quantity)
            assert answer.status_code == 200, answer.text
            assert json.loads(answer.text, parse_float=Decimal) == found("SOFA", quantity), answer.text
        refused = find(-1)
        assert refused.status_code == 502 and "GTY0515E" in refused.text, refused.text
        assert "nothing" not in refused.text, refused.text
        shop.process.kill()
        shop.process.wait()
        gone = find(1)
        assert gone.status_code == 503 and "GTY0503E" in gone.text, gone.text


def check_pictures(binary: Path, shop: Shop) -> None:
    """Bytes go to the server as parts of MIME packages, through a pipeline with cics_mtom_handler, and come back so."""
    for image in (bytes(range(256)) * 12, bytes(3072)):
        request = {"label": "", "image": base64.b64encode(image).decode()}
        done = call(binary, shop, ["PICTURES", "Picture"], request)
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert answer == {"label": "part", "image": base64.b64encode(image[::-1]).decode()}, done.stdout[:200]


def check(tests, binary: Path, server: type[Shop] = Gsoap) -> None:
    for version, form in KINDS:
        name = f"servers: {server.__name__} over SOAP {version}, {form}"
        made: list[Shop] = []
        tests.run(f"{name}: is made", lambda: made.append(server(version, form)))
        for shop in made:
            with shop:
                tests.run(f"{name}: calls from the command line", check_calls, binary, shop)
                if server is Cxf:
                    tests.run(f"{name}: MTOM", check_pictures, binary, shop)
                tests.run(f"{name}: requests through the gateway", check_gateway, binary, shop)


def main() -> int:
    from tests import Tests

    tests = Tests()
    check(tests, Path(sys.argv[1]).absolute(), Cxf)
    print(f"{tests.passed} passed, {tests.failed} failed")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main())
