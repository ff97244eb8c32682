"""`make soap-bench`: the typical SOAP message with the gateway, gSOAP and Apache CXF in turns, and what the figures must be.

`gantry lab` measures the experiment `typical`: a server at a time on core 0, the driver on core 1. lxml compares every value of every
message with the one that was sent. Then the medians of the rounds are held against the bars. Results stay in a folder: result.jsonl,
report.html, the messages, the servers' logs.

Usage: soap.py GANTRY [--output DIR] [--rounds N] [--duration-s S] [--unpinned]. Needs two quiet cores, and what NEEDS lists.
The exit code is 1 if something was not measured or a bar is missed.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

# Commands, and the Debian packages that have them.
NEEDS = {
    "gcc": "gcc libc6-dev",
    "soapcpp2": "gsoap libgsoap-dev",
    "cobc": "gnucobol3",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "mvn": "maven",
}
JAVA_MIN = 17
CORES_MIN = 2
MESSAGES = 64
ELEMENTS = 123

# The comparisons: the figure of one target against that of another, and the bar.
RATIOS = [
    ("CPU of SOAP / CPU of gSOAP", "cpu_us_per_request", "SOAP", "gSOAP", "at most", 0.5),
    ("requests/s of SOAP / requests/s of gSOAP", "requests_per_s", "SOAP", "gSOAP", "at least", 2.0),
    ("CPU of SOAP / CPU of CXF", "cpu_us_per_request", "SOAP", "CXF", "at most", 1 / 8),
    ("CPU of SOAP / CPU of REST", "cpu_us_per_request", "SOAP", "REST", "at most", 2.0),
]
COBOL_MORE_MAX_US = 7.0


def missing(unpinned: bool) -> list[str]:
    """The tools that this machine lacks, a sentence each."""
    lacks = [f"{command} is missing: apt-get install {packages}" for command, packages in NEEDS.items() if not shutil.which(command)]
    try:
        import lxml.etree  # noqa: F401
    except ImportError:
        lacks.append("lxml is missing: run it with the Python of .venv, which tests/acceptance/run.sh makes, or apt-get install python3-lxml")
    if shutil.which("javac"):
        version = subprocess.run(["javac", "-version"], capture_output=True, text=True).stdout.split()[-1]
        if int(version.split(".")[0]) < JAVA_MIN:
            lacks.append(f"javac is {version}: a JDK {JAVA_MIN} or later is needed")
    if not unpinned and len(os.sched_getaffinity(0)) < CORES_MIN:
        lacks.append(f"there are fewer than {CORES_MIN} cores: servers and driver need one each")
    return lacks


def leaves(message: bytes) -> list[tuple[str, str]]:
    """Names and texts of the elements without elements inside."""
    from lxml import etree

    found = etree.fromstring(message).iter(etree.Element)
    return [(etree.QName(element).localname, element.text or "") for element in found if len(element) == 0]


def values_of_json(value) -> list[str]:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [text for item in inner for text in values_of_json(item)]
    return [str(value)]


def compare_messages(folder: Path) -> list[str]:
    """Every value of every answer is the one that was sent; faults as sentences."""
    faults = []
    for target in sorted(folder.iterdir()):
        requests = sorted(target.glob("*.request"))
        if len(requests) != MESSAGES:
            faults.append(f"{target.name}: {len(requests)} messages instead of {MESSAGES}")
        if len({path.read_bytes() for path in requests}) != len(requests):
            faults.append(f"{target.name}: messages are alike")
        for path in requests:
            sent, answered = path.read_bytes(), path.with_suffix(".answer").read_bytes()
            if sent.startswith(b"{"):
                texts = [values_of_json(json.loads(text, parse_float=str)) for text in (sent, answered)]
            else:
                texts = [leaves(text) for text in (sent, answered)]
            if texts[0] != texts[1] or len(texts[0]) != ELEMENTS:
                faults.append(f"{target.name}: the answer to message {path.stem} has other values")
    return faults


def medians(result: Path) -> dict[str, dict[str, tuple[float, float, float]]]:
    """By target and figure: median, least and most of the rounds that count."""
    values: dict[str, dict[str, list[float]]] = {}
    for line in map(json.loads, result.read_text("utf-8").splitlines()):
        if line["kind"] == "round" and line["void"] is None:
            for name, value in line["figures"].items():
                values.setdefault(line["target"], {}).setdefault(name, []).append(value)
    return {
        target: {name: (statistics.median(all_), min(all_), max(all_)) for name, all_ in figures.items()}
        for target, figures in values.items()
    }


def judge(measured: dict) -> bool:
    """Prints a line for each bar; true if all are met."""
    met = True

    def say(name: str, value: float | None, bar: str, is_met: bool) -> None:
        nonlocal met
        met &= value is not None and is_met
        said = "NOT MEASURED" if value is None else "met" if is_met else "MISSED"
        print(f"{name:<44} {'n/a' if value is None else f'{value:.3f}':>9}  {bar:<16} {said}")

    for name, figure, one, other, word, bar in RATIOS:
        both = [measured.get(target, {}).get(figure) for target in (one, other)]
        value = both[0][0] / both[1][0] if all(both) else None
        is_met = value is not None and (value <= bar if word == "at most" else value >= bar)
        say(name, value, f"{word} {bar:.3g}", is_met)
    both = [measured.get(target, {}).get("cpu_us_per_request") for target in ("SOAP, COBOL behind it", "SOAP")]
    value = both[0][0] - both[1][0] if all(both) else None
    say("CPU more with COBOL behind it, in us", value, f"at most {COBOL_MORE_MAX_US:.3g}", value is not None and value <= COBOL_MORE_MAX_US)
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description="the typical SOAP message with the gateway, gSOAP and CXF")
    parser.add_argument("gantry", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--duration-s", type=float, default=5)
    parser.add_argument("--unpinned", action="store_true", help="a trial run: servers and driver share all cores")
    arguments = parser.parse_args()
    lacks = missing(arguments.unpinned)
    if lacks:
        print("\n".join(f"soap-bench: {sentence}" for sentence in lacks), file=sys.stderr)
        return 1
    output = arguments.output or Path("perf/runs/tmp") / time.strftime("soap-%Y-%m-%dT%H%M%S", time.gmtime())
    command = [arguments.gantry, "lab", "run", "typical", "--output", output, "--keep-messages"]
    command += ["--rounds", str(arguments.rounds), "--duration-s", str(arguments.duration_s)]
    code = subprocess.run(command + (["--unpinned"] if arguments.unpinned else []), stdin=subprocess.DEVNULL).returncode
    if code not in (0, 1):
        return code
    faults = compare_messages(output / "messages")
    print("\n".join(f"soap-bench: {fault}" for fault in faults) or "lxml: every value of every answer is the one that was sent")
    print()
    met = judge(medians(output / "result.jsonl"))
    print(f"\nresults: {output}/result.jsonl, page: {output}/report.html")
    return 0 if met and not faults and code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
