"""A request of 50 bytes and a reply of 1 KB over queues: put and get by messaging REST, or one call of a two-way service.

Usage: drive.py GANTRY --mode note|call --login once|each --tls 0|1 --clients N [--delay-ms N] --seconds S --warmup S. It starts the gateway
in the folder `gantry` beside it, lets the driver `queues` ask, and prints the figures as JSON. The driver checks each reply. With
--delay-ms, a relay in the driver adds so much to each round trip of the network.
"""

import argparse
import ctypes
import json
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

START_MAX_S = 30
USER = "app:passw0rd"


def program(gantry: Path, name: str) -> Path:
    """A program that is built for measurements: beside gantry, in `examples` there, or in PATH."""
    for place in (gantry.parent / "examples" / name, gantry.parent / name):
        if place.exists():
            return place
    found = shutil.which(name)
    if not found:
        raise SystemExit(f"there is no program '{name}': cargo build --release -p load --example {name}")
    return Path(found)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def attached() -> None:
    """A process ends with this one."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def configure(folder: Path, with_tls: bool) -> int:
    """Adds the addresses to the configuration, and makes a certificate; the port."""
    config = folder / "gantry.toml"
    plain = config.with_suffix(".plain")
    if not plain.exists():
        plain.write_text(config.read_text())
    port = free_port()
    tls = ""
    if with_tls:
        if not (folder / "server.pem").exists():
            words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]
            words += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]
            subprocess.run(words + ["-keyout", folder / "server.key", "-out", folder / "server.pem"], check=True, capture_output=True)
        tls = 'tls = { certificate = "server.pem", private_key = "server.key" }\n'
    ends = f'\n[[listener]]\naddress = "127.0.0.1:{port}"\n{tls}\n[admin]\naddress = "127.0.0.1:{free_port()}"\n'
    config.write_text(plain.read_text() + ends)
    for name in ("users.txt", "server.key"):
        if (folder / name).exists():
            (folder / name).chmod(0o600)
    return port


def wait_for(process: subprocess.Popen, port: int, with_tls: bool) -> None:
    """Waits until the gateway answers, whatever it says."""
    url = f"{'https' if with_tls else 'http'}://127.0.0.1:{port}/"
    anybody = ssl._create_unverified_context()
    until = time.monotonic() + START_MAX_S
    while True:
        try:
            return urllib.request.urlopen(url, context=anybody, timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit("the gateway does not serve; its log is gateway.log")
            time.sleep(0.05)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gantry", type=Path)
    parser.add_argument("--mode", choices=["note", "call"], required=True)
    parser.add_argument("--login", choices=["once", "each"], required=True)
    parser.add_argument("--tls", type=int, choices=[0, 1], required=True)
    parser.add_argument("--clients", type=int, required=True)
    parser.add_argument("--delay-ms", type=int)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--warmup", type=float, required=True)
    arguments = parser.parse_args()
    folder = Path("gantry").resolve()
    driver = program(arguments.gantry, "queues")
    port = configure(folder, bool(arguments.tls))
    with Path("gateway.log").open("wb") as log:
        gateway = subprocess.Popen(
            [arguments.gantry, "serve", folder], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, preexec_fn=attached)
    try:
        wait_for(gateway, port, bool(arguments.tls))
        words = ["--address", f"127.0.0.1:{port}", "--dialect", "gantry", "--mode", arguments.mode, "--group", str(gateway.pid)]
        words += ["--clients", str(arguments.clients), "--duration-s", str(arguments.seconds), "--warmup-s", str(arguments.warmup)]
        words += ["--login", USER] + (["--login-each"] if arguments.login == "each" else [])
        words += ["--ca", str(folder / "server.pem")] if arguments.tls else []
        words += ["--delay-ms", str(arguments.delay_ms)] if arguments.delay_ms is not None else []
        told = subprocess.run([driver] + words, stdout=subprocess.PIPE, text=True, preexec_fn=attached)
    finally:
        gateway.terminate()
        gateway.wait(30)
    if told.returncode != 0:
        return 1
    found = json.loads(told.stdout)
    figures = {
        "round_trips_per_s": found["per_s"],
        "cpu_us_per_round_trip": found["broker_us_each"],
        "round_trip_p50_ms": found["p50_ms"],
        "round_trip_p99_ms": found["p99_ms"],
        "foreign_cores": found["foreign_cores"],
    }
    print(json.dumps({"figures": figures, "void": None if found["count"] else "no reply came in the window"}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
