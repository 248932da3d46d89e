"""Both experiments of the Phoebe paper, simulated, beside the paper's own figures.

python benchmarks/phoebe.py [--only cars|ads] [--out FILE] [--json FILE] [--plot FILE] [--profile]

--profile only profiles the simulated job of the ads experiment and writes scenarios/phoebe/data/profile_ads.csv.
"""

import argparse
import json
import platform
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from job_profiling import profile_simulated, spaced
from phoebe_plot import draw

from penstock.config.profiles import write_profile
from penstock.core.known.recovery import recovery_time
from penstock.engines.sim.scaleout.spec import ScaleOutJob, capacity_rps
from penstock.planning.phoebe.prospects import Leeway
from penstock.planning.phoebe.settings import PhoebeSettings
from penstock.planning.profiling.jobs import CopySearch, CopySearchSettings
from penstock.simulation.checking import check_scenario
from penstock.simulation.jobs import arrivals_of
from penstock.simulation.run import RunResult, simulate
from penstock.simulation.scale_out import capacities_of
from penstock.simulation.scenario_file import Variant

ROOT = Path(__file__).parents[1] / "scenarios" / "phoebe"
TARGET_S = 180.0
LEEWAY = Leeway(PhoebeSettings().near_best, PhoebeSettings().lateness)
LIMIT_S = 360.0  # the paper writes "6m+" beyond
RUNS = (
    *((f"static {size}", "static", size) for size in (24, 12, 4)),
    *((policy, policy, 24) for policy in ("phoebe", "reactive", "twres")),
    ("phoebe, no profile", "phoebe", 24),
)
# Table II of the paper, seconds; None stands for "6m+".
PAPER: Mapping[str, Mapping[str, tuple[list[float | None], int | None]]] = {
    "cars": {
        "static 24": ([140, 150, 200, 165, 155, 185, 240, 160], None),
        "static 12": ([160, 165, None, 195, 205, None, None, 210], None),
        "static 4": ([None] * 8, None),
        "phoebe": ([145, 170, 200, 175, 175, 210, 240, 210], 20),
        "reactive": ([None] * 8, 63),
        "twres": ([None] * 7 + [135], 29),
    },
    "ads": {
        "static 24": ([195, 155, 155, 190, 135, 185, 180, 145], None),
        "static 12": ([None, 210, 195, None, 145, None, 290, 155], None),
        "static 4": ([None] * 8, None),
        "phoebe": ([235, 180, 195, 215, 160, 330, 180, 160], 20),
        "reactive": ([None] * 8, 40),
        "twres": ([None, None, None, 350, 230, None, 340, None], 24),
    },
}
# From the authors' time series (github.com/dos-group/phoebe, commit b664b0d): 95th percentile of latency in seconds,
# and the share of the time with at most 1.5 s; of phoebe in the run of table II (ads 1, cars 4).
LATENCY = {
    "cars": {"static 24": (2.30, 0.841), "static 12": (306.59, 0.729), "phoebe": (21.00, 0.749)},
    "ads": {"static 24": (1.38, 0.965), "static 12": (328.61, 0.717), "phoebe": (10.90, 0.880)},
}
SAVED = {"cars": (0.255, 0.025), "ads": (0.41, 0.099)}  # over static 24: without and with profiling
TITLES = {"cars": "Top-speed windowing on the load of cars", "ads": "Yahoo! streaming benchmark on a sine"}


def run(name: str, policy: str, executors: int, profiled: bool = True) -> RunResult:
    """One run of a scenario, beginning with so many executors."""
    path = ROOT / f"{name}.yaml"
    (variant,) = check_scenario(path)
    (job,) = variant.scenario.jobs
    assert job.scaleout is not None
    known = {} if profiled else {"profile": None}
    job = job.model_copy(update={"scaleout": job.scaleout.model_copy(update={"executors": executors, **known})})
    scenario = variant.scenario.model_copy(update={"jobs": [job]})
    return simulate(Variant(variant.values, scenario), policy, path.parent)


def profiled(name: str) -> CopySearch:
    """The search of section III-C on the simulated job, with the paper's settings."""
    (variant,) = check_scenario(ROOT / f"{name}.yaml")
    part = variant.scenario.jobs[0].scaleout
    assert part is not None
    job = ScaleOutJob(
        name, capacities_of(part, ROOT, name), np.zeros(1), latency_s=part.latency, latency_rise_s=part.latency_rise,
        one_second_more_at_rps=part.one_second_more_at, latency_spread=part.latency_spread, noise=part.noise,
    )  # fmt: skip
    return profile_simulated(job, spaced(2, 23, 8), CopySearchSettings(), seed=variant.scenario.seed)


def seconds(value: Any) -> str:
    """As the paper writes it."""
    return "6m+" if value is None or value > LIMIT_S else f"{value:.0f}"


def recoveries(name: str, found: Mapping[str, RunResult]) -> Iterator[str]:
    """Table II: recovery times and reconfigurations, ours and the paper's."""
    first = found["static 24"].recoveries
    loads = [f"{float(str(recovery['rate'])) / 1000:.0f}k" for recovery in first]
    yield f"| seconds; load at the failure | {' | '.join(loads)} | Δ |"
    yield f"|---|{'---|' * (len(first) + 1)}"
    for label, result in found.items():
        times = [seconds(r["seconds"]) for r in result.recoveries]
        yield f"| {label} | {' | '.join(times)} | {len(result.recorder.decisions)} |"
        if label in PAPER[name]:
            paper, changes = PAPER[name][label]
            yield f"| *{label}, paper* | {' | '.join(seconds(t) for t in paper)} | {changes or ''} |"


def rest(name: str, found: Mapping[str, RunResult], cost: float) -> Iterator[str]:
    """Figure 6: latency's distribution and resource use."""
    whole = found["static 24"].slot_seconds
    yield "| | latency p50 | p80 | p90 | p95 | within 1.5 s | executors, mean | saved over static 24 | with profiling |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for label, result in found.items():
        latency = metered(result)
        points = " | ".join(f"{np.percentile(latency, p):.2f} s" for p in (50, 80, 90, 95))
        used = result.slot_seconds
        scaled = "" if label.startswith("static") else f"{100 * (1 - used / whole):.1f} %"
        spent = {"phoebe": cost, "twres": cost, "phoebe, no profile": 0.0}
        profiles = f"{100 * (1 - (used + spent[label]) / whole):.1f} %" if label in spent else ""
        within = f"{100 * float((latency <= 1.5).mean()):.1f} %"
        yield f"| {label} | {points} | {within} | {used / 21600:.2f} | {scaled} | {profiles} |"
        if label in LATENCY[name]:
            p95_s, share = LATENCY[name][label]
            savings = " | ".join(f"*{100 * part:.1f} %*" for part in SAVED[name]) if label == "phoebe" else " | "
            yield f"| *{label}, paper* | | | | *{p95_s:.2f} s* | *{100 * share:.1f} %* | | {savings} |"


def metered(result: RunResult) -> Any:
    """Latency as the authors' meters tell it: over the last minute; ours are over half a minute, every ten seconds."""
    told = result.recorder.column("latency_s")[:, 0]
    told = told[~np.isnan(told)]
    return np.convolve(told, np.ones(4) / 4.0)[3 : len(told)]


def off(name: str, found: Mapping[str, RunResult]) -> str:
    """How far the static runs' recoveries are from table II."""
    errors: dict[str, list[float]] = {}
    for label in ("static 24", "static 12"):
        for ours, paper in zip(found[label].recoveries, PAPER[name][label][0], strict=True):
            if paper is not None and ours["seconds"] is not None:
                errors.setdefault(label, []).append(float(str(ours["seconds"])) - paper)
    told = (f"{label} {np.sqrt(np.mean(np.square(each))):.0f} s over {len(each)}" for label, each in errors.items())
    return f"- recoveries beside table II, root mean square: {', '.join(told)}"


def hindsight(name: str) -> float:
    """What could be saved over static 24 at most: the least that recovers in time, for each minute's true load.

    With the failures of the world in the mean, no cost of change and no delay; where nothing recovers in time, what
    `phoebe` takes then. Who is luckier with his failures than the mean may save more.
    """
    (variant,) = check_scenario(ROOT / f"{name}.yaml")
    scenario = variant.scenario
    (job,) = scenario.jobs
    part = job.scaleout
    assert part is not None
    loads = arrivals_of(job.rate, int(scenario.duration), ROOT, np.random.default_rng(0), name).reshape(-1, 60).mean(1)
    capacities = {s: capacity_rps(capacities_of(part, ROOT, name), s) for s in range(part.min_executors, 25)}
    detect_s, unsaved_s, stop_s = (sum(span) / 2.0 for span in (part.detect, part.unsaved, part.downtime))
    used = []
    for load in loads:
        times = {
            s: detect_s + recovery_time(float(load), c, max(part.checkpoint, unsaved_s), stop_s).total
            for s, c in capacities.items()
        }
        within = max(TARGET_S, LEEWAY.within_s(min(times.values()), TARGET_S))
        used.append(next((size for size, time_s in times.items() if time_s <= within), 24))
    return 1.0 - float(np.mean(used)) / 24.0


def verdicts(name: str, found: Mapping[str, RunResult]) -> Iterator[str]:
    """The targets, each met or missed."""
    for label in ("phoebe", "phoebe, no profile"):
        made = [
            (float(str(r["at"])), p["seconds"])
            for r, p in zip(found["static 24"].recoveries, found[label].recoveries, strict=True)
            if r["seconds"] is not None and float(str(r["seconds"])) <= TARGET_S
        ]
        late = [f"{seconds(s)} s at {at:.0f} s" for at, s in made if s is None or float(str(s)) > TARGET_S]
        word = "met" if not late else f"**missed** ({', '.join(late)})"
        yield f"- {label}: within {TARGET_S:.0f} s wherever static 24 is ({len(made)} of 8): {word}"
    changes = len(found["phoebe"].recorder.decisions)
    yield f"- at most 20 reconfigurations: {'met' if changes <= 20 else '**missed**'} ({changes})"
    saved = 1 - found["phoebe"].slot_seconds / found["static 24"].slot_seconds
    word = "met" if saved > SAVED[name][0] else "**missed**"
    yield f"- saved over static 24 above {100 * SAVED[name][0]:.1f} %: {word} ({100 * saved:.1f} %)"
    yield f"- saved with hindsight, each minute sized for its true load: {100 * hindsight(name):.1f} %"
    yield off(name, found)


def planned(decisions: Sequence[Mapping[str, Any]], recovered: Sequence[Mapping[str, Any]]) -> str:
    """What the decision in force at each failure said its scale-out would take at the worst, beside what it took."""
    pairs = []
    for recovery in recovered:
        said = [re.search(r"recover in (\d+) s", d["why"]) for d in decisions if d["at"] <= recovery["at"]]
        if said and said[-1] is not None and recovery["seconds"] is not None:
            pairs.append((float(said[-1].group(1)), float(recovery["seconds"])))
    off = [taken / said - 1 for said, taken in pairs]
    each = ", ".join(f"{said:.0f}/{taken:.0f}" for said, taken in pairs)
    return f"- planned at the worst / taken, seconds: {each}; taken is {100 * float(np.mean(off)):+.1f} % on average"


def main() -> None:
    """Run it all and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="write the tables to this file too")
    parser.add_argument("--plot", type=Path, help="draw figure 6 into this file")
    parser.add_argument("--json", type=Path, help="write the summaries of all runs to this file")
    parser.add_argument("--only", choices=tuple(PAPER), help="one of the two experiments")
    parser.add_argument("--profile", action="store_true", help="only profile the ads job, and write its profile")
    options = parser.parse_args()
    if options.profile:
        write_profile(ROOT / "data" / "profile_ads.csv", profiled("ads").found)
        return
    lines = [
        f"Measured {time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, `python benchmarks/phoebe.py`. "
        "Simulated: the same on any machine.",
        "",
    ]
    summaries: dict[str, Any] = {}
    experiments = {}
    for name in PAPER if options.only is None else (options.only,):
        found = {label: run(name, policy, size, "no profile" not in label) for label, policy, size in RUNS}
        cost = profiled(name).cost_executor_s
        lines += [f"## {TITLES[name]}", "", *recoveries(name, found), "", *rest(name, found, cost), ""]
        lines += [*verdicts(name, found), f"- profiling cost {cost / 3600:.1f} executor-hours", ""]
        lines.insert(-1, planned(found["phoebe"].summary()["decisions"], found["phoebe"].recoveries))
        experiments[name] = found
        summaries[name] = {label: result.summary() for label, result in found.items()}
    print("\n".join(lines))
    if options.out is not None:
        options.out.write_text("\n".join(lines), encoding="utf-8")
    if options.plot is not None:
        draw(
            options.plot,
            TARGET_S,
            {name: {k: r for k, r in e.items() if k in PAPER[name]} for name, e in experiments.items()},
            PAPER,
        )
    if options.json is not None:
        options.json.write_text(json.dumps(summaries), encoding="utf-8")


if __name__ == "__main__":
    main()
