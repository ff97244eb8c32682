"""A gateway with an endpoint group in front of servers: what an operator sees while requests come.

Usage: gateway.py GANTRY group|overload|added|failover --port N --admin-port N --seconds S --warmup W. Requests come at a rate, whether or not
there are answers, to a REST API. The displays are those of `gantry connector`. It prints the figures and the displays as JSON.
"""

import argparse
import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from link import attached, program

GROUP = "CRYPSVR1"
TEXT_BYTES = 1_000
ENDPOINT = """  <tns:Endpoint>
    <tns:endpointName>{name}</tns:endpointName>
    <tns:role>{role}</tns:role>
    <tns:destination>{address}</tns:destination>
    <tns:startSocket>25</tns:startSocket>
    <tns:maxSocket>{most}</tns:maxSocket>
  </tns:Endpoint>
"""
DESCRIPTOR = """<tns:EndpointGroup xmlns:tns="urn:example:endpointgroup">
{endpoints}  <tns:groupName>CRYPSVR1</tns:groupName>
  <tns:qMaxDepth>400</tns:qMaxDepth>
  <tns:qThreshold>45</tns:qThreshold>
  <tns:syncTimeout>500</tns:syncTimeout>
  <tns:heartbeatInterval>300</tns:heartbeatInterval>
</tns:EndpointGroup>
"""
FILES = {
    "gantry.toml": "[server]\nworkers = 1\nreload_poll_ms = 100\n",
    "copybooks/CARD.cpy": f"       01  CARD.\n           05  CARD-TEXT      PIC X({TEXT_BYTES}).\n",
    "services/crypt.toml": '''ccsid = 37
timeout_ms = {timeout_ms}

[provider]
kind = "group"
group = "CRYPSVR1"

[request]
copybook = "CARD.cpy"
wrapper = ""

[response]
copybook = "CARD.cpy"
wrapper = ""
''',
    "apis/crypt/api.toml": '''title = "crypt"
version = "1.0.0"
base_path = "/crypt"

[[operation]]
method = "POST"
path = "/"
service = "crypt"
''',
}


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """A server of frames that takes so long for each request of a connection."""

    def __init__(self, bench: Path, work_us: int, address: str | None = None):
        self.bench, self.work_us = bench, work_us
        self.address = address or f"127.0.0.1:{free_port()}"
        self.start()

    def start(self):
        command = [self.bench, "server", self.address, f"work_us={self.work_us}"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=attached)
        assert self.process.stdout.readline() == "ready\n"

    def kill(self):
        self.process.kill()
        self.process.wait()


class Gateway:
    """A gateway with the group, and what is asked of it."""

    def __init__(self, arguments, endpoints: list[tuple], timeout_ms: int):
        self.arguments, self.folder = arguments, Path("gateway")
        self.set_endpoints(endpoints)
        for name, text in FILES.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("{timeout_ms}", str(timeout_ms)))
        words = ["serve", self.folder, "--listen", f"127.0.0.1:{arguments.port}", "--admin", f"127.0.0.1:{arguments.admin_port}"]
        self.process = subprocess.Popen([arguments.gantry] + words, stdout=sys.stderr, preexec_fn=attached)
        for _ in range(300):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{arguments.admin_port}/health/ready").close()
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the gateway is not ready within 30 s")

    def set_endpoints(self, endpoints: list[tuple]):
        """Writes the descriptor; a running gateway takes it over."""
        (self.folder / "endpoints").mkdir(parents=True, exist_ok=True)
        texts = [ENDPOINT.format(name=name, role=role, address=server.address, most=most) for name, role, server, most in endpoints]
        (self.folder / f"endpoints/{GROUP}.xml").write_text(DESCRIPTOR.format(endpoints="".join(texts)))

    def connector(self, *words: str) -> str:
        command = [self.arguments.gantry, "connector", "--admin", f"http://127.0.0.1:{self.arguments.admin_port}", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def endpoints(self) -> dict[str, dict]:
        """The figures of all endpoints, by their names, and those of the group as ''."""
        group = json.loads(self.connector("--json", "display", GROUP))["groups"][0]
        return {"": group} | {endpoint["name"]: endpoint for endpoint in group["endpoints"]}

    def load(self, rate: int, seconds: float, warmup: float, timeout_ms: int) -> subprocess.Popen:
        """Requests at a rate."""
        body = json.dumps({"card_text": "S" * TEXT_BYTES})
        words = ["--target", f"crypt=http://127.0.0.1:{self.arguments.port}/crypt/", "--method", "POST", "--body", body, "--rate", str(rate)]
        words += ["--clients", "900", "--rounds", "1", "--duration-s", str(seconds), "--warmup-s", str(warmup), "--timeout-ms", str(timeout_ms)]
        command = [self.arguments.gantry, "load", *words, "--no-server-cpu", "--json", "--allow-errors"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sys.stderr, text=True, preexec_fn=attached)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def loaded(load: subprocess.Popen) -> dict:
    """The results of the driver."""
    return json.loads(load.communicate()[0])["steps"][0]


def in_use(shown: dict[str, dict]) -> dict[str, float]:
    return {f"in_use_{name.lower()}": endpoint["inUse"] for name, endpoint in shown.items() if name}


def group(arguments, bench: Path) -> dict:
    """The report's display: two servers, the primary alone has work."""
    one, two = Server(bench, 100), Server(bench, 100)
    gateway = Gateway(arguments, [("PRCRYP1", "PRIMARY", one, 100), ("BKCRYP1", "BACKUP", two, 100)], 2_000)
    load = gateway.load(882, arguments.seconds, arguments.warmup, 2_000)
    time.sleep(arguments.warmup + arguments.seconds * 0.9)
    shown, text = gateway.endpoints(), gateway.connector("display", GROUP) + "\n" + gateway.connector("stats", GROUP)
    found = loaded(load)
    gateway.stop()
    primary = shown["PRCRYP1"]
    figures = {"answered_per_s": found["requests_per_s"], "p99_us": found["response_p99_us"], "api_ms": primary["apiTimeMs"]}
    figures |= in_use(shown) | {"sessions": primary["sessions"], "failed": sum(found["failures"].values())}
    return {"figures": figures, "text": text}


def overload(arguments, bench: Path) -> dict:
    """Twice what both servers can do with all their sockets."""
    work_us, timeout_ms = 400_000, 900
    capacity = 200 / (work_us / 1e6)
    one, two = Server(bench, work_us), Server(bench, work_us)
    gateway = Gateway(arguments, [("PRCRYP1", "PRIMARY", one, 100), ("BKCRYP1", "BACKUP", two, 100)], timeout_ms)
    load = gateway.load(int(2 * capacity), arguments.seconds, arguments.warmup + 1, 2 * timeout_ms)
    time.sleep(arguments.warmup + 1 + arguments.seconds * 0.9)
    shown, text = gateway.endpoints(), gateway.connector("display", GROUP)
    found = loaded(load)
    gateway.stop()
    # The rate that 200 sockets reach with the time that a request really takes.
    possible = 200 / (shown["PRCRYP1"]["apiTimeMs"] / 1_000)
    figures = {"answered_per_s": found["requests_per_s"], "capacity_pct": 100 * found["requests_per_s"] / possible, "api_ms": shown["PRCRYP1"]["apiTimeMs"]}
    figures |= in_use(shown) | {"queue_highest": shown[""]["queueHighest"]["value"], "refused": found["failures"]["status"], "unanswered": found["failures"]["timeout"]}
    return {"figures": figures, "text": text}


def added(arguments, bench: Path) -> dict:
    """A primary is added while requests come, and the backup is left alone again."""
    work_us, timeout_ms = 200_000, 1_500
    one, two, backup = (Server(bench, work_us) for _ in range(3))
    before = [("PRCRYP1", "PRIMARY", one, 100), ("BKCRYP1", "BACKUP", backup, 100)]
    gateway = Gateway(arguments, before, timeout_ms)
    half = max(arguments.seconds / 2, 2)
    load = gateway.load(700, 2 * half, arguments.warmup + 1, 2 * timeout_ms)
    time.sleep(arguments.warmup + 1 + half * 0.9)
    earlier, text = gateway.endpoints(), gateway.connector("display", GROUP)
    gateway.set_endpoints([before[0], ("PRCRYP2", "PRIMARY", two, 150), before[1]])
    time.sleep(half * 0.9)
    later = gateway.endpoints()
    text += "\nPRCRYP2 was added:\n\n" + gateway.connector("display", GROUP)
    found = loaded(load)
    gateway.stop()
    figures = {"answered_per_s": found["requests_per_s"], "failed": sum(found["failures"].values()), "p99_us": found["response_p99_us"]}
    figures |= {"before_" + name: value for name, value in in_use(earlier).items()} | in_use(later)
    figures["queue_highest"] = later[""]["queueHighest"]["value"]
    return {"figures": figures, "text": text}


def failover(arguments, bench: Path) -> dict:
    """The primary's server is killed while requests come, and started again."""
    one, two = Server(bench, 100), Server(bench, 100)
    gateway = Gateway(arguments, [("PRCRYP1", "PRIMARY", one, 100), ("BKCRYP1", "BACKUP", two, 100)], 2_000)
    third = max(arguments.seconds / 3, 1.5)
    load = gateway.load(500, 3 * third, arguments.warmup, 2_000)
    time.sleep(arguments.warmup + third)
    one.kill()
    killed = time.monotonic()
    while gateway.endpoints()["PRCRYP1"]["status"] == "ACTIVE":
        time.sleep(0.01)
    seen_ms = (time.monotonic() - killed) * 1_000
    time.sleep(max(third - seen_ms / 1_000, 0))
    text = "PRCRYP1 was killed:\n\n" + gateway.connector("display", GROUP)
    one.start()
    started = time.monotonic()
    while gateway.endpoints()["PRCRYP1"]["status"] != "ACTIVE" and time.monotonic() < started + 20:
        time.sleep(0.01)
    back_ms = (time.monotonic() - started) * 1_000
    found = loaded(load)
    text += "\nIt was started again:\n\n" + gateway.connector("display", GROUP)
    shown = gateway.endpoints()
    gateway.stop()
    figures = {"answered_per_s": found["requests_per_s"], "failed": sum(found["failures"].values()), "longest_ms": found["response_max_us"] / 1_000}
    figures |= {"down_seen_ms": seen_ms, "back_ms": back_ms, "backup_apis": shown["BKCRYP1"]["apis"]}
    return {"figures": figures, "text": text}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gantry", type=Path)
    parser.add_argument("what", choices=["group", "overload", "added", "failover"])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--admin-port", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--warmup", type=float, default=1)
    arguments = parser.parse_args()
    measure = {"group": group, "overload": overload, "added": added, "failover": failover}[arguments.what]
    told = measure(arguments, program(arguments.gantry, "bench"))
    # The time of a display is not the same in two runs, and says nothing.
    told["text"] = re.sub(r"^\d\d\.\d\d\.\d\d ", "", told["text"], flags=re.M)
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
