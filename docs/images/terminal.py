#!/usr/bin/env python3
"""Draws the pictures of a terminal in this folder: python3 docs/images/terminal.py target/release/gantry

Each picture shows commands and what they printed. The commands run in a folder of their own.
"""

import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
COLUMNS = 100
# Units of the picture.
CHARACTER, LINE, MARGIN, BAR = 7.8, 18, 14, 28
START_MAX_S = 30

ORDER = """\
       01  ORDER.
           05  ORDER-NUMBER   PIC 9(8).
           05  CUSTOMER       PIC X(20).
           05  TOTAL          PIC S9(7)V99 COMP-3.
"""
ACCOUNT = """\
       01  ACCOUNT.
           05  ID-NO            PIC 9(4).
           05  OWNER            PIC X(6).
           05  OWNER-PARTS REDEFINES OWNER.
               10  FIRST-HALF   PIC X(3).
               10  SECOND-HALF  PIC 9(3).
           05  BALANCE          PIC S9(5)V99 COMP-3.
"""
ACCOUNTS = bytes.fromhex("F0F0F0F1C1D5D5F0F0F70000100C" "F0F0F0F2C2C5D9E3F1400012500D")
FAULTY = """\
       01  CUSTOMER.
           05  NAME       PIC X(20).
           05  BALANCE    PIC S9(31)V9(2) COMP-3.
           05  PHONES     PICTUR X(12) OCCURS 5 TIMES.
"""

# A picture: its title, and commands. A command that serves goes on; a request goes to it.
PICTURES = {
    "first": ("A copybook becomes an API", ["cat ORDER.cpy", "gantry new shop --copybook ORDER.cpy --key ORDER-NUMBER", "gantry serve shop", "REQUEST"]),
    "explain": ("A record with a fault", ["gantry record explain ACCOUNT.cpy accounts.dat -n 2"]),
    "findings": ("Findings in a copybook", ["gantry record check CUSTOMER.cpy"]),
}


class Terminal:
    """Runs commands as somebody at a terminal does, and keeps what is seen."""

    def __init__(self, gantry: Path, folder: Path):
        self.gantry, self.folder = gantry, folder
        self.seen: list[tuple[bool, str]] = []
        self.printed = ""
        self.serving: subprocess.Popen | None = None
        self.address = ""

    def run(self, command: str) -> None:
        if command == "REQUEST":
            # What `gantry new` said to try.
            command = next(line.strip() for line in self.printed.splitlines() if line.strip().startswith("curl "))
        self.seen.append((True, command))
        if command.startswith("gantry serve "):
            self.serve(command)
            return
        real = command.replace("gantry ", f"{self.gantry} ", 1) if command.startswith("gantry ") else command
        real = real.replace("127.0.0.1:2222", self.address or "127.0.0.1:2222")
        done = subprocess.run(real, shell=True, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.printed = done.stdout
        self.show(done.stdout)

    def serve(self, command: str) -> None:
        words = command.split()[1:]
        self.serving = subprocess.Popen([self.gantry, *words, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"], cwd=self.folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        printed = self.printed
        lines = []
        for line in self.serving.stdout:
            lines.append(line)
            if line.startswith("Ctrl-C"):
                break
        text = "".join(lines)
        self.address = re.search(r"serves on http://(\S+)", text).group(1)
        admin = re.search(r"health on http://([^/]+)", text).group(1)
        self.show(text.replace(self.address, "127.0.0.1:2222").replace(admin, "127.0.0.1:2223"))
        self.printed = printed

    def show(self, text: str) -> None:
        for line in text.rstrip("\n").split("\n"):
            line = line.replace(str(self.folder), ".").replace(str(self.gantry), "gantry")
            while len(line) > COLUMNS:
                self.seen.append((False, line[:COLUMNS]))
                line = line[COLUMNS:]
            self.seen.append((False, line))

    def end(self) -> None:
        if self.serving:
            self.serving.terminate()
            self.serving.wait()


def wrapped(seen: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Commands with their prompt, in lines that fit."""
    lines = []
    for is_command, text in seen:
        if not is_command:
            lines.append((False, text))
            continue
        text = f"$ {text}"
        while text:
            lines.append((True, text[:COLUMNS]))
            text = text[COLUMNS:]
    return lines


def svg(title: str, seen: list[tuple[bool, str]]) -> str:
    lines = wrapped(seen)
    width = round(COLUMNS * CHARACTER + 2 * MARGIN)
    height = BAR + len(lines) * LINE + 2 * MARGIN
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        "<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:#d8dee9}"
        ".c{fill:#a3be8c}.t{fill:#8f98a8}</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#20242c"/>',
        f'<text class="t" x="{width / 2:.0f}" y="20" text-anchor="middle">{escape(title)}</text>',
    ]
    for number, (is_command, text) in enumerate(lines):
        y = BAR + MARGIN + number * LINE + 8
        kind = ' class="c"' if is_command else ""
        # All browsers keep the columns, whatever their font.
        length = f' textLength="{len(text) * CHARACTER:.1f}"' if text.strip() else ""
        out.append(f'<text{kind} x="{MARGIN}" y="{y}"{length} xml:space="preserve">{escape(text)}</text>')
    return "\n".join([*out, "</svg>", ""])


def main() -> None:
    gantry = Path(sys.argv[1]).resolve()
    for name, (title, commands) in PICTURES.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            for file, text in {"ORDER.cpy": ORDER, "ACCOUNT.cpy": ACCOUNT, "CUSTOMER.cpy": FAULTY}.items():
                (folder / file).write_text(text)
            (folder / "accounts.dat").write_bytes(ACCOUNTS)
            terminal = Terminal(gantry, folder)
            try:
                for command in commands:
                    terminal.run(command)
            finally:
                terminal.end()
            (HERE / f"{name}.svg").write_text(svg(title, terminal.seen))
            print(HERE / f"{name}.svg")


if __name__ == "__main__":
    main()
