"""`make connector-bench`: endpoint groups beside a client without one and beside HAProxy, and what the figures must be.

Parts, each in rounds, with its targets in turns:
- calls: 1 KiB both ways. Two servers, the client and the proxy share one core. `D` is a client written by hand over tokio, without a pool;
  `std` is a blocking one; `H` is D through HAProxy (TCP mode, one thread, leastconn); `ours` is a group as its file says by default.
- reads: replies of 100, 400 and 800 KB at 1 Gbit/s, by a group and by D, which reads 64 KB at a time. The server has a core of its own.
- overload: an open loop of twice what the servers can do.
- contention: 32 senders of 1 KiB without replies on one connection: a group, and a lock of tokio around building and writing. Both have two
  threads, on all cores; CPU is that of both sides.
- many: 10,000 connections to 100 endpoints.
- rest: a REST API of the gateway whose service a group answers, and the same with the simulated provider. The gateway has a core of its
  own; the servers and the driver (`gantry load`, which compares all answers) share the other. CPU time is the gateway's.

Every byte of every reply is compared; a wrong one or an error fails. A window is void, and is repeated thrice at most, if a watchdog or other
processes had more than 1.5% of the core, or if the core was less than 95% busy (calls). Results stay in a folder: result.jsonl with
all windows, void ones too, and report.html.

Usage: connector.py BENCH GANTRY [--output DIR] [--rounds N] [--duration-s S] [--parts A,B] [--seed N] [--trial]. The exit code is 1 if something was
not measured or a bar is missed. Needs two quiet cores, HAProxy, and root for the watchdog's priority.
"""

import argparse
import json
import os
import platform
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import page  # noqa: E402

CORE, OTHER_CORE = 0, 1
PARTS = ["calls", "reads", "contention", "overload", "many", "rest"]
REPEATS_MAX = 3
FOREIGN_MAX_PCT = STALLED_MAX_PCT = 1.5
BUSY_MIN_PCT = 95.0
IN_FLIGHT = [1, 32]
READS = {100: 0.5, 400: 0.2, 800: 0.2}
# A piece of 14,480 bytes at 1 Gbit/s.
CHUNK_US = 116
WORK_US, SOCKETS = 8_000, 8
SENDERS, SENDER_THREADS = 32, 2
REST_CLIENTS, REST_MAX_US = 16, 6.0

# A gateway with two services that differ in what answers alone: the group GROUP, or the simulated provider.
REST_FILES = {
    "gantry.toml": "[server]\nworkers = 1\n",
    "copybooks/CARD.cpy": "       01  CARD.\n           05  CARD-TEXT      PIC X(1000).\n",
    "endpoints/GROUP.toml": "".join(f'[[endpoint]]\nname = "E{number}"\ndestination = "ADDRESS{number}"\n' for number in range(2)),
    "apis/rest/api.toml": 'title = "rest"\nversion = "1.0.0"\nbase_path = "/rest"\n'
    + "".join(f'[[operation]]\nmethod = "POST"\npath = "/{name}"\nservice = "{name}"\n' for name in ("group", "simulated")),
    "services/group.toml": 'provider = { kind = "group", group = "GROUP" }\n',
    "services/simulated.toml": 'provider = { kind = "simulated", answer = "echo" }\n',
}
REST_RECORDS = 'ccsid = 37\nrequest = { copybook = "CARD.cpy", wrapper = "" }\nresponse = { copybook = "CARD.cpy", wrapper = "" }\n'

HAPROXY = """
global
    nbthread 1
    maxconn 1000
defaults
    mode tcp
    timeout connect 5s
    timeout client 60s
    timeout server 60s
listen bench
    bind 127.0.0.1:{port}
    balance leastconn
    server one {one}
    server two {two}
"""

# Sleeps for 4 ms again and again, before all other processes of its core; what is longer by more than 1 ms, the core was not there.
WATCHDOG = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(50))
import signal
stop = []
signal.signal(signal.SIGTERM, lambda *_: stop.append(1))
print("ready", flush=True)
begun = last = time.monotonic()
stalled = 0.0
while not stop:
    time.sleep(0.004)
    now = time.monotonic()
    if now - last > 0.005:
        stalled += now - last - 0.004
    last = now
print(100 * stalled / (last - begun))
"""


def missing(parts: list[str], trial: bool) -> list[str]:
    """The tools that this machine lacks, a sentence each."""
    lacks = []
    if "calls" in parts and not shutil.which("haproxy"):
        lacks.append("haproxy is missing: apt-get install haproxy")
    if os.cpu_count() < 2:
        lacks.append("there are fewer than 2 cores")
    if not trial and os.geteuid() != 0:
        lacks.append("this is not root: the watchdog needs a real-time priority")
    return lacks


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def pinned(core: int | None):
    """Binds a process to a core; to none if none is given."""
    return lambda: os.sched_setaffinity(0, range(os.cpu_count()) if core is None else {core})


class Server:
    """A server of frames, until it is stopped."""

    def __init__(self, bench: Path, core: int | None, kind: str = "server", **options):
        self.address = f"127.0.0.1:{free_port()}"
        command = [bench, kind, self.address] + [f"{key}={value}" for key, value in options.items()]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=pinned(core))
        assert self.process.stdout.readline() == "ready\n"

    def stop(self) -> dict:
        """Its counts."""
        self.process.stdin.close()
        counted = json.loads(self.process.stdout.read())
        self.process.wait()
        return counted


class Proxy:
    """HAProxy before two servers."""

    def __init__(self, folder: Path, servers: list[Server]):
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        config = folder / "haproxy.cfg"
        config.write_text(HAPROXY.format(port=port, one=servers[0].address, two=servers[1].address))
        self.process = subprocess.Popen(["haproxy", "-db", "-f", config], preexec_fn=pinned(CORE), stderr=open(folder / "haproxy.log", "w"))
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"connector-bench: HAProxy does not listen; see {folder}/haproxy.log")

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Watched:
    """A watchdog on the core, if this is root; afterwards how long the core stalled, and whether that makes a window void."""

    figures: dict = {}
    void: str | None = None

    def __enter__(self):
        self.dog = None
        if os.geteuid() == 0:
            command = [sys.executable, "-c", WATCHDOG, str(CORE)]
            self.dog = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            self.dog.stdout.readline()
        return self

    def __exit__(self, *_):
        if self.dog:
            self.dog.send_signal(signal.SIGTERM)
            stalled_pct = float(self.dog.communicate()[0])
            self.figures = {"stalled_pct": stalled_pct}
            if stalled_pct > STALLED_MAX_PCT:
                self.void = f"the core stalled for {stalled_pct:.1f}%"


class Lab:
    """Measures windows, and writes them down."""

    def __init__(self, arguments, output: Path):
        self.bench, self.gantry, self.output, self.trial = arguments.bench, arguments.gantry, output, arguments.trial
        self.duration_s, self.rounds = arguments.duration_s, arguments.rounds
        self.seed = arguments.seed
        self.windows, self.faults = [], []
        self.file = open(output / "result.jsonl", "w")
        self.write({"kind": "run", "command": sys.argv, "seed": self.seed, "machine": machine(), "rounds": self.rounds, "trial": self.trial})

    def write(self, line: dict):
        print(json.dumps(line), file=self.file, flush=True)

    def measure(self, part: str, target: str, client: str, rule_busy: bool, core: int | None = CORE, **options) -> dict | None:
        """One window that counts; none if all are void."""
        for attempt in range(1 + REPEATS_MAX):
            figures, void = self.window(client, rule_busy, core, options)
            line = {"kind": "window", "part": part, "target": target, "attempt": attempt, "void": void, "figures": figures}
            self.write(line)
            if figures.get("wrong") or figures.get("errors") and part != "overload":
                self.faults.append(f"{part}, {target}: {figures['wrong']} wrong replies, {figures['errors']} errors")
            if void is None or self.trial:
                self.windows.append(line)
                return figures
            print(f"  void: {part}, {target}: {void}", flush=True)
        self.faults.append(f"{part}, {target}: all windows are void")
        return None

    def window(self, client: str, rule_busy: bool, core: int | None, options: dict) -> tuple[dict, str | None]:
        words = {"seconds": self.duration_s, "core": CORE, "seed": self.seed, **options}
        command = [self.bench, client] + [f"{key}={value}" for key, value in words.items()]
        with Watched() as watched:
            told = subprocess.run(command, stdout=subprocess.PIPE, text=True, preexec_fn=pinned(core), timeout=self.duration_s + 120)
        if told.returncode != 0:
            raise SystemExit(f"connector-bench: {client} ended with {told.returncode}")
        figures, void = json.loads(told.stdout) | watched.figures, watched.void
        if core is None:
            # These two are of one core, and the window has all cores.
            del figures["busy_pct"], figures["foreign_pct"]
        if rule_busy and figures["busy_pct"] < BUSY_MIN_PCT:
            void = f"the core was {figures['busy_pct']:.1f}% busy"
        # The watchdog itself takes some of it.
        if rule_busy and figures["foreign_pct"] > FOREIGN_MAX_PCT:
            void = f"others had {figures['foreign_pct']:.1f}% of the core"
        return figures, void

    def values(self, part: str, target: str, figure: str) -> list[float]:
        return [line["figures"][figure] for line in self.windows if (line["part"], line["target"]) == (part, target)]

    def median(self, part: str, target: str, figure: str) -> float | None:
        values = self.values(part, target, figure)
        return statistics.median(values) if values else None


def machine() -> dict:
    text = Path("/proc/cpuinfo").read_text()
    model = next((line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name")), "")
    return {"cpu": model, "cores": os.cpu_count(), "kernel": platform.release(), "load": os.getloadavg()}


def calls(lab: Lab):
    servers = [Server(lab.bench, CORE), Server(lab.bench, CORE)]
    proxy = Proxy(lab.output, servers)
    direct, pids = ",".join(server.address for server in servers), [server.process.pid for server in servers]
    for round_number in range(lab.rounds):
        for in_flight in IN_FLIGHT:
            targets = [("D", "direct", direct, pids), ("H", "direct", proxy.address, pids + [proxy.process.pid]), ("ours", "group", direct, pids)]
            targets += [("std", "std", direct, pids)]
            # In turns: nobody is always first.
            shift = round_number % len(targets)
            for target, client, addresses, counted in targets[shift:] + targets[:shift]:
                words = {"addresses": addresses, "pids": ",".join(map(str, counted)), "in_flight": in_flight}
                lab.measure("calls", f"{target} {in_flight}", client, True, **words)
        print(f"calls: round {round_number + 1} of {lab.rounds}", flush=True)
    proxy.stop()
    for server in servers:
        server.stop()


def reads(lab: Lab):
    for round_number in range(lab.rounds):
        for kilobytes in READS:
            server = Server(lab.bench, OTHER_CORE, chunk_us=CHUNK_US, repeat=kilobytes)
            for target, client in [("D", "direct"), ("ours", "group")][:: 1 - 2 * (round_number % 2)]:
                lab.measure("reads", f"{target} {kilobytes}", client, False, addresses=server.address, bytes=1_000, repeat=kilobytes)
            server.stop()
        print(f"reads: round {round_number + 1} of {lab.rounds}", flush=True)


def contention(lab: Lab):
    for round_number in range(lab.rounds):
        for target, how in [("lock", "under"), ("ours", "group")][:: 1 - 2 * (round_number % 2)]:
            server = Server(lab.bench, None, "sink", seed=lab.seed)
            words = {"addresses": server.address, "pids": server.process.pid, "how": how, "senders": SENDERS, "threads": SENDER_THREADS}
            lab.measure("contention", target, "senders", False, core=None, **words)
            wrong = server.stop()["wrong"]
            if wrong:
                lab.faults.append(f"contention, {target}: {wrong} wrong messages")
        print(f"contention: round {round_number + 1} of {lab.rounds}", flush=True)


def overload(lab: Lab):
    for round_number in range(lab.rounds):
        servers = [Server(lab.bench, OTHER_CORE, work_us=WORK_US) for _ in range(2)]
        addresses = ",".join(server.address for server in servers)
        capacity = lab.measure("overload", "capacity", "group", False, addresses=addresses, in_flight=2 * SOCKETS)
        for server in servers:
            server.stop()
        servers = [Server(lab.bench, OTHER_CORE, work_us=WORK_US) for _ in range(2)]
        addresses = ",".join(server.address for server in servers)
        if capacity:
            rate = int(2 * capacity["replies_per_s"])
            lab.measure("overload", "twice", "overload", False, addresses=addresses, sockets=SOCKETS, rate=rate, timeout_ms=100, warmup_s=1)
        late = sum(server.stop()["late"] for server in servers)
        if late:
            lab.faults.append(f"overload: {late} requests arrived after their deadline")
        print(f"overload: round {round_number + 1} of {lab.rounds}", flush=True)


def many(lab: Lab):
    servers = [Server(lab.bench, OTHER_CORE) for _ in range(4)]
    lab.measure("many", "10,000", "many", False, addresses=",".join(server.address for server in servers))
    for server in servers:
        server.stop()


class Gateway:
    """The gateway with both services, on a core of its own."""

    def __init__(self, lab: Lab, servers: list[Server]):
        folder = lab.output / "gateway"
        for name, text in REST_FILES.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for number, server in enumerate(servers):
                text = text.replace(f"ADDRESS{number}", server.address)
            path.write_text(text + (REST_RECORDS if name.startswith("services/") else ""))
        self.address, admin = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        command = [lab.gantry, "serve", folder, "--listen", self.address, "--admin", admin, "--workers", "1"]
        self.process = subprocess.Popen(command, preexec_fn=pinned(CORE), stdout=open(lab.output / "gateway.log", "w"), stderr=subprocess.STDOUT)
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://{admin}/health/ready").close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"connector-bench: the gateway is not ready; see {lab.output}/gateway.log")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def rest(lab: Lab):
    servers = [Server(lab.bench, OTHER_CORE) for _ in range(2)]
    gateway = Gateway(lab, servers)
    text = "".join(random.Random(lab.seed).choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=1_000))
    body = json.dumps({"card_text": text}, separators=(",", ":"))
    for round_number in range(lab.rounds):
        for target in ["group", "simulated"][:: 1 - 2 * (round_number % 2)]:
            for attempt in range(1 + REPEATS_MAX):
                figures, void = rest_window(lab, gateway, target, body)
                line = {"kind": "window", "part": "rest", "target": target, "attempt": attempt, "void": void, "figures": figures}
                lab.write(line)
                if figures["failures"]:
                    lab.faults.append(f"rest, {target}: {figures['failures']} requests failed")
                if void is None or lab.trial:
                    lab.windows.append(line)
                    break
                print(f"  void: rest, {target}: {void}", flush=True)
            else:
                lab.faults.append(f"rest, {target}: all windows are void")
        print(f"rest: round {round_number + 1} of {lab.rounds}", flush=True)
    gateway.stop()
    for server in servers:
        server.stop()


def rest_window(lab: Lab, gateway: Gateway, target: str, body: str) -> tuple[dict, str | None]:
    with Watched() as watched:
        words = ["--target", f"{target}=http://{gateway.address}/rest/{target}", "--method", "POST", "--body", body, "--expect-bytes", str(len(body))]
        words += ["--clients", str(REST_CLIENTS), "--think-ms", "0", "--rounds", "1", "--duration-s", str(lab.duration_s), "--warmup-s", "1"]
        words += ["--server-pid", str(gateway.process.pid), "--pin-core", str(OTHER_CORE), "--json", "--allow-errors"]
        told = subprocess.run([lab.gantry, "load", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    step = json.loads(told.stdout)["steps"][0]
    figures = {"cpu_us": step["cpu_us_per_request"], "replies_per_s": step["requests_per_s"], "failures": sum(step["failures"].values())}
    return figures | watched.figures, watched.void


def ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None


def bars(lab: Lab, parts: list[str]) -> list[tuple]:
    """Name, value, word, bar."""
    rate = lambda target: lab.median("calls", target, "replies_per_s")
    cost = lambda target: lab.median("calls", target, "cpu_us")
    found = []
    if "calls" in parts:
        found.append(("requests/s of D / of std, 1 in flight", ratio(rate("D 1"), rate("std 1")), "at least", 0.75))
        for in_flight, bar in zip(IN_FLIGHT, [1.9, 1.4]):
            ours, direct = cost(f"ours {in_flight}"), cost(f"D {in_flight}")
            more = ours - direct if ours is not None and direct is not None else None
            found.append((f"CPU of ours beyond D, in us, {in_flight} in flight", more, "at most", 1.0))
            found.append((f"requests/s of ours / of H, {in_flight} in flight", ratio(rate(f"ours {in_flight}"), rate(f"H {in_flight}")), "at least", bar))
    if "reads" in parts:
        for kilobytes, bar in READS.items():
            both = [lab.median("reads", f"{target} {kilobytes}", "client_cpu_us") for target in ("ours", "D")]
            found.append((f"CPU of reading {kilobytes} KB: ours / 64 KB reads", ratio(*both), "at most", bar))
    if "contention" in parts:
        both = lambda figure: [lab.median("contention", target, figure) for target in ("ours", "lock")]
        found.append(("32 senders: messages/s of ours / of a lock", ratio(*both("replies_per_s")), "at least", 3))
        found.append(("32 senders: CPU of ours / of a lock", ratio(*both("cpu_us")), "at most", 0.45))
    if "overload" in parts:
        both = [lab.median("overload", target, "replies_per_s") for target in ("twice", "capacity")]
        found.append(("answered in time at twice the load / capacity", ratio(*both), "at least", 0.95))
    if "many" in parts:
        found.append(("connections", lab.median("many", "10,000", "connections"), "at least", 10_000))
        found.append(("memory of 10,000 connections, in MB", lab.median("many", "10,000", "memory_mb"), "at most", 200))
        found.append(("display of them, in ms", lab.median("many", "10,000", "display_ms"), "at most", 50))
    if "rest" in parts:
        both = [lab.median("rest", target, "cpu_us") for target in ("group", "simulated")]
        more = both[0] - both[1] if None not in both else None
        found.append(("REST through a group: CPU of the gateway beyond simulated, in us", more, "at most", REST_MAX_US))
    return found


def judge(found: list[tuple]) -> tuple[bool, list[tuple[str, ...]]]:
    """Prints a line for each bar; true if all are met, and the lines."""
    lines, met = [], True
    for name, value, word, bar in found:
        is_met = value is not None and (value <= bar if word == "at most" else value >= bar)
        met &= is_met
        said = "NOT MEASURED" if value is None else "met" if is_met else "MISSED"
        lines.append((name, "n/a" if value is None else f"{value:.3f}", f"{word} {bar:g}", said))
        print("{:<58} {:>10}  {:<16} {}".format(*lines[-1]))
    return met, lines


def main() -> int:
    parser = argparse.ArgumentParser(description="endpoint groups beside a client without one, and beside HAProxy")
    parser.add_argument("bench", type=Path)
    parser.add_argument("gantry", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration-s", type=float, default=5)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 32))
    parser.add_argument("--trial", action="store_true", help="void windows count: the figures mean nothing")
    arguments = parser.parse_args()
    parts = arguments.parts.split(",")
    lacks = missing(parts, arguments.trial) + [f"there is no part '{part}'; parts are {', '.join(PARTS)}" for part in parts if part not in PARTS]
    if lacks:
        print("\n".join(f"connector-bench: {sentence}" for sentence in lacks), file=sys.stderr)
        return 1
    arguments.bench, arguments.gantry = arguments.bench.resolve(), arguments.gantry.resolve()
    output = arguments.output or Path("perf/runs/tmp") / time.strftime("connector-%Y-%m-%dT%H%M%S", time.gmtime())
    output.mkdir(parents=True)
    os.sched_setaffinity(0, {OTHER_CORE})
    lab = Lab(arguments, output)
    print(f"seed {lab.seed}", flush=True)
    for part in parts:
        {"calls": calls, "reads": reads, "contention": contention, "overload": overload, "many": many, "rest": rest}[part](lab)
    print()
    met, lines = judge(bars(lab, parts))
    for fault in lab.faults:
        print(f"connector-bench: {fault}")
    lab.write({"kind": "bars", "bars": lines, "faults": lab.faults})
    page.of_result(output / "result.jsonl")
    print(f"\nresults: {output}/result.jsonl, page: {output}/report.html")
    return 0 if met and not lab.faults else 1


if __name__ == "__main__":
    sys.exit(main())
