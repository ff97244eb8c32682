"""The page of a benchmark: its bars, and all figures as median, least and most. It looks like the pages of `gantry lab`.

`python3 perf/page.py RESULT.jsonl...` writes the page again from results of `make connector-bench` and `make loss`.
"""

import html
import json
import math
import statistics
import sys
from pathlib import Path

STYLE = Path(__file__).resolve().parent.parent / "crates/tools/load/templates/style.html"


def number(value: float) -> str:
    """About three significant digits, thousands separated: `4,985`, `12.3`, `0.0843`."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(size)))}f}"


def spread(values: list[float]) -> str:
    """Median, least and most."""
    if not values:
        return "n/a"
    middle, least, most = statistics.median(values), min(values), max(values)
    return number(middle) if least == most else f"{number(middle)} ({number(least)}-{number(most)})"


def table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    def line(tag: str, cells) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return f'<div class="scroll"><table><caption>{html.escape(caption)}</caption>{line("th", head)}{"".join(line("td", row) for row in rows)}</table></div>'


def of_windows(windows: list[dict], group: str) -> list[str]:
    """A table for each part, with a line for each target and a column for each figure. Figures that are 0 in every window have no column."""
    tables = []
    for part in dict.fromkeys(window[group] for window in windows):
        own = [window for window in windows if window[group] == part]
        names = dict.fromkeys(name for window in own for name, value in window["figures"].items() if value)
        rows = []
        for target in dict.fromkeys(window["target"] for window in own):
            mine = [window["figures"] for window in own if window["target"] == target]
            cells = [spread([figures[name] for figures in mine if figures.get(name) is not None]) for name in names]
            rows.append([target, len(mine), *cells])
        tables.append(table(f"{part}: median, least and most", ["target", "windows", *(name.replace("_", " ") for name in names)], rows))
    return tables


def write(path: Path, title: str, facts: list[tuple[str, str]], bars: list[list[str]], tables: list[str], faults: list[str]) -> None:
    """Writes the page. A bar has its name, the value, what it must be, and whether it is met."""
    found = table("What the figures must be", ["figure", "value", "must be", ""], bars)
    if faults:
        found += f'<p class="banner">{"<br>".join(map(html.escape, faults))}</p>'
    listed = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in facts)
    path.write_text(
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n{STYLE.read_text("utf-8")}</head>\n'
        f"<body><main>\n<h1>{html.escape(title)}</h1>\n<dl>{listed}</dl>\n{found}\n" + "\n".join(tables) + "\n</main></body>\n</html>\n",
        encoding="utf-8",
    )


def facts_of(run: dict) -> list[tuple[str, str]]:
    """The facts about the run of a result."""
    machine = run.get("machine", {})
    parts = [machine.get("cpu"), f"{machine['cores']} cores" if machine.get("cores") else None]
    load = machine.get("load", run.get("load"))
    kernel = machine.get("kernel", run.get("kernel"))
    parts += [f"kernel {kernel}" if kernel else None, f"load average before the run {load[0]:.2f}" if load else None]
    facts = [("Machine", ", ".join(part for part in parts if part)), ("Command", " ".join(str(word) for word in run["command"] if word != "--within"))]
    return facts + ([("Seed", str(run["seed"]))] if "seed" in run else [])


def of_result(result: Path) -> None:
    """Writes the page beside a result of windows."""
    lines = [json.loads(line) for line in result.read_text("utf-8").splitlines()]
    run = next(line for line in lines if line["kind"] == "run")
    windows = [line for line in lines if line["kind"] == "window" and (line["void"] is None or run.get("trial"))]
    bars, faults = [], []
    for line in lines:
        if line["kind"] == "bars":
            bars, faults = line["bars"], line["faults"]
        elif line["kind"] == "bar":
            value = "n/a" if line["value"] is None else f"{line['value']:.3f}"
            said = "NOT MEASURED" if line["value"] is None else "met" if line["met"] else "MISSED"
            bars.append([line["name"], value, line["bar"], said])
        elif line["kind"] == "fault":
            faults.append(line["fault"])
    group = "part" if any("part" in window for window in windows) else "experiment"
    title = "Endpoint groups over a link that loses packets" if group == "experiment" else "Endpoint groups"
    write(result.with_name("report.html"), title, facts_of(run), bars, of_windows(windows, group), faults)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        of_result(Path(name))
