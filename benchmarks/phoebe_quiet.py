"""What the time series of Phoebe's authors say between failures: how long reconfigurations stop a job, usual latency.

    git clone https://github.com/dos-group/phoebe
    python benchmarks/phoebe_quiet.py phoebe/data --job cars --runs 3,4,5

The controller's log has when it rescaled and how long that took by its clock. Rows stand still for longer: tasks are
deployed after that. As `phoebe_fit.py` does for failures, a job is replayed on the recorded arrivals: it goes on for
`delay` seconds, stands still for `stop` seconds and catches up; seen through a meter over a minute, what fits best is
told. Reconfigurations near a failure or near another one are left out.

Usual latency is that of seconds which are far from all failures, by what arrives then.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
from phoebe_fit import AFTER_S, FAILURES_S, LATE_S, Run, replayed

from penstock.engines.sim.scaleout.spec import capacity_rps
from penstock.simulation.checking import check_scenario

SCENARIOS = Path(__file__).parents[1] / "scenarios" / "phoebe"
THEIRS = timezone(timedelta(hours=1))  # of the logs; the series have seconds since 1970
CLEAR_S = 420  # after a failure, and AFTER_S before one or before the next reconfiguration
BIN_RPS = 25_000
_SAID = re.compile(r"(\d{4}-\d\d-\d\d [\d:]{8}\.\d+).*Rescale (?:initiated from (\d+) -> (\d+)|completed)")
_STOPS_S, _DELAYS_S = range(1, 122, 4), range(0, 31, 5)


@dataclass(frozen=True, slots=True)
class Rescale:
    """One reconfiguration: seconds from the run's start, workers before and after, how long by the controller."""

    at_s: float
    before: int
    after: int
    took_s: float


def rescales(log: str, began_s: float) -> Iterator[Rescale]:
    """All of a controller's log."""
    begun: tuple[float, int, int] | None = None
    for line in log.splitlines():
        said = _SAID.search(line)
        if said is None:
            continue
        at_s = datetime.fromisoformat(said[1]).replace(tzinfo=THEIRS).timestamp() - began_s
        if said[2] is not None:
            begun = (at_s, int(said[2]), int(said[3]))
        elif begun is not None:
            yield Rescale(*begun, at_s - begun[0])
            begun = None


def clear(found: Sequence[Rescale], seconds: int) -> list[Rescale]:
    """Those that nothing else disturbs, neither a failure nor another one, as far as they are replayed."""
    others = [(float(at_s), CLEAR_S) for at_s in FAILURES_S] + [(one.at_s, AFTER_S) for one in found]

    def alone(one: Rescale) -> bool:
        if one.at_s < 120 or one.at_s + AFTER_S > seconds:
            return False
        return all(one.at_s == at_s or not -AFTER_S < one.at_s - at_s < for_s for at_s, for_s in others)

    return [one for one in found if alone(one)]


def standstill(run: Run, at_s: int, capacity: float) -> tuple[float, float, float]:
    """The seconds of delay and of standing still that explain a reconfiguration best, and the error that is left."""
    window = slice(at_s, at_s + AFTER_S)
    rate = float(run.arrivals[window].mean())

    def error(delay_s: float, stop_s: float) -> float:
        found = replayed(run, at_s, (delay_s, stop_s, 0.0), capacity)
        off = ((found.throughput - run.throughput[window]) / rate) ** 2
        return float(np.mean(off + ((found.latency_s - run.latency_s[window]) / LATE_S) ** 2))

    tried = [(error(delay_s, stop_s), float(delay_s), float(stop_s)) for delay_s in _DELAYS_S for stop_s in _STOPS_S]
    least, delay_s, stop_s = min(tried)
    return delay_s, stop_s, least


def usual(run: Run) -> Iterator[str]:
    """Latency of quiet seconds by load: a tenth, the middle, nineteen in twenty."""
    seconds = np.arange(len(run.latency_s))
    quiet = np.all([(seconds < at_s) | (seconds >= at_s + CLEAR_S) for at_s in FAILURES_S], axis=0)
    yield "| rows/s | seconds | latency p10 | p50 | p95 |"
    yield "|---|---|---|---|---|"
    for low in range(0, int(run.arrivals.max()), BIN_RPS):
        there = quiet & (run.arrivals >= low) & (run.arrivals < low + BIN_RPS)
        if there.sum() >= CLEAR_S:
            p10, p50, p95 = np.percentile(run.latency_s[there], (10, 50, 95))
            mean = run.arrivals[there].mean()
            yield f"| {mean / 1000:.0f}k | {there.sum()} | {p10:.2f} s | {p50:.2f} s | {p95:.2f} s |"


def main() -> None:
    """Each reconfiguration, then latency."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder `data` of the authors' repository")
    parser.add_argument("--job", choices=("ads", "cars"), default="cars")
    parser.add_argument("--runs", default="3,4,5", help="of phoebe, with logs")
    parser.add_argument("--usual", default="baseline/1_baseline_24", help="the run whose usual latency is told")
    options = parser.parse_args()
    (variant,) = check_scenario(SCENARIOS / f"{options.job}.yaml")
    (job,) = variant.scenario.jobs
    assert job.scaleout is not None
    print("| run | at | workers | by the controller | delay | stood still | mean squared error |")
    print("|---|---|---|---|---|---|---|")
    for number in options.runs.split(","):
        name = f"phoebe/{number}_phoebe"
        place = options.data / options.job
        run = Run.read(options.data, options.job, name)
        began_s = float((place / f"{name}_latency.out").read_text().splitlines()[1].split("|")[0])
        found = list(rescales((place / f"{name}_logs.out").read_text(errors="replace"), began_s))
        for one in clear(found, len(run.arrivals)):
            delay_s, stop_s, error = standstill(run, round(one.at_s), capacity_rps(job.scaleout.capacity, one.after))
            cells = (f"{one.at_s:.0f} s", f"{one.before} -> {one.after}", f"{one.took_s:.1f} s")
            print(f"| {number} | {' | '.join(cells)} | {delay_s:.0f} s | {stop_s:.0f} s | {error:.3f} |", flush=True)
    print()
    for line in usual(Run.read(options.data, options.job, options.usual)):
        print(line)


if __name__ == "__main__":
    main()
