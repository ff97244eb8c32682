"""A group over a link that loses packets, over one that is out for eight seconds, or in front of a server whose replies take 30 ms.

Usage: loss.py GANTRY loss|outage|delayed --floor F [--percent P] [--connections N] --seconds S [--warmup W] --seed N. It prints the figures as JSON.
"""

import argparse
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

from link import FAR, FLOORS, PORT, Link, missing, namespaces, program

OUTAGE_S = 8
REPLY_US = 30_000
# From then on needless packets count.
SETTLED_S = 5


def client(arguments, link: Link, work_us: int = 0, **options) -> tuple[dict, str]:
    """One window of a group at the near end, with a server at the far end."""
    bench = program(arguments.gantry, "bench")
    server = subprocess.Popen(link.at(True) + [bench, "server", f"{FAR}:{PORT}", f"work_us={work_us}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\n"
    rto_min, rto_max = FLOORS[arguments.floor][:2]
    words = {"addresses": f"{FAR}:{PORT}", "rto_min_ms": rto_min, "rto_max_ms": rto_max, "timeout_s": 120, "seed": arguments.seed, **options}
    told = subprocess.run([bench, "group"] + [f"{key}={value}" for key, value in words.items()], capture_output=True, text=True)
    server.stdin.close()
    server.wait()
    if told.returncode != 0:
        raise SystemExit(f"the client ended with {told.returncode}: {told.stderr}")
    return json.loads(told.stdout), told.stderr


def loss(arguments) -> dict:
    link = Link(program(arguments.gantry, "relay"), Path.cwd(), arguments.seed, loss_percent=arguments.percent)
    link.set(arguments.floor)
    # A second at a time takes longer to be counted.
    seconds = arguments.seconds * (4 if arguments.floor == "1 s" else 1)
    before = link.counters()
    found, _ = client(arguments, link, in_flight=arguments.connections, seconds=seconds, warmup_s=arguments.warmup)
    (packets, lost), after = link.packets(), link.counters()
    link.close()
    segments = max(after["OutSegs"] - before["OutSegs"], 1)
    expected = packets * arguments.percent / 100
    void = None
    if found["wrong"] or found["errors"]:
        void = f"{found['wrong']:.0f} wrong replies, {found['errors']:.0f} errors"
    # Of few packets chance takes more than a tenth.
    elif abs(lost - expected) > max(expected / 10, 3 * expected**0.5):
        void = f"{lost} of {packets} packets were lost"
    difference = lambda name: after.get(name, 0) - before.get(name, 0)
    figures = {
        "replies_per_s": found["replies_per_s"],
        "lost_pct": 100 * lost / max(packets, 1),
        "dsack_pct": 100 * difference("TCPDSACKRecv") / segments,
        "retransmits": difference("RetransSegs"),
        "probes": difference("TCPLossProbes"),
        "timeouts": difference("TCPTimeouts"),
    }
    return {"figures": figures, "void": void}


def outage(arguments) -> dict:
    link = Link(program(arguments.gantry, "relay"), Path.cwd(), arguments.seed)
    link.set(arguments.floor)
    breaking = subprocess.Popen(["sh", "-c", f"sleep 2; touch '{link.outage}'; sleep {OUTAGE_S}; rm '{link.outage}'"])
    found, gap = client(arguments, link, in_flight=4, seconds=OUTAGE_S + 8, warmup_s=0.5, gaps=1)
    breaking.wait()
    link.close()
    void = f"{found['wrong']:.0f} wrong replies, {found['errors']:.0f} errors" if found["wrong"] or found["errors"] else None
    return {"figures": {"first_reply_ms": int(gap) - OUTAGE_S * 1_000, "replies_per_s": found["replies_per_s"]}, "void": void}


def delayed(arguments) -> dict:
    link = Link(program(arguments.gantry, "relay"), Path.cwd(), arguments.seed)
    link.set(arguments.floor)
    settled: dict[str, int] = {}
    first = link.counters()
    timer = threading.Timer(SETTLED_S, lambda: settled.update(link.counters()))
    timer.start()
    found, _ = client(arguments, link, work_us=REPLY_US, in_flight=10, seconds=arguments.seconds + SETTLED_S, warmup_s=0)
    timer.join()
    after = link.counters()
    link.close()
    share = lambda one, other: 100 * (other["TCPDSACKRecv"] - one["TCPDSACKRecv"]) / max(other["OutSegs"] - one["OutSegs"], 1)
    void = f"{found['wrong']:.0f} wrong replies, {found['errors']:.0f} errors" if found["wrong"] or found["errors"] else None
    figures = {"replies_per_s": found["replies_per_s"], "dsack_first_pct": share(first, settled), "dsack_pct": share(settled, after)}
    return {"figures": figures, "void": void}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gantry", type=Path)
    parser.add_argument("what", choices=["loss", "outage", "delayed"])
    parser.add_argument("--floor", choices=FLOORS, required=True)
    parser.add_argument("--percent", type=float, default=1)
    parser.add_argument("--connections", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--warmup", type=float, default=0.5)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--within", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.within:
        if lacks := missing():
            print("; ".join(lacks), file=sys.stderr)
            return 1
        os.execvp(namespaces()[0], namespaces() + [sys.executable, *sys.argv, "--within"])
    print(json.dumps({"loss": loss, "outage": outage, "delayed": delayed}[arguments.what](arguments)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
