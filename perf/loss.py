"""`make loss`: endpoint groups over a link that loses packets, and what the figures must be.

The link is a relay of our own between two TUN devices, each in a network namespace of its own, with seeded loss. Nothing of the machine's
own network is touched. Requests and replies have 1 KiB. Experiments:
- loss: 1, 3 and 5% of all packets lost, 1 and 10 connections, with the shortest time before a retransmission (RTO) as the floor: 1 s by
  the route, as it was once, without later remedies; the kernel's 200 ms; 20 ms at the client only; 20 ms and 8 ms at both ends.
- pipe: of ten packets the fifth or the last is lost; fast retransmit against time-out, by the kernel's counters.
- outage: nothing passes for 8 s, and then how long until the first reply.
- beside: 1 KiB requests of 8 callers beside 8 MiB ones, on one connection over a link of 1 Gbit/s that loses nothing by chance.
- delayed: replies take 30 ms and no packet is lost; how many are sent again needlessly from 5 s on, with the floor at the client only.

Usage: loss.py FOLDER [--output DIR] [--rounds N] [--duration-s S] [--experiments A,B] [--seed N] [--trial]. FOLDER has the programs
`bench` and `relay`. The script lists what the machine lacks, and ends with 1. It also ends with 1 if a bar is missed.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import page  # noqa: E402

# The link is that of the laboratory.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "experiments/connector"))

from contention import QUEUE_US, RATE_MBIT
from link import FAR, FLOORS, PORT, Link, missing, namespaces
from pipe import PIPE_CLIENT, PIPE_SERVER

EXPERIMENTS = ["loss", "pipe", "outage", "delayed", "beside"]
LOSSES = [1, 3, 5]
CONNECTIONS = [1, 10]
REPEATS_MAX = 3
OUTAGE_S = 8
REPLY_US, SETTLED_S = 30_000, 5


class Loss:
    """Measures, and writes down."""

    def __init__(self, arguments, output: Path):
        self.folder, self.output, self.arguments = arguments.folder, output, arguments
        self.random = random.Random(arguments.seed)
        self.windows, self.faults = [], []
        self.file = open(output / "result.jsonl", "w")
        self.write({"kind": "run", "command": sys.argv, "seed": arguments.seed, "kernel": os.uname().release, "load": os.getloadavg(), "trial": arguments.trial})

    def write(self, line: dict):
        print(json.dumps(line), file=self.file, flush=True)

    def note(self, experiment: str, target: str, void: str | None, figures: dict) -> bool:
        """True if it counts."""
        line = {"kind": "window", "experiment": experiment, "target": target, "void": void, "figures": figures}
        self.write(line)
        if void is None or self.arguments.trial:
            self.windows.append(line)
            return True
        print(f"  void: {experiment}, {target}: {void}", flush=True)
        return False

    def median(self, experiment: str, target: str, figure: str) -> float | None:
        values = [line["figures"][figure] for line in self.windows if (line["experiment"], line["target"]) == (experiment, target)]
        return statistics.median(values) if values else None

    def link(self, **options) -> Link:
        return Link(self.folder / "relay", self.output, self.random.randrange(1, 1 << 31), **options)

    def client(self, link: Link, floor: str, work_us: int = 0, **options) -> tuple[dict, str]:
        """One window of a group at the near end, with a server at the far end."""
        server = subprocess.Popen(link.at(True) + [self.folder / "bench", "server", f"{FAR}:{PORT}", f"work_us={work_us}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert server.stdout.readline() == "ready\n"
        rto_min, rto_max = FLOORS[floor][:2]
        words = {"addresses": f"{FAR}:{PORT}", "rto_min_ms": rto_min, "rto_max_ms": rto_max, "timeout_s": 120, "seed": self.arguments.seed, **options}
        told = subprocess.run([self.folder / "bench", "group"] + [f"{key}={value}" for key, value in words.items()], capture_output=True, text=True)
        server.stdin.close()
        server.wait()
        if told.returncode != 0:
            raise SystemExit(f"loss: the client ended with {told.returncode}: {told.stderr}")
        return json.loads(told.stdout), told.stderr

    def loss(self):
        for _ in range(self.arguments.rounds):
            for percent in LOSSES:
                for connections in CONNECTIONS:
                    for floor in FLOORS:
                        for _ in range(1 + REPEATS_MAX):
                            if self.loss_window(percent, connections, floor):
                                break
                        else:
                            self.faults.append(f"loss {percent}%, {connections} connections, {floor}: all windows are void")
            print("loss: a round", flush=True)

    def loss_window(self, percent: int, connections: int, floor: str) -> bool:
        link = self.link(loss_percent=percent)
        link.set(floor)
        # A second at a time takes longer to be counted.
        seconds = self.arguments.duration_s * (4 if floor == "1 s" else 1)
        before = link.counters()
        figures, _ = self.client(link, floor, in_flight=connections, seconds=seconds, warmup_s=0.5)
        (packets, lost), after = link.packets(), link.counters()
        link.close()
        segments = max(after["OutSegs"] - before["OutSegs"], 1)
        figures |= {"packets": packets, "lost": lost, "dsack_pct": 100 * (after["TCPDSACKRecv"] - before["TCPDSACKRecv"]) / segments}
        expected = packets * percent / 100
        # Of few packets chance takes more than a tenth.
        void = f"{lost} of {packets} packets were lost" if abs(lost - expected) > max(expected / 10, 3 * expected**0.5) else None
        if figures["wrong"] or figures["errors"]:
            self.faults.append(f"loss {percent}%, {floor}: {figures['wrong']} wrong replies, {figures['errors']} errors")
        return self.note("loss", f"{percent}% {connections} {floor}", void, figures)

    def pipe(self):
        for floor in ("1 s", "kernel", "both 20 ms"):
            for place, lost in [("middle", 5), ("end", 10)]:
                link = self.link()
                link.set(floor)
                server = subprocess.Popen(link.at(True) + [sys.executable, "-c", PIPE_SERVER], stdout=subprocess.PIPE, text=True)
                server.stdout.readline()
                before = link.counters()
                rto_us = str(FLOORS[floor][0] * 1_000)
                took = subprocess.run([sys.executable, "-c", PIPE_CLIENT, FAR, str(lost), rto_us], capture_output=True, text=True, check=True).stdout
                after = link.counters()
                server.kill()
                server.wait()
                link.close()
                names = ["TCPFastRetrans", "TCPLossProbes", "TCPTimeouts", "TCPDSACKRecv", "RetransSegs"]
                counted = {name: after.get(name, 0) - before.get(name, 0) for name in names}
                self.note("pipe", f"{place} {floor}", None, {"median_ms": float(took.split()[0]), **counted})

    def outage(self):
        for _ in range(self.arguments.rounds):
            for floor in ("kernel", "both 20 ms"):
                link = self.link()
                link.set(floor)
                breaking = subprocess.Popen(["sh", "-c", f"sleep 2; touch '{link.outage}'; sleep {OUTAGE_S}; rm '{link.outage}'"])
                _, gap = self.client(link, floor, in_flight=4, seconds=OUTAGE_S + 10, warmup_s=0.5, gaps=1)
                breaking.wait()
                link.close()
                self.note("outage", floor, None, {"first_reply_ms": int(gap) - OUTAGE_S * 1_000})
            print("outage: a round", flush=True)


    def delayed(self):
        for _ in range(self.arguments.rounds):
            for floor in ("client 20 ms", "both 20 ms"):
                link = self.link()
                link.set(floor)
                settled: dict[str, int] = {}
                timer = threading.Timer(SETTLED_S, lambda: settled.update(link.counters()))
                timer.start()
                figures, _ = self.client(link, floor, work_us=REPLY_US, in_flight=10, seconds=self.arguments.duration_s + SETTLED_S, warmup_s=0)
                timer.join()
                after = link.counters()
                link.close()
                segments = max(after["OutSegs"] - settled["OutSegs"], 1)
                figures["dsack_pct"] = 100 * (after["TCPDSACKRecv"] - settled["TCPDSACKRecv"]) / segments
                if figures["wrong"] or figures["errors"]:
                    self.faults.append(f"delayed, {floor}: {figures['wrong']} wrong replies, {figures['errors']} errors")
                self.note("delayed", floor, None, figures)
            print("delayed: a round", flush=True)


    def beside(self):
        for _ in range(self.arguments.rounds):
            link = self.link(rate_mbit=RATE_MBIT, queue_us=QUEUE_US)
            link.set("both 20 ms")
            words = {"seed": self.arguments.seed, "senders": 8}
            command = link.at(True) + [self.folder / "bench", "sink", f"{FAR}:{PORT}"] + [f"{key}={value}" for key, value in words.items()]
            server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert server.stdout.readline() == "ready\n"
            words |= {"addresses": f"{FAR}:{PORT}", "seconds": self.arguments.duration_s, "warmup_s": 1}
            told = subprocess.run([self.folder / "bench", "beside"] + [f"{key}={value}" for key, value in words.items()], capture_output=True, text=True)
            server.stdin.close()
            server.wait()
            link.close()
            if told.returncode != 0:
                raise SystemExit(f"loss: the client ended with {told.returncode}: {told.stderr}")
            figures = json.loads(told.stdout)
            if figures["wrong"] or figures["errors"]:
                self.faults.append(f"beside: {figures['wrong']} wrong replies, {figures['errors']} errors")
            self.note("beside", "1 KiB beside 8 MiB", None if figures["large_per_s"] else "no long reply came", figures)
        print("beside: all rounds", flush=True)


def bars(loss: Loss, experiments: list[str]) -> list[tuple]:
    """Name, value, word, bar."""
    found = []
    rate = lambda connections, floor: loss.median("loss", f"1% {connections} {floor}", "replies_per_s")
    ratio = lambda one, other: one / other if one and other else None
    if "loss" in experiments:
        for connections, bar in zip(CONNECTIONS, [32, 25]):
            ours = rate(connections, "both 20 ms")
            found.append((f"1% lost, {connections} connections: both 20 ms / 1 s", ratio(ours, rate(connections, "1 s")), "at least", bar))
            found.append((f"1% lost, {connections} connections: both 20 ms / kernel", ratio(ours, rate(connections, "kernel")), "at least", 5))
            found.append((f"1% lost, {connections} connections: DSACKs, %", loss.median("loss", f"1% {connections} both 20 ms", "dsack_pct"), "at most", 2))
    if "pipe" in experiments:
        found.append(("lost in the middle: time-outs of 20", loss.median("pipe", "middle both 20 ms", "TCPTimeouts"), "at most", 0))
        found.append(("lost at the end: time of both 20 ms / 1 s", ratio(loss.median("pipe", "end both 20 ms", "median_ms"), loss.median("pipe", "end 1 s", "median_ms")), "at most", 0.1))
    if "outage" in experiments:
        found.append(("first reply after an outage of 8 s, in ms", loss.median("outage", "both 20 ms", "first_reply_ms"), "at most", 1_000))
    if "delayed" in experiments:
        for floor in ("client 20 ms", "both 20 ms"):
            found.append((f"replies of 30 ms, {floor}: DSACKs from 5 s on, %", loss.median("delayed", floor, "dsack_pct"), "at most", 2))
    if "beside" in experiments:
        p99_us = loss.median("beside", "1 KiB beside 8 MiB", "p99_us")
        found.append(("1 KiB beside 8 MiB at 1 Gbit/s: p99, in ms", p99_us / 1_000 if p99_us is not None else None, "at most", 10))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="endpoint groups over a link that loses packets")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration-s", type=float, default=5)
    parser.add_argument("--experiments", default=",".join(EXPERIMENTS))
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 31))
    parser.add_argument("--trial", action="store_true", help="void windows count: the figures mean nothing")
    parser.add_argument("--within", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    experiments = arguments.experiments.split(",")
    if not arguments.within:
        lacks = missing() + [f"there is no experiment '{name}'; they are {', '.join(EXPERIMENTS)}" for name in experiments if name not in EXPERIMENTS]
        if lacks:
            print("\n".join(f"loss: {sentence}" for sentence in lacks), file=sys.stderr)
            return 1
        os.execvp(namespaces()[0], namespaces() + [sys.executable, *sys.argv, "--within"])
    arguments.folder = arguments.folder.resolve()
    output = (arguments.output or Path("perf/runs/tmp") / time.strftime("loss-%Y-%m-%dT%H%M%S", time.gmtime())).resolve()
    output.mkdir(parents=True)
    loss = Loss(arguments, output)
    print(f"seed {arguments.seed}", flush=True)
    for experiment in experiments:
        getattr(loss, experiment)()
    print("\n{:<10} {:<24} {}".format("", "", "medians"))
    for experiment, target in dict.fromkeys((line["experiment"], line["target"]) for line in loss.windows):
        names = next(line["figures"] for line in loss.windows if (line["experiment"], line["target"]) == (experiment, target))
        shown = [f"{name} {loss.median(experiment, target, name):.4g}" for name in names if name not in ("busy_pct", "foreign_pct", "cpu_us", "client_cpu_us")]
        print(f"{experiment:<10} {target:<24} {', '.join(shown)}")
    print()
    met = True
    for name, value, word, bar in bars(loss, experiments):
        is_met = value is not None and (value <= bar if word == "at most" else value >= bar)
        met &= is_met
        said = "NOT MEASURED" if value is None else "met" if is_met else "MISSED"
        print(f"{name:<52} {'n/a' if value is None else f'{value:.3f}':>9}  {word} {bar:<6g} {said}")
        loss.write({"kind": "bar", "name": name, "value": value, "bar": f"{word} {bar:g}", "met": is_met})
    for fault in loss.faults:
        print(f"loss: {fault}")
        loss.write({"kind": "fault", "fault": fault})
    page.of_result(output / "result.jsonl")
    print(f"\nresults: {output}/result.jsonl, page: {output}/report.html")
    return 0 if met and not loss.faults else 1


if __name__ == "__main__":
    sys.exit(main())
