"""A pipe of ten packets; one of them is lost: fast retransmit against time-out.

Usage: pipe.py GANTRY --floor F --lost middle|end --seed N. It prints the figures and a drawing of one turn as JSON.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from link import FAR, FLOORS, Link, missing, namespaces, program

PLACES = {"middle": 5, "end": 10}
PACKET_BYTES = 1000

# Ten packets a millisecond apart; the one that is to be lost begins with a word that the relay knows. The last line has the begin and the
# end of the last turn, for the drawing.
PIPE_CLIENT = """
import socket, sys, time
lost, rto_us = int(sys.argv[2]), int(sys.argv[3])
stream = socket.socket()
if rto_us:
    stream.setsockopt(socket.IPPROTO_TCP, 45, rto_us)
stream.connect((sys.argv[1], 15001))
stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
times = []
for turn in range(22):
    begun = time.monotonic()
    for number in range(1, 11):
        stream.sendall((b"DROP" if number == lost and turn >= 2 else b"send").ljust(1000, b"."))
        time.sleep(0.001)
    stream.recv(1)
    ended = time.monotonic()
    times.append((ended - begun) * 1000)
print(sorted(times[2:])[10])
print(int(begun * 1e6), int(ended * 1e6))
"""
PIPE_SERVER = """
import socket
listener = socket.create_server(("0.0.0.0", 15001))
print("ready", flush=True)
while True:
    stream, _ = listener.accept()
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    had = 0
    while data := stream.recv(65536):
        had += len(data)
        while had >= 10000:
            had -= 10000
            stream.sendall(b"!")
"""


def drawing(trace: Path, begin_us: int, end_us: int, title: str) -> dict:
    """The packets of one turn, as the relay saw them."""
    packets = [tuple(map(int, line.split())) for line in trace.read_text().splitlines() if len(line.split()) == 7]
    turn = [packet for packet in packets if begin_us <= packet[0] <= end_us]
    # Sequence numbers of the turn begin with its first packet.
    first = next(sequence for _, _, way, _, sequence, _, length in turn if way == 1 and length)
    number = lambda sequence: ((sequence - first) % (1 << 32)) // PACKET_BYTES + 1
    arrows, seen = [], set()
    for sent, arrives, way, lost, sequence, acknowledged, length in turn:
        arrow = {"at_ms": (sent - begin_us) / 1000, "until_ms": None if lost else (arrives - begin_us) / 1000}
        if way == 1 and length:
            again = " again" if sequence in seen else ""
            seen.add(sequence)
            arrows.append(arrow | {"label": f"packet {number(sequence)}{again}"})
        elif way == 2:
            said = "reply" if length else f"ACK, next is {number(acknowledged)}"
            arrows.append(arrow | {"back": True, "label": said})
    return {"title": title, "left": "client", "right": "server", "arrows": arrows[:60]}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gantry", type=Path)
    parser.add_argument("--floor", choices=FLOORS, required=True)
    parser.add_argument("--lost", choices=PLACES, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--within", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not arguments.within:
        if lacks := missing():
            print("; ".join(lacks), file=sys.stderr)
            return 1
        os.execvp(namespaces()[0], namespaces() + [sys.executable, *sys.argv, "--within"])
    trace = Path("trace")
    trace.unlink(missing_ok=True)
    # Half a millisecond each way, so that the drawing has slopes.
    link = Link(program(arguments.gantry, "relay"), Path.cwd(), arguments.seed, delay_us=500, trace=trace)
    link.set(arguments.floor)
    server = subprocess.Popen(link.at(True) + [sys.executable, "-c", PIPE_SERVER], stdout=subprocess.PIPE, text=True)
    server.stdout.readline()
    before = link.counters()
    words = [FAR, str(PLACES[arguments.lost]), str(FLOORS[arguments.floor][0] * 1_000)]
    took = subprocess.run([sys.executable, "-c", PIPE_CLIENT, *words], capture_output=True, text=True, check=True).stdout.split()
    after = link.counters()
    link.packets()
    server.kill()
    server.wait()
    link.close()
    names = {"fast_retransmits": "TCPFastRetrans", "probes": "TCPLossProbes", "timeouts": "TCPTimeouts", "dsacks": "TCPDSACKRecv"}
    figures = {name: after.get(kernel, 0) - before.get(kernel, 0) for name, kernel in names.items()}
    title = f"the {'fifth' if arguments.lost == 'middle' else 'last'} of ten packets is lost, floor: {arguments.floor}"
    drawn = drawing(trace, int(took[1]), int(took[2]), title)
    print(json.dumps({"figures": figures | {"turn_ms": float(took[0])}, "drawing": drawn}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
