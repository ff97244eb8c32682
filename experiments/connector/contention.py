"""Many senders on one connection, by where messages are built and who writes; and short requests beside long ones on one connection.

Usage: contention.py GANTRY senders --how under|outside|group --senders N --bytes N --seconds S [--warmup W] --seed N
       contention.py GANTRY beside --senders N --seconds S [--warmup W] --seed N

`under` builds and writes a message under a lock of tokio, `outside` builds it before, `group` is an endpoint group. Senders run on two threads.
CPU is that of both sides, and writes are the calls of the client, those that wake a thread among them. `beside` is measured over a link of
its own with 1 Gbit/s. It prints the figures as JSON.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from link import FAR, PORT, Link, missing, namespaces, program

# A switch with 250 KB for a port of 1 Gbit/s.
RATE_MBIT, QUEUE_US = 1_000, 2_000


def measured(arguments, address: str, far: list[str], client: str, **options) -> dict:
    """One window of a client, with a server that takes messages."""
    bench = program(arguments.gantry, "bench")
    words = {"seed": arguments.seed, "bytes": arguments.bytes, "senders": arguments.senders}
    command = far + [bench, "sink", address] + [f"{key}={value}" for key, value in words.items()]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "ready\n"
    words |= {"addresses": address, "pids": server.pid, "seconds": arguments.seconds, "warmup_s": arguments.warmup, **options}
    told = subprocess.run([bench, client] + [f"{key}={value}" for key, value in words.items()], stdout=subprocess.PIPE, text=True)
    server.stdin.close()
    counted = server.stdout.read()
    server.wait()
    if told.returncode != 0 or server.returncode != 0:
        raise SystemExit(f"the client ended with {told.returncode}, the server with {server.returncode}")
    found = json.loads(told.stdout)
    found["wrong"] += json.loads(counted)["wrong"]
    return found


def void(found: dict) -> str | None:
    return f"{found['wrong']:.0f} wrong messages, {found['errors']:.0f} errors" if found["wrong"] or found["errors"] else None


def senders(arguments) -> dict:
    os.sched_setaffinity(0, range(os.cpu_count()))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    found = measured(arguments, address, [], "senders", how=arguments.how, threads=2)
    figures = {name: found[name] for name in ("cpu_us", "writes_per_message", "waited_us")}
    return {"figures": {"messages_per_s": found["replies_per_s"], **figures}, "void": void(found)}


def beside(arguments) -> dict:
    link = Link(program(arguments.gantry, "relay"), Path.cwd(), arguments.seed, rate_mbit=RATE_MBIT, queue_us=QUEUE_US)
    link.set("both 20 ms")
    try:
        found = measured(arguments, f"{FAR}:{PORT}", link.at(True), "beside")
    finally:
        link.close()
    figures = {"messages_per_s": found["replies_per_s"], **{name: found[name] for name in ("p50_us", "p99_us", "large_per_s")}}
    return {"figures": figures, "void": void(found) or (None if found["large_per_s"] else "no long reply came")}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gantry", type=Path)
    parser.add_argument("what", choices=["senders", "beside"])
    parser.add_argument("--how", choices=["under", "outside", "group"], default="group")
    parser.add_argument("--senders", type=int, required=True)
    parser.add_argument("--bytes", type=int, default=1_024)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--warmup", type=float, default=0.5)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--within", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.what == "beside" and not arguments.within:
        if lacks := missing():
            print("; ".join(lacks), file=sys.stderr)
            return 1
        os.execvp(namespaces()[0], namespaces() + [sys.executable, *sys.argv, "--within"])
    print(json.dumps({"senders": senders, "beside": beside}[arguments.what](arguments)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
