"""Writes the summary of one benchmark run, from the folder that perf/bench.sh filled, to standard output."""

import json
import statistics
import sys
from pathlib import Path

TPS_MIN = 4_900
RESPONSE_GROWTH_MAX = 2.0
CPU_GROWTH_MAX = 1.1
SATURATED_RATIO_MAX = 1.67
# A server's core below this is not saturated: the driver was the bottleneck, or something else.
CORE_BUSY_MIN_PCT = 90.0
# Beyond this share of time waiting for its core, the server shared it with others: told, not left out.
WAITED_MAX_PCT = 5.0


def read(path):
    """The result of one `gantry load`, or None when it was not written."""
    return json.loads(path.read_text()) if path.exists() else None


def text(value, digits=4):
    return "n/a" if value is None else f"{value:,.{digits}g}" if abs(value) < 1000 else f"{value:,.0f}"


def median(figures, name):
    spread = figures.get(name)
    return spread["median"] if spread else None


def verdict(name, value, bar, is_met, shown=None):
    """One line of the list of bars: met, missed, or not measured."""
    said = "NOT MEASURED" if value is None else "met" if is_met(value) else "MISSED"
    return f"| {name} | {shown or text(value)} | {bar} | {said} |"


def sweep_table(target):
    columns = ["tps", "response_mean_ms", "response_p50_ms", "response_p99_ms", "response_max_ms",
               "lateness_mean_ms", "cpu_ms_per_tx", "cpu_pct", "offloadable_pct", "driver_cpu_pct"]
    lines = [
        f"### {target['name']}: {target['response_body_bytes']:,} byte responses",
        "",
        "| clients | tx/s | mean ms | p50 ms | p99 ms | max ms | driver late ms | CPU ms/tx | CPU % | offloadable % "
        "| driver CPU % | errors |",
        "|" + " ---: |" * 12,
    ]
    for step in target["steps"]:
        cells = [text(median(step["figures"], column)) for column in columns]
        errors = sum(step["failures"].values())
        lines.append(f"| {step['clients']} | " + " | ".join(cells) + f" | {errors} |")
    return lines + [""]


def sweep_bars(target):
    """The bars between the largest step and the smallest."""
    name = target["name"]
    steps = sorted((step for step in target["steps"] if step["rounds"]), key=lambda step: step["clients"])
    if not steps:
        return [verdict(f"{name}: sweep", None, "", None)]
    first, last = steps[0], steps[-1]
    few, many = first["clients"], last["clients"]
    errors = sum(sum(step["failures"].values()) for step in steps)

    def growth(figure):
        low, high = median(first["figures"], figure), median(last["figures"], figure)
        return high / low if low and high is not None else None

    return [
        verdict(f"{name}: tx/s at {many} clients", median(last["figures"], "tps"), f">= {TPS_MIN:,}",
                lambda value: value >= TPS_MIN),
        verdict(f"{name}: errors in all steps", errors, "0", lambda value: value == 0),
        verdict(f"{name}: mean response at {many} / at {few}", growth("response_mean_ms"),
                f"<= {RESPONSE_GROWTH_MAX}", lambda value: value <= RESPONSE_GROWTH_MAX),
        verdict(f"{name}: CPU per tx at {many} / at {few}", growth("cpu_ms_per_tx"), f"<= {CPU_GROWTH_MAX}",
                lambda value: value <= CPU_GROWTH_MAX),
    ]


def saturated_rounds(folder, server):
    """The rounds of one server in their order, each with its cost and whether it counts."""
    rounds = []
    number = 1
    while (result := read(folder / f"{server}-{number}" / "result.json")) is not None:
        figures = result["targets"][0]["steps"][0]["figures"]
        raw = result["targets"][0]["steps"][0]["rounds"][0]
        cost, use = median(figures, "cpu_ms_per_tx"), raw["server"]
        busy = median(figures, "server_core_busy_pct")
        waited = 100 * use["waiting_s"] / raw["cpu_interval_s"] if use else None
        is_void = cost is None or busy is None or busy < CORE_BUSY_MIN_PCT
        rounds.append({
            "number": number, "server": server, "tps": median(figures, "tps"), "busy": busy, "waited": waited,
            "cost_us": cost * 1000 if cost is not None else None,
            "driver_us": (median(figures, "driver_cpu_ms_per_tx") or 0) * 1000,
            "driver_pct": median(figures, "driver_cpu_pct"),
            "void": is_void, "disturbed": waited is not None and waited > WAITED_MAX_PCT,
        })
        number += 1
    return rounds


def comparison(folder):
    """The table of the saturated rounds, and the bar of their ratio."""
    gateway, bare = saturated_rounds(folder, "gateway"), saturated_rounds(folder, "bare")
    lines = [
        "## Saturated: gateway beside bare hyper, 1K", "",
        "| round | server | tx/s | server CPU µs/request | core busy % | waited % | driver CPU µs/request "
        "| driver CPU % | counts |",
        "|" + " ---: | --- |" + " ---: |" * 6 + " --- |",
    ]
    for row in sorted(gateway + bare, key=lambda row: (row["number"], row["server"] == "bare")):
        figures = [row[key] for key in ("tps", "cost_us", "busy", "waited", "driver_us", "driver_pct")]
        counts = "VOID: core not busy" if row["void"] else "yes, but disturbed" if row["disturbed"] else "yes"
        lines.append(f"| {row['number']} | {row['server']} | " + " | ".join(map(text, figures)) + f" | {counts} |")
    ratio, shown = None, None
    costs = [[row["cost_us"] for row in rows if not row["void"]] for rows in (gateway, bare)]
    if all(costs):
        ratio = statistics.median(costs[0]) / statistics.median(costs[1])
        low, high = min(costs[0]) / max(costs[1]), max(costs[0]) / min(costs[1])
        shown = f"{ratio:.2f} (from {low:.2f} to {high:.2f})"
        lines += ["", f"Server CPU per request, medians: gateway {statistics.median(costs[0]):.2f} µs, bare hyper "
                      f"{statistics.median(costs[1]):.2f} µs; ratio {shown}: lowest by highest, highest by lowest."]
    else:
        lines += ["", "No ratio: at least one server has no round that counts."]
    if disturbed := sum(row["disturbed"] for row in gateway + bare):
        lines += ["", f"{disturbed} rounds were disturbed: the server waited more than {WAITED_MAX_PCT:g} % of the time "
                      "for its core, because others used it. Repeat the run on a quiet machine."]
    bar = verdict("saturated: CPU per request, gateway / bare hyper", ratio, f"<= {SATURATED_RATIO_MAX}",
                  lambda value: value <= SATURATED_RATIO_MAX, shown)
    return lines + [""], bar


def main():
    run = Path(sys.argv[1])
    sweep = read(run / "api-mapping" / "result.json")
    lines = ["# Benchmark run", "", "```", (run / "run.txt").read_text().rstrip(), "```", "", "## Bars", "",
             "| what | measured | bar | |", "| --- | ---: | --- | --- |"]
    targets = sweep["targets"] if sweep else []
    for target in targets:
        lines += sweep_bars(target)
    if not targets:
        lines.append(verdict("report 000, first experiment", None, "", None))
    compared, bar = comparison(run / "saturated")
    lines += [bar, "", "## Report 000, first experiment", ""]
    if sweep and not sweep["complete"]:
        lines += ["**INCOMPLETE: stopped before its end.**", ""]
    for target in targets:
        lines += sweep_table(target)
    lines += ["Medians over the rounds; charts in [report.html](api-mapping/report.html).", ""] if targets else []
    lines += compared
    codec = run / "codec.txt"
    lines += ["## Codec", ""]
    lines += ["```", codec.read_text().rstrip(), "```"] if codec.exists() else ["Not run: there is no benchmark yet."]
    print("\n".join(lines))


main()
