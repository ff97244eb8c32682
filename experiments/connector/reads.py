"""Messages of 100 to 800 KB, read and sent back: what reading one costs by 64 KB at a time, and by large reads.

Usage: reads.py GANTRY --client direct|group --kilobytes N --paced 0|1 --seconds S --warmup W --seed N. The server writes at 1 Gbit/s if it
is paced, else all at once. It prints the figures as JSON. Client and server have a core each.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from link import program

# A piece of 14,480 bytes at 1 Gbit/s.
CHUNK_US = 116


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gantry", type=Path)
    parser.add_argument("--client", choices=["direct", "group"], required=True)
    parser.add_argument("--kilobytes", type=int, required=True)
    parser.add_argument("--paced", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--warmup", type=float, default=0.5)
    parser.add_argument("--seed", type=int, required=True)
    arguments = parser.parse_args()
    if os.cpu_count() < 2:
        print("there are fewer than 2 cores", file=sys.stderr)
        return 1
    bench = program(arguments.gantry, "bench")
    pinned = lambda core: lambda: os.sched_setaffinity(0, {core})
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    pace = [f"chunk_us={CHUNK_US}"] if arguments.paced else []
    server = subprocess.Popen([bench, "server", address] + pace, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=pinned(1))
    assert server.stdout.readline() == "ready\n"
    words = {"addresses": address, "bytes": arguments.kilobytes * 1_000, "seconds": arguments.seconds, "warmup_s": arguments.warmup, "seed": arguments.seed}
    told = subprocess.run([bench, arguments.client] + [f"{key}={value}" for key, value in words.items()], stdout=subprocess.PIPE, text=True, preexec_fn=pinned(0))
    server.stdin.close()
    server.wait()
    if told.returncode != 0:
        print(f"the client ended with {told.returncode}", file=sys.stderr)
        return 1
    found = json.loads(told.stdout)
    void = f"{found['wrong']:.0f} wrong replies, {found['errors']:.0f} errors" if found["wrong"] or found["errors"] else None
    print(json.dumps({"figures": {"cpu_us": found["client_cpu_us"], "messages_per_s": found["replies_per_s"]}, "void": void}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
