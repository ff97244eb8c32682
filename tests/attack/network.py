"""Clients that hold what others need, beside good ones: nobody good is refused, the slow ones are gone in time, and
the gateway's memory stays within a bound.

For each kind of slow client: so many of them for some seconds, each from an address that it shares with 99 others; one
that is let go comes again. Then none comes again, and all must be gone. Meanwhile good clients send requests at a
fixed rate on connections that stay, on new ones, and to /health/live. Times are shown and not judged.
"""

import argparse
import asyncio
import collections
import json
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
DOCUMENT = b"/echo/openapi.json"
BODY = b'{"words":"hi"}'
ECHO = b"PUT /echo/7 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n" + BODY
HEALTH = b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n"
# What a client of each kind may cost, beside the answers that wait (gateway.toml): buffers, TLS is not used.
CLIENT_BYTES = 64 * 1024
# And each of the requests that it may have at one time on HTTP/2, while it is answered.
STREAM_BYTES = 12 * 1024
STREAMS = 20
WAITING_BYTES = 16 * 1024 * 1024
# After the last limit of time (three times two seconds) a busy machine may take so much longer.
GONE_SECONDS = 60


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def get(stream, path):
    block = b""
    for name, value in ((b":method", b"GET"), (b":scheme", b"http"), (b":authority", b"localhost"), (b":path", path)):
        block += bytes([0, len(name)]) + name + bytes([len(value)]) + value
    return frame(HEADERS, 5, stream, block)


async def drip(writer, beginning, byte):
    """A beginning, and then a byte from time to time."""
    writer.write(beginning)
    while True:
        await asyncio.sleep(0.5)
        writer.write(byte)


async def head(reader, writer):
    await until_closed(reader, drip(writer, b"GET /echo/7 HTTP/1.1\r\nx: ", b"x"))


async def body(reader, writer):
    await until_closed(reader, drip(writer, ECHO.replace(b"14", b"1000"), b" "))


async def idle(reader, writer):
    await until_closed(reader, asyncio.sleep(1e6))


async def until_closed(reader, doing):
    task = asyncio.ensure_future(doing)
    try:
        while await reader.read(65536):
            pass
    finally:
        task.cancel()


async def settings(reader, writer):
    """Settings again and again, and no request."""
    writer.write(PREFACE + frame(SETTINGS, 0, 0))

    async def again():
        while True:
            await asyncio.sleep(0.2)
            writer.write(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 70000)))

    await frames(reader, writer, again())


async def window(reader, writer, size):
    """Many answers, of which it takes `size` bytes a second each; pings are answered."""
    writer.write(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, size)))
    streams = range(1, 2 * STREAMS, 2)
    for stream in streams:
        writer.write(get(stream, DOCUMENT))

    async def open_windows():
        while True:
            await asyncio.sleep(1)
            if size:
                for stream in streams:
                    writer.write(frame(WINDOW_UPDATE, 0, stream, struct.pack(">I", size)))

    await frames(reader, writer, open_windows())


async def frames(reader, writer, doing):
    task = asyncio.ensure_future(doing)
    try:
        while not writer.transport.is_closing():
            found = await reader.readexactly(9)
            payload = await reader.readexactly(int.from_bytes(found[:3], "big"))
            kind, flags = found[3], found[4]
            if kind == PING and not flags & 1:
                writer.write(frame(PING, 1, 0, payload))
            elif kind == SETTINGS and not flags & 1:
                writer.write(frame(SETTINGS, 1, 0))
    finally:
        task.cancel()


KINDS = {
    "head": head,
    "body": body,
    "window 0": lambda reader, writer: window(reader, writer, 0),
    "window 1": lambda reader, writer: window(reader, writer, 1),
    "settings": settings,
    "idle": idle,
}
CLOSED = (OSError, asyncio.IncompleteReadError)


class Attackers:
    def __init__(self, kind, address, count):
        self.kind, self.address, self.open, self.came = kind, address, 0, 0
        self.again = True
        self.tasks = [asyncio.ensure_future(self.client(number)) for number in range(count)]

    async def client(self, number):
        source = f"127.0.{1 + number // 100 // 250}.{1 + number // 100 % 250}"
        while self.again:
            try:
                reader, writer = await asyncio.open_connection(*self.address, local_addr=(source, 0))
            except OSError:
                await asyncio.sleep(0.5)
                continue
            self.open += 1
            self.came += 1
            try:
                await KINDS[self.kind](reader, writer)
            except CLOSED:
                pass
            finally:
                self.open -= 1
                writer.transport.abort()
            await asyncio.sleep(0.1)

    async def gone(self):
        """Seconds until the gateway has let all go; None if it does not."""
        self.again = False
        begun = time.monotonic()
        _, left = await asyncio.wait(self.tasks, timeout=GONE_SECONDS)
        if left:
            for task in left:
                task.cancel()
            return None
        return time.monotonic() - begun


class Good:
    """Clients in a process of their own: `good` is this program's argument for it."""

    def __init__(self, address, admin, rate):
        self.address, self.admin, self.rate = address, admin, rate
        self.times, self.refused, self.health = [], collections.Counter(), 0
        self.idle = []

    async def exchange(self, address, request, expected, streams=None):
        reader, writer = streams or await asyncio.open_connection(*address)
        writer.write(request)
        text = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", text)
        answer = await reader.readexactly(int(length[1]))
        if not text.startswith(b"HTTP/1.1 200") or expected not in answer:
            raise ValueError(text.split(b"\r\n")[0].decode())
        return reader, writer

    async def one(self, number, due):
        try:
            if number % self.rate == 0:
                _, writer = await self.exchange(self.admin, HEALTH, b"up")
                self.health += 1
                writer.transport.abort()
            elif number % 10 == 0:
                _, writer = await self.exchange(self.address, ECHO, b'"words":"hi"')
                writer.transport.abort()
            else:
                await self.kept()
            self.times.append(time.monotonic() - due)
        except (ValueError, *CLOSED) as error:
            self.refused[f"{type(error).__name__}: {error}"] += 1

    async def kept(self):
        """On a connection that stays, if the gateway has not closed it for being idle."""
        if self.idle:
            try:
                return self.idle.append(await self.exchange(self.address, ECHO, b'"words":"hi"', self.idle.pop()))
            except (OSError, asyncio.IncompleteReadError) as error:
                if getattr(error, "partial", b""):
                    raise
        self.idle.append(await self.exchange(self.address, ECHO, b'"words":"hi"'))

    async def run(self, seconds):
        begun, tasks = time.monotonic(), []
        for number in range(int(self.rate * seconds)):
            due = begun + number / self.rate
            await asyncio.sleep(max(0, due - time.monotonic()))
            tasks.append(asyncio.ensure_future(self.one(number, due)))
        if tasks:
            await asyncio.wait(tasks, timeout=GONE_SECONDS)
        late = sum(not task.done() for task in tasks)
        if late:
            self.refused["no answer"] += late
        times = sorted(self.times) or [float("nan")]
        print(json.dumps({"p50": times[len(times) // 2], "p99": times[len(times) * 99 // 100],
                          "count": len(self.times), "health": self.health, "refused": self.refused}))


def resident(pid):
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024


class Run:
    def __init__(self, options):
        self.options = options
        self.gateway = subprocess.Popen(
            [options.binary, "serve", str(HERE / "gateway"), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
            stdout=subprocess.PIPE, text=True)
        found = {}
        for line in self.gateway.stdout:
            for name, words in (("address", "gantry serves on"), ("admin", "metrics and health on")):
                if match := re.match(rf"{words} \w+://([\d.]+):(\d+)", line):
                    found[name] = (match[1], int(match[2]))
            if line.startswith("Ctrl-C"):
                break
        self.address, self.admin = found["address"], found["admin"]

    async def good(self, seconds):
        """What good clients find, and the most memory that the gateway has meanwhile."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, __file__, "good", json.dumps([self.address, self.admin, self.options.rate, seconds]),
            stdout=subprocess.PIPE)
        reading = asyncio.ensure_future(process.stdout.read())
        most = 0
        while not reading.done():
            most = max(most, resident(self.gateway.pid))
            await asyncio.wait([reading], timeout=0.1)
        await process.wait()
        return json.loads(reading.result()), most

    async def attack(self, kind, before):
        at_admin = kind.endswith(" (admin)")
        target = self.admin if at_admin else self.address
        attackers = Attackers(kind.removesuffix(" (admin)"), target, self.options.clients)
        found, most = await self.good(self.options.seconds)
        gone = await attackers.gone()
        streams = STREAMS if kind.startswith("window") else 0
        bound = before + self.options.clients * (CLIENT_BYTES + streams * STREAM_BYTES) + WAITING_BYTES
        faults = []
        if found["refused"]:
            faults.append(f"good clients were refused: {found['refused']}")
        if gone is None:
            faults.append(f"slow clients are still there after {GONE_SECONDS} s: {attackers.open}")
        if most > bound:
            faults.append(f"memory is beyond {bound >> 20} MB")
        if self.gateway.poll() is not None:
            faults.append("the gateway has ended")
        shown = "never" if gone is None else f"{gone:.1f} s"
        print(f"{kind:18}{found['p50'] * 1e3:9.2f}{found['p99'] * 1e3:9.2f}{sum(found['refused'].values()):9}"
              f"{most >> 20:9}{bound >> 20:9}{attackers.came:9}{shown:>9}", flush=True)
        return [f"{kind}: {fault}" for fault in faults]

    async def all(self):
        options = self.options
        print(f"{options.clients} slow clients of each kind, {options.rate} good requests/s, {options.seconds} s each")
        print(f"{'kind':18}{'p50 ms':>9}{'p99 ms':>9}{'refused':>9}{'MB':>9}{'bound':>9}{'came':>9}{'gone in':>9}")
        found, most = await self.good(options.seconds)
        print(f"{'none':18}{found['p50'] * 1e3:9.2f}{found['p99'] * 1e3:9.2f}{sum(found['refused'].values()):9}"
              f"{most >> 20:9}", flush=True)
        faults = [f"without attack: {found['refused']}"] if found["refused"] else []
        for kind in [*KINDS, "idle (admin)", "body (admin)", "window 0 (admin)"]:
            if not options.kind or kind in options.kind:
                faults += await self.attack(kind, most)
        return faults


def main():
    if sys.argv[1] == "good":
        address, admin, rate, seconds = json.loads(sys.argv[2])
        return asyncio.run(Good(tuple(address), tuple(admin), rate).run(seconds))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=10, help="of each kind")
    parser.add_argument("--clients", type=int, default=200, help="slow clients of each kind")
    parser.add_argument("--rate", type=int, default=200, help="good requests a second")
    parser.add_argument("--kind", action="append", help="only this kind; may be repeated")
    run = Run(parser.parse_args())
    try:
        faults = asyncio.run(run.all())
    finally:
        run.gateway.kill()
    for fault in faults:
        print(f"GOT THROUGH: {fault}")
    print("nothing got through" if not faults else f"{len(faults)} got through")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
