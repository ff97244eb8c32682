"""A link that loses packets, between two network namespaces: what `loss`, `pipe` and `outage` measure over.

The link is a relay between two TUN devices, with seeded loss. Nothing of the machine's own network is touched.
"""

import ctypes
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

NEAR, FAR, PORT = "10.99.0.1", "10.99.0.2", 15000
TCP_RTO_MAX_MS, TCP_RTO_MIN_US = 44, 45

# What both ends are set to: the floor and the ceiling of the client's sockets (ms; 0 is the kernel's), those of the server's kernel (ms), and
# whether the old floor of 1 s stands in the routes.
FLOORS = {
    "1 s": (0, 0, 200, 120_000, True),
    "kernel": (0, 0, 200, 120_000, False),
    "client 20 ms": (20, 1_000, 200, 120_000, False),
    "both 20 ms": (20, 1_000, 20, 1_000, False),
    "both 8 ms": (8, 1_000, 8, 1_000, False),
}


def program(gantry: Path, name: str) -> Path:
    """A program that is built for measurements: beside gantry, in `examples` there, or in PATH."""
    for place in (gantry.parent / "examples" / name, gantry.parent / name):
        if place.exists():
            return place
    found = shutil.which(name)
    if not found:
        raise SystemExit(f"there is no program '{name}': cargo build --release -p connector --examples")
    return Path(found)


def missing() -> list[str]:
    """The tools that this machine lacks, a sentence each."""
    lacks = [f"{command} is missing: apt-get install {package}" for command, package in
             {"ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux"}.items() if not shutil.which(command)]
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        lacks.append("there is no /dev/net/tun that may be used")
    if shutil.which("unshare") and subprocess.run(namespaces() + ["true"], capture_output=True).returncode != 0:
        lacks.append("namespaces cannot be made: run it as root, or allow namespaces of users")
    with socket.socket() as trial:
        for name, option, value in [("TCP_RTO_MIN_US", TCP_RTO_MIN_US, 20_000), ("TCP_RTO_MAX_MS", TCP_RTO_MAX_MS, 1_000)]:
            try:
                trial.setsockopt(socket.IPPROTO_TCP, option, value)
            except OSError:
                lacks.append(f"the kernel lacks {name}: Linux 6.15 or newer is needed")
    lacks += [f"the kernel lacks net.ipv4.{name}" for name in ("tcp_rto_min_us", "tcp_rto_max_ms") if not Path(f"/proc/sys/net/ipv4/{name}").exists()]
    return lacks


def namespaces() -> list[str]:
    """Makes a network namespace; as somebody else than root with a namespace of users around it."""
    return ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-Urn"]


def attached():
    """A process ends with this one."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def tun() -> int:
    """A new TUN device in the namespace of this thread."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, 0x400454CA, struct.pack("16sH22x", b"tun0", 0x1001))
    return device


class Link:
    """Two namespaces, this one and another, with a relay between them."""

    def __init__(self, relay: Path, output: Path, seed: int, loss_percent: float = 0, delay_us: int = 0, trace: Path | None = None, **more: int):
        self.stats, self.outage = output / "relay.stats", output / "outage"
        self.outage.unlink(missing_ok=True)
        self.holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo ready; exec sleep infinity"], stdout=subprocess.PIPE, text=True, preexec_fn=attached)
        self.holder.stdout.readline()
        libc, own = ctypes.CDLL(None, use_errno=True), os.open("/proc/self/ns/net", os.O_RDONLY)
        near = tun()
        other = os.open(f"/proc/{self.holder.pid}/ns/net", os.O_RDONLY)
        assert libc.setns(other, 0) == 0, os.strerror(ctypes.get_errno())
        far = tun()
        assert libc.setns(own, 0) == 0
        words = [f"seed={seed}", f"loss_ppm={int(loss_percent * 10_000)}", f"delay_us={delay_us}", f"stats={self.stats}", f"outage={self.outage}"]
        words += [f"trace={trace}"] if trace else []
        words += [f"{key}={value}" for key, value in more.items()]
        self.relay = subprocess.Popen([relay] + words, stdin=near, stdout=far, preexec_fn=attached)
        for descriptor in (near, far, own, other):
            os.close(descriptor)
        for far_side, local, remote in [(False, NEAR, FAR), (True, FAR, NEAR)]:
            self.run(far_side, "ip", "link", "set", "lo", "up")
            self.run(far_side, "ip", "addr", "add", local, "peer", remote, "dev", "tun0")
            self.run(far_side, "ip", "link", "set", "tun0", "up")

    def at(self, far_side: bool) -> list[str]:
        return ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"] if far_side else []

    def run(self, far_side: bool, *command: str) -> str:
        return subprocess.run(self.at(far_side) + list(command), check=True, capture_output=True, text=True).stdout

    def set(self, floor: str):
        _, _, min_ms, max_ms, is_old = FLOORS[floor]
        # This also switches off newer means, which came after the floor of 1 s.
        known = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read_text().split()
        usual = "cubic" if "cubic" in known else "reno"
        kernel = {"tcp_congestion_control": "reno" if is_old else usual, "tcp_recovery": 0 if is_old else 1, "tcp_early_retrans": 0 if is_old else 3}
        for far_side, remote in [(False, FAR), (True, NEAR)]:
            own = {"tcp_rto_min_us": min_ms * 1_000, "tcp_rto_max_ms": max_ms} if far_side else {}
            for name, value in {**kernel, **own}.items():
                self.run(far_side, "sh", "-c", f"echo {value} > /proc/sys/net/ipv4/{name}")
            self.run(far_side, "ip", "route", "replace", remote, "dev", "tun0", *(["rto_min", "1s"] if is_old else []))

    def packets(self) -> tuple[int, int]:
        """Those that came to the relay, and those that it lost."""
        time.sleep(0.02)
        # The relay writes the file anew, again and again.
        while len(counts := self.stats.read_text().split()) != 2:
            time.sleep(0.001)
        return int(counts[0]), int(counts[1])

    def counters(self) -> dict[str, int]:
        """Of the kernel, of both ends."""
        found: dict[str, int] = {}
        for far_side in (False, True):
            lines = self.run(far_side, "cat", "/proc/net/netstat", "/proc/net/snmp").splitlines()
            for names, values in zip(lines[::2], lines[1::2]):
                for name, value in zip(names.split()[1:], values.split()[1:]):
                    if names.startswith(("Tcp:", "TcpExt:")):
                        found[name] = found.get(name, 0) + int(value)
        return found

    def close(self):
        for process in (self.relay, self.holder):
            process.kill()
            process.wait()
