"""Clients of IBM MQ's messaging REST interface that nobody here wrote, unchanged, over TLS.

`tests/clients/mq-curl` has scripts of ibm-messaging/cp4i-mq-samples, which call curl; beside them stand commands that the scripts expect of
their cluster. `tests/clients/mq-node` has modules of ibm-messaging/mq-dev-patterns, which need axios; `call.js` calls them.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.parse
from pathlib import Path

from captured import PASSWORD, configure
from clients import BUILT, CLIENTS, run
from server import Server
from tests import Tests

CURL = CLIENTS / "mq-curl"
NODE = CLIENTS / "mq-node"
TLS = 'tls = { certificate = "cert.pem", private_key = "key.pem" }'
CALL_MAX_S = 60


def with_tls(folder: Path, manager: str) -> None:
    configure(folder, manager, TLS)
    names = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-subj", "/CN=127.0.0.1"]
    run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names], folder)


class Scripts:
    """The scripts in a folder of their own, where they keep their cookies, with the commands of their cluster."""

    def __init__(self, folder: Path, server: Server):
        self.folder = folder
        host = urllib.parse.urlsplit(server.url).netloc
        for name, text in {"oc": f"echo {host}", "ping": "exit 0"}.items():
            (folder / name).write_text(f"#!/bin/sh\n{text}\n")
            (folder / name).chmod(0o755)
        self.environment = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}

    def call(self, name: str) -> str:
        """What a script prints, behind the name of the host."""
        done = subprocess.run(
            [CURL / f"{name}.sh"], cwd=self.folder, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=CALL_MAX_S)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        return done.stdout.split("\n", 1)[1]


def check_scripts(scripts: Scripts, manager: str, text: str, logins: list[str]) -> None:
    """Two puts, a browse, two gets, and a get on an empty queue."""
    name = f"run-{manager.lower()}-rest"
    for user in logins:
        said = scripts.call(f"login-{manager.lower()}-rest-{user}")
        assert " 204" in said.splitlines()[0] and "LtpaToken2" in said, said
    shown = json.loads(scripts.call(f"{name}-dspmq"))
    assert shown == {"qmgr": [{"name": manager, "state": "running"}]}, shown
    said = scripts.call(f"{name}-put")
    assert len(re.findall(r"^HTTP/\S+ 201", said, re.MULTILINE)) == 2, said
    assert len(re.findall("^ibm-mq-md-messageid: [0-9a-f]{48}", said, re.MULTILINE | re.IGNORECASE)) == 2, said
    expected = {"browse": [f"Test message 1 - {text}"], "get": [f"Test message {number} - {text}" for number in (1, 2)] + [""]}
    for act, bodies in expected.items():
        for body in bodies:
            said = scripts.call(f"{name}-{act}")
            assert said.split("\n", 1)[1].rstrip("\n") == body, f"{act}: expected {body!r}, found {said!r}"


def check_curl(binary: Path, manager: str, text: str, logins: list[str]) -> None:
    with tempfile.TemporaryDirectory() as config, tempfile.TemporaryDirectory() as own:
        with_tls(Path(config), manager)
        with Server(binary, Path(config), configured=True) as server:
            check_scripts(Scripts(Path(own), server), manager, text, logins)


def check_node(binary: Path) -> None:
    """Three messages are put side by side, and got again."""
    folder = BUILT / "mq-node"
    known, complete = folder / "package-lock.json", folder / "node_modules" / ".complete"
    if not (complete.exists() and known.read_bytes() == (NODE / "package-lock.json").read_bytes()):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(NODE, folder)
        run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"], folder)
        complete.touch()
    shutil.copytree(NODE, folder, dirs_exist_ok=True)
    with tempfile.TemporaryDirectory() as config:
        with_tls(Path(config), "QM1")
        with Server(binary, Path(config), configured=True) as server:
            place = urllib.parse.urlsplit(server.url)
            settings = {"QM_NAME:0": "QM1", "MQ_HOST:0": place.hostname, "MQ_PORT:0": str(place.port)}
            settings |= {"MQ_APPUSER:0": "app1", "MQ_PASSWORD:0": PASSWORD, "ALLOW_SELF_SIGNED": "true"}
            command = ["node", "call.js", "QM1", "DEV.QUEUE.1", "3", "hello"]
            done = subprocess.run(
                command, cwd=folder, env=os.environ | settings, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=CALL_MAX_S)
            assert done.returncode == 0, f"{done.stdout}{done.stderr}"
            got = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(message["message"] for message in got) == [f"hello : {number} of 3" for number in (1, 2, 3)], got
    assert all(re.fullmatch("ID:[0-9a-f]{48}", message["messageId"]) for message in got), got


def check(tests: Tests, binary: Path) -> None:
    """All clients."""
    put = "put using MQ REST API"
    tests.run("clients of MQ: scripts with curl and passwords", check_curl, binary, "QM9", put, [])
    logins = ["app1", "mqadmin"]
    tests.run("clients of MQ: scripts with curl and tokens", check_curl, binary, "QM12", f"{put} with Token authentication", logins)
    tests.run("clients of MQ: modules for Node.js with axios", check_node, binary)
