"""Captured requests of clients of IBM MQ, and captured answers of mqweb, against the running gateway: a part of `make conformance`.

Usage: captured.py GANTRY FOLDER. The folder is that of the cases. `client-requests.jsonl` in it has requests with the status that
the client got; they are sent in their order, to a gateway with the queue manager that they name. `mqweb-transcripts.json` has requests
with answers. The cases are not part of the repository. Only what is left out of a capture is filled in: credentials and tokens.
The last line is `N passed, N failed`.
"""

import base64
import http.client
import json
import re
import sys
import tempfile
import urllib.parse
from pathlib import Path

from server import Server
from tests import Tests

PASSWORD = "passw0rd"
# The hash of PASSWORD in the users file of the example `queues`.
USERS = Path(__file__).resolve().parents[2] / "examples/queues/users.txt"
APPS = ["app1", "app"]
OPERATORS = ["mqadmin"]
READERS = ["reader"]
# Those that clients work with, whatever the queue manager.
QUEUES = ["Q1", "DEV.QUEUE.1", "JAVA.Q", "NR.Q"]
# Set by the connection, not by the client.
OF_THE_CONNECTION = {"host", "content-length", "connection", "accept-encoding"}
# They name the moment, or scripts that Gantry does not send.
OF_THE_MOMENT = {"set-cookie", "ibm-mq-md-messageid", "content-security-policy"}
# HTTP allows no length with 204 (RFC 9110, 8.6).
NOT_WITH_204 = {"content-length"}
# The transcripts of which a gateway has nothing to show.
NOT_HERE = {"standby-qmgr": "a queue manager that stands by: Gantry has none"}

CONFIG = """
[[listener]]
address = "127.0.0.1:0"
{tls}
[[security.authenticator]]
kind = "basic"
users = "users.txt"

[[security.authenticator]]
kind = "token"

[security.roles]
admin = ["operators"]
reader = ["readers"]

[store]
path = "queues.store"

[queue_manager]
name = "{name}"
"""


def configure(folder: Path, manager: str, tls: str = "") -> None:
    """A gateway with a queue manager and the queues of the captures; `tls` is the listener's."""
    queues = "".join(f'\n[[queue_manager.queue]]\nname = "{queue}"\n' for queue in QUEUES)
    (folder / "gantry.toml").write_text(CONFIG.format(name=manager, tls=tls) + queues)
    secret = USERS.read_text().splitlines()[0].split(":", 2)[2]
    groups = {"apps": APPS, "operators": OPERATORS, "readers": READERS}
    users = [f"{user}:{group}:{secret}\n" for group, users in groups.items() for user in users]
    (folder / "users.txt").write_text("".join(users))
    (folder / "users.txt").chmod(0o600)


class Caller:
    """Sends captured requests, with what was left out of them."""

    def __init__(self, server: Server):
        self.address = urllib.parse.urlsplit(server.url).netloc
        self.cookie = ""

    def send(self, method: str, path: str, headers: dict[str, str], body: str = "") -> tuple[int, dict[str, str], str]:
        """Status, headers by their names in lower case, body."""
        user = "mqadmin" if "/admin/" in path else "app1"
        basic = "Basic " + base64.b64encode(f"{user}:{PASSWORD}".encode()).decode()
        sent = {}
        for name, value in headers.items():
            if name.lower() == "authorization":
                value = basic if "..." in value or "(" in value else value
            elif name.lower() == "cookie":
                value = self.cookie
            elif name.lower() in OF_THE_CONNECTION:
                continue
            sent[name] = value
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            connection.request(method, path, body.encode() if body or method == "POST" else None, sent)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        found = {name.lower(): value for name, value in answer.getheaders()}
        if "set-cookie" in found:
            self.cookie = found["set-cookie"].split(";")[0]
        return answer.status, found, text


def manager_of(path: str) -> str | None:
    named = re.search(r"/qmgr/([^/?]+)", path)
    return named and named.group(1)


def by_manager(requests: list[dict]) -> list[tuple[str, list[dict]]]:
    """The requests in their order, in runs of one queue manager. A request that names none goes with the next one that does."""
    runs: list[tuple[str, list[dict]]] = []
    waiting: list[dict] = []
    for request in requests:
        waiting.append(request)
        if name := manager_of(request["path"]):
            if not runs or runs[-1][0] != name:
                runs.append((name, []))
            runs[-1][1].extend(waiting)
            waiting = []
    if waiting and runs:
        runs[-1][1].extend(waiting)
    return runs


def replay(caller: Caller, request: dict, messages: dict[str, int]) -> None:
    """Sends a request and judges its status. Where the capture has an empty queue, gets that it leaves out come first."""
    path = request["path"].split("?")[0]
    expected = request["answered"]
    more = messages.get(path, 0) if request["method"] == "DELETE" and expected == 204 else 0
    for _ in range(more):
        status, _, body = caller.send(request["method"], request["path"], request["headers"])
        assert status == 200, f"a get that the capture leaves out: {status}: {body}"
    status, headers, body = caller.send(request["method"], request["path"], request["headers"], request["body"])
    assert status == expected, f"expected {expected}, found {status}: {body}"
    if request["method"] == "POST" and path.endswith("/message"):
        messages[path] = messages.get(path, 0) + 1
        assert re.fullmatch("(ID:)?[0-9a-f]{48}", headers.get("ibm-mq-md-messageid", "")), f"message id: {headers}"
    elif request["method"] == "DELETE" and path.endswith("/message"):
        messages[path] = 0 if expected == 204 else messages.get(path, 0) - 1
        assert (expected == 204) == (body == ""), f"body: {body!r}"


def replay_all(tests: Tests, binary: Path, requests: list[dict]) -> None:
    number = 0
    for name, run in by_manager(requests):
        with tempfile.TemporaryDirectory() as folder:
            configure(Path(folder), name)
            with Server(binary, Path(folder)) as server:
                caller, messages = Caller(server), {}
                for request in run:
                    number += 1
                    shown = f"captured request {number}: {request['method']} {request['path']}"
                    tests.run(shown, replay, caller, request, messages)
                server.check_alive()


def prepared(caller: Caller, case: dict) -> dict:
    """The request of a transcript, with what the source does not print; what must be there is put there."""
    request = dict(case.get("request", {}))
    headers = dict(request.get("headers", {}))
    match case["id"]:
        case "put-201" | "put-201-second":
            headers |= {"Content-Type": "text/plain;charset=utf-8"}
        case "login-get":
            body = json.dumps({"username": "reader", "password": PASSWORD})
            caller.send("POST", request["path"], {"Content-Type": "application/json"}, body)
            headers["Cookie"] = "..."
        case "token-expired":
            request = {"method": "GET", "path": "/ibmmq/rest/v2/messaging/qmgr/QM12/queue/Q1/message"}
            caller.cookie = "LtpaToken2_1648032846462470073=AAAA"
            headers["Cookie"] = "..."
        case "basic-auth-failed":
            headers["Authorization"] = "Basic " + base64.b64encode(b"app1:wrong").decode()
        case "mqsc-json-ok":
            put = {"Authorization": "...", "Content-Type": "text/plain", "ibm-mq-rest-csrf-token": ""}
            for _ in range(10):
                caller.send("POST", "/ibmmq/rest/v2/messaging/qmgr/QM1/queue/DEV.QUEUE.1/message", put, "x")
        case "mqsc-json-unknown-queue":
            body = {"type": "runCommandJSON", "command": "display", "qualifier": "qlocal", "name": "FAKE.QUEUE"}
            headers["Content-Type"] = "application/json"
            request = {"method": "POST", "path": "/ibmmq/rest/v2/admin/action/qmgr/QM1/mqsc", "body": json.dumps(body)}
    if not {"authorization", "cookie"} & {name.lower() for name in headers} and not request["path"].endswith("/login"):
        headers["Authorization"] = "..."
    headers.setdefault("ibm-mq-rest-csrf-token", "value")
    return request | {"headers": headers}


def has(found, expected) -> bool:
    """True if all members that are expected are there; more may be."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(name in found and has(found[name], value) for name, value in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(has, found, expected))
    return found == expected


def compare_transcript(caller: Caller, case: dict) -> None:
    request, expected = prepared(caller, case), case["response"]
    status, headers, body = caller.send(request["method"], request["path"], request["headers"], request.get("body", ""))
    assert status == expected["status"], f"expected {expected['status']}, found {status}: {body}"
    if isinstance(expected.get("body"), dict):
        assert has(json.loads(body), expected["body"]), f"expected {expected['body']}, found {body}"
    elif "body" in expected:
        assert body == expected["body"], f"expected {expected['body']!r}, found {body!r}"
    same = lambda text: re.sub(r"\s|;$", "", text.lower())  # noqa: E731
    for name, value in expected.get("headers", {}).items():
        found = headers.get(name.lower())
        if status == 204 and name.lower() in NOT_WITH_204:
            continue
        assert found is not None, f"{name} is missing: {headers}"
        if name.lower() not in OF_THE_MOMENT:
            assert same(found) == same(value), f"{name}: expected {value}, found {found}"
    if "ibm-mq-md-messageId" in expected.get("headers", {}):
        # "AMQ ", the queue manager's name in twelve bytes, eight bytes of its own.
        known = b"AMQ " + manager_of(request["path"]).encode().ljust(12)
        assert re.fullmatch(known.hex() + "[0-9a-f]{16}", headers["ibm-mq-md-messageid"]), headers["ibm-mq-md-messageid"]


def compare_all(tests: Tests, binary: Path, transcripts: list[dict]) -> None:
    for case in transcripts:
        if reason := NOT_HERE.get(case["id"]):
            print(f"        {case['id']}: {reason}")
            continue
        named = manager_of(case.get("request", {}).get("path", "")) or "QM1"
        if case["id"] in ("unknown-qmgr", "admin-qmgr", "token-expired"):
            named = "QM12"
        with tempfile.TemporaryDirectory() as folder:
            configure(Path(folder), named)
            with Server(binary, Path(folder)) as server:
                tests.run(f"transcript {case['id']}", compare_transcript, Caller(server), case)


def main() -> int:
    binary, folder = map(Path, sys.argv[1:3])
    requests, transcripts = folder / "mq/client-requests.jsonl", folder / "mq/mqweb-transcripts.json"
    if not requests.exists() and not transcripts.exists():
        print(f"captured: {folder} has no mq/client-requests.jsonl and no mq/mqweb-transcripts.json")
        return 0
    tests = Tests()
    if requests.exists():
        replay_all(tests, binary, [json.loads(line) for line in requests.read_text().splitlines() if line.strip()])
    if transcripts.exists():
        compare_all(tests, binary, json.loads(transcripts.read_text()))
    print(f"{tests.passed} passed, {tests.failed} failed")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main())
