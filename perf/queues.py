"""`make queues`: queues over HTTP, of the gateway, of ActiveMQ Classic and of RabbitMQ, and what the figures must be.

All brokers run on this machine, on the same file system and the same cores, with authentication; the gateway has its audit on too. One
driver (`crates/tools/load/examples/queues`) asks them turn about, and checks each message that comes back. A round is void if other
processes take more than 0.3 cores. A message that the gateway loses, doubles or changes ends the run; of a peer, it voids the round.

Parts: `peers` (put 50 bytes, get, put 1 KiB, get; 1 and 10 clients; strict and lazy gets), `syncs` (the same under strace), `calls` (a two-way
service beside put and get), `deep` (a million messages wait), `waits` (10,000 gets wait).

Usage: queues.py GANTRY DRIVER [--parts ...] [--rounds N] [--duration-s S] [--deep N] [--waits N] [--output DIR]. Results stay in a folder:
result.jsonl, report.html, logs. The exit code is 1 if something was not measured or a bar is missed.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import page  # noqa: E402
from brokers import ActiveMq, Gantry, RabbitMq, file_system  # noqa: E402

FOREIGN_CORES_MAX = 0.3
PARTS = ["peers", "syncs", "calls", "deep", "waits"]
CLIENTS = [1, 10]
# Rounds that are tried for each that counts.
TRIES = 3
READY_MAX_S = 10
SMALLER_WITHIN_S = 60
# The store's cache and its log, which are no part of what a message costs.
STORE_MIB = 128


class Bars:
    """The bars of the figures, and whether the figures meet them."""

    def __init__(self):
        self.lines: list[dict] = []

    def add(self, name: str, value: float | None, word: str, bar: float) -> None:
        met = value is not None and (value >= bar if word == "at least" else value <= bar)
        self.lines.append({"kind": "bar", "name": name, "value": value, "word": word, "bar": bar, "met": met})
        said = "NOT MEASURED" if value is None else "met" if met else "MISSED"
        print(f"{name:<66} {'n/a' if value is None else f'{value:.3g}':>9}  {word} {bar:<8g} {said}", flush=True)

    def met(self) -> bool:
        return all(line["met"] for line in self.lines)


class Bench:
    """Runs the driver and keeps what it measures."""

    def __init__(self, arguments, output: Path):
        self.arguments = arguments
        self.output = output
        self.results: list[dict] = []
        self.bars = Bars()

    def keep(self, **result) -> None:
        self.results.append(result)
        with (self.output / "result.jsonl").open("a") as file:
            file.write(json.dumps(result) + "\n")

    def drive(self, broker, mode: str, *, warmup_s: float | None = None, duration_s: float | None = None, **options) -> dict:
        """One run of the driver; a message that is lost, doubled or changed is in `fault`."""
        command = [self.arguments.driver, "--address", broker.address, "--dialect", broker.dialect, "--mode", mode]
        command += ["--group", str(broker.group), "--warmup-s", str(self.arguments.warmup_s if warmup_s is None else warmup_s)]
        command += ["--duration-s", str(self.arguments.duration_s if duration_s is None else duration_s)]
        for header in broker.headers():
            command += ["--header", header]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        ended = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if ended.returncode != 0:
            return {"fault": ended.stderr.strip() or f"the driver ends with {ended.returncode}"}
        return json.loads(ended.stdout)

    def round(self, part: str, broker, mode: str, **options) -> dict | None:
        """A run that is kept; none if it is void."""
        found = self.drive(broker, mode, **options)
        void = found.get("fault")
        if not void and found["foreign_cores"] > FOREIGN_CORES_MAX and not self.arguments.busy:
            void = f"other processes took {found['foreign_cores']:.2f} cores"
        self.keep(kind="round", part=part, broker=broker.name, mode=mode, options=options, void=void, figures=found)
        figures = "" if "fault" in found else f"{found['per_s']:>9.0f}/s  p99 {found['p99_ms']:.2f} ms  {found['broker_us_each']:.0f} us"
        print(f"  {part:<6} {broker.name:<14} {mode:<11} {options.get('clients', ''):>3}  {figures}{'  VOID: ' + void if void else ''}", flush=True)
        if "fault" in found and isinstance(broker, Gantry):
            raise SystemExit(f"queues: the gateway: {found['fault']}")
        return None if void else found

    def rounds(self, part: str, brokers: list, mode: str, clients: int) -> dict[str, list[dict]]:
        """Valid rounds of each broker, turn about."""
        valid: dict[str, list[dict]] = {broker.name: [] for broker in brokers}
        for _ in range(self.arguments.rounds * TRIES):
            for broker in brokers:
                if len(valid[broker.name]) < self.arguments.rounds:
                    found = self.round(part, broker, mode, clients=clients)
                    valid[broker.name] += [found] if found else []
            if all(len(rounds) == self.arguments.rounds for rounds in valid.values()):
                break
        return valid


def median(rounds: list[dict], figure: str) -> float | None:
    return statistics.median(found[figure] for found in rounds) if rounds else None


def ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None


def peers(bench: Bench, brokers: list) -> None:
    """The round trips of all brokers, and their ratios."""
    for clients in CLIENTS:
        found = bench.rounds("peers", brokers, "round-trip", clients)
        rate = {name: median(rounds, "per_s") for name, rounds in found.items()}
        cost = {name: median(rounds, "broker_us_each") for name, rounds in found.items()}
        slow = {name: median(rounds, "p99_ms") for name, rounds in found.items()}
        strict, lazy = (1.5, 2.5) if clients == 1 else (2.25, 4.0)
        said = f"{clients} client{'s' if clients > 1 else ''}"
        add = bench.bars.add
        add(f"{said}: round trips/s of gantry / ActiveMQ", ratio(rate.get("gantry"), rate.get("ActiveMQ")), "at least", strict)
        add(f"{said}: round trips/s of gantry, lazy / ActiveMQ", ratio(rate.get("gantry, lazy"), rate.get("ActiveMQ")), "at least", lazy)
        add(f"{said}: CPU a round trip, gantry / ActiveMQ", ratio(cost.get("gantry"), cost.get("ActiveMQ")), "at most", 1 / 3)
        add(f"{said}: p99 of gantry / ActiveMQ", ratio(slow.get("gantry"), slow.get("ActiveMQ")), "at most", 1.0)
        add(f"{said}: round trips/s of gantry / RabbitMQ", ratio(rate.get("gantry"), rate.get("RabbitMQ")), "at least", 10.0)


def count_syncs(bench: Bench, broker, clients: int) -> tuple[int, int]:
    """Syncs, and acknowledged requests, of one run under strace."""
    trace = bench.output / f"strace-{broker.dialect}-{clients}.txt"
    calls = "fdatasync,fsync,msync,sync_file_range"
    synchronous = broker.synchronous_files()
    if synchronous:
        calls += ",write,pwrite64,pwritev"
    command = ["strace", "-f", "-qq", "-y", "-e", f"trace={calls}", "-o", trace, "-p", str(broker.pid())]
    strace = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    found = bench.drive(broker, "round-trip", clients=clients, warmup_s=0)
    strace.terminate()
    strace.wait(20)
    if "fault" in found:
        raise SystemExit(f"queues: {broker.name} under strace: {found['fault']}")
    lines = trace.read_text(errors="replace").splitlines()
    # A call that another interrupts has two lines.
    begun = [line for line in lines if "resumed>" not in line]
    syncs = sum(1 for line in begun if "sync" in line.split("(")[0].split()[-1])
    syncs += sum(1 for line in begun if "write" in line.split("(")[0] and any(f"<{path}>" in line for path in synchronous))
    trace.unlink()
    return syncs, found["count"] * 4


def syncs(bench: Bench, brokers: list) -> None:
    """How often each acknowledged request was forced to the disk."""
    for broker in brokers:
        for clients in CLIENTS:
            count, requests = count_syncs(bench, broker, clients)
            share = count / requests if requests else None
            bench.keep(kind="syncs", broker=broker.name, clients=clients, syncs=count, requests=requests)
            print(f"  syncs  {broker.name:<14} {clients:>3} clients: {count} for {requests} acknowledged requests", flush=True)
            if broker.name == "gantry":
                bench.bars.add(f"{clients} clients: syncs for each acknowledged request", share, "at least", 1.0 if clients == 1 else 0.1)


def calls(bench: Bench, gantry: Gantry) -> None:
    """A two-way call beside a put and a get of the reply."""
    for clients in CLIENTS:
        two_way, rest = [], []
        for _ in range(bench.arguments.rounds * TRIES):
            for mode, rounds in (("exchange", rest), ("two-way", two_way)):
                if len(rounds) < bench.arguments.rounds and (found := bench.round("calls", gantry, mode, clients=clients)):
                    rounds.append(found)
        for name, figure in (("CPU", "broker_us_each"), ("time (median)", "p50_ms")):
            value = ratio(median(two_way, figure), median(rest, figure))
            bench.bars.add(f"{clients} clients: {name} of a two-way call / REST round trip", value, "at most", 1.0)


def speeds(bench: Bench, gantry: Gantry, part: str) -> dict[str, float | None]:
    """Puts, gets, and gets by id of 10 clients on the deep queue."""
    found: dict[str, list[dict]] = {"put": [], "get": [], "get-by-id": []}
    for _ in range(bench.arguments.rounds * TRIES):
        if len(found["get-by-id"]) >= bench.arguments.rounds:
            break
        rounds = [bench.round(part, gantry, "put", clients=10)]
        if rounds[0]:
            rounds.append(bench.round(part, gantry, "get", clients=10, count=int(rounds[0]["count"])))
            rounds.append(bench.round(part, gantry, "get-by-id", clients=10))
        if len(rounds) == 3 and all(rounds):
            for mode, figures in zip(found, rounds):
                found[mode].append(figures)
    return {mode: median(rounds, "per_s") for mode, rounds in found.items()}


def deep(bench: Bench, gantry: Gantry) -> None:
    """A million messages wait, the gateway is killed, and all of them are got."""
    count, add = bench.arguments.deep, bench.bars.add
    empty = speeds(bench, gantry, "empty")
    gantry.drain(bench, "DEEP")
    before_mib = gantry.memory_mib()
    filled = bench.round("fill", gantry, "fill", clients=32, count=count)
    full_mib, full_bytes = gantry.memory_mib(), gantry.store_bytes()
    gantry.kill()
    begun = time.monotonic()
    gantry.start()
    first = gantry.browse("DEEP")
    ready_s = time.monotonic() - begun
    assert first, "the first message is not there after kill -9"
    depth = gantry.depth("DEEP")
    if filled and depth != count:
        raise SystemExit(f"queues: {count} messages were put, {depth} are there after kill -9")
    again_mib = gantry.memory_mib()
    waiting = speeds(bench, gantry, "deep")
    for mode in empty:
        add(f"{mode} with {count:,} waiting / empty", ratio(waiting[mode], empty[mode]), "at least", 0.5)
    add(f"seconds until {count:,} messages are ready after kill -9", ready_s, "at most", READY_MAX_S)
    for name, more in (("put", full_mib - before_mib), ("found at start", again_mib - gantry.fresh_mib)):
        add(f"bytes of memory a message, {name}", (more - STORE_MIB) * 2**20 / count, "at most", 200)
    gantry.drain(bench, "DEEP")
    smaller = gantry.store_bytes()
    until = time.monotonic() + SMALLER_WITHIN_S
    while smaller > full_bytes / 10 and time.monotonic() < until:
        time.sleep(1)
        smaller = gantry.store_bytes()
    bench.keep(kind="deep", messages=count, ready_s=ready_s, full_mib=full_mib, before_mib=before_mib, again_mib=again_mib,
               fresh_mib=gantry.fresh_mib, full_bytes=full_bytes, drained_bytes=smaller)
    add("size of the files a minute after the drain / full", smaller / full_bytes, "at most", 0.1)


def waits(bench: Bench, gantry: Gantry) -> None:
    """Gets that wait cost nothing, and a put wakes one."""
    found = bench.round("waits", gantry, "waits", count=bench.arguments.waits, queue="WAITED", duration_s=10, warmup_s=3)
    bench.bars.add(f"cores of the gateway while {bench.arguments.waits:,} gets wait", found and found["broker_cores"], "at most", 0.01)


def write_page(bench: Bench) -> None:
    """The results as a page."""
    bars = []
    for bar in bench.bars.lines:
        said = "NOT MEASURED" if bar["value"] is None else "met" if bar["met"] else "MISSED"
        value = "n/a" if bar["value"] is None else page.number(bar["value"])
        bars.append([bar["name"], value, f"{bar['word']} {page.number(bar['bar'])}", said])
    groups: dict[tuple, list[dict]] = {}
    for result in bench.results:
        if result["kind"] == "round" and not result["void"]:
            key = (result["part"], result["broker"], result["mode"], str(result["options"].get("clients", "")))
            groups.setdefault(key, []).append(result["figures"])
    names = ["per_s", "p50_ms", "p99_ms", "broker_us_each", "broker_cores", "foreign_cores"]
    head = ["part", "broker", "mode", "clients", "rounds", "per second", "p50 ms", "p99 ms", "CPU µs each", "cores", "cores of others"]
    # Gets that wait have no rate and no times.
    kept = {key: ["broker_cores", "foreign_cores"] if key[0] == "waits" else names for key in groups}
    rows = [
        [*key, len(rounds), *(page.spread([found[name] for found in rounds]) if name in kept[key] else "" for name in names)]
        for key, rounds in groups.items()
    ]
    table = page.table("Rounds that count: median, least and most", head, rows)
    run = next((result for result in bench.results if result["kind"] == "run"), {})
    facts = [("Machine", f"{os.cpu_count()} cores, file system {run.get('file_system', '?')}"), ("Command", " ".join(map(str, sys.argv)))]
    page.write(bench.output / "report.html", "Queues over HTTP", facts, bars, [table], [])


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="queues over HTTP, of the gateway and of other brokers")
    parser.add_argument("gantry", type=Path)
    parser.add_argument("driver", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--data", type=Path, help="where the brokers keep their data; the output folder if not given")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration-s", type=float, default=5)
    parser.add_argument("--warmup-s", type=float, default=2)
    parser.add_argument("--deep", type=int, default=1_000_000)
    parser.add_argument("--waits", type=int, default=10_000)
    parser.add_argument("--busy", action="store_true", help="a trial run: other processes void no round")
    return parser.parse_args()


def main() -> int:
    arguments = parse()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    output = arguments.output or Path("perf/runs/tmp") / time.strftime("queues-%Y-%m-%dT%H%M%S", time.gmtime())
    output.mkdir(parents=True, exist_ok=True)
    data = (arguments.data or output / "data").resolve()
    data.mkdir(parents=True, exist_ok=True)
    if file_system(data) in ("tmpfs", "ramfs"):
        print(f"queues: {data} is in memory: nothing there is forced to a disk; use --data", file=sys.stderr)
        return 1
    if "syncs" in arguments.parts and not shutil.which("strace"):
        print("queues: strace is missing: apt-get install strace", file=sys.stderr)
        return 1
    bench = Bench(arguments, output)
    bench.keep(kind="run", command=sys.argv, cores=os.cpu_count(), load=os.getloadavg(), file_system=file_system(data))
    gantry = Gantry(arguments.gantry, data / "gantry", "strict")
    lazy = Gantry(arguments.gantry, data / "gantry-lazy", "lazy")
    others = [ActiveMq(data / "activemq"), RabbitMq(data / "rabbitmq")] if {"peers", "syncs"} & set(arguments.parts) else []
    brokers, failed = [], False
    try:
        for broker in [gantry, lazy, *others]:
            try:
                broker.start()
                brokers.append(broker)
            except (OSError, AssertionError, subprocess.SubprocessError) as fault:
                print(f"queues: {broker.name} does not start: {fault}", file=sys.stderr)
                failed = True
        if others and not arguments.busy:
            # The other broker compiles itself while it runs.
            for broker in brokers:
                bench.drive(broker, "round-trip", clients=10, warmup_s=0, duration_s=15)
        for part in arguments.parts:
            print(f"{part}:", flush=True)
            {"peers": lambda: peers(bench, brokers), "syncs": lambda: syncs(bench, brokers), "calls": lambda: calls(bench, gantry),
             "deep": lambda: deep(bench, gantry), "waits": lambda: waits(bench, gantry)}[part]()
    finally:
        for broker in [gantry, lazy, *others]:
            broker.stop()
        for bar in bench.bars.lines:
            bench.keep(**bar)
        write_page(bench)
        if not arguments.data:
            shutil.rmtree(data, ignore_errors=True)
    print(f"\nresults: {output}/result.jsonl, page: {output}/report.html")
    return 0 if bench.bars.met() and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
