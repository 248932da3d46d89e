"""What the time series of Phoebe's authors say of their failures: how long until noticed, unsaved, standing still.

    git clone https://github.com/dos-group/phoebe
    python benchmarks/phoebe_fit.py phoebe/data --job ads --run baseline/1_baseline_24 --capacities 320,360

For each failure of a run a job is replayed on the recorded arrivals: it processes for `detect` seconds, goes back by
`unsaved` seconds, stands still for `stop` seconds and catches up at its capacity. Through a meter over a minute its
throughput and latency are compared with those that were recorded; what fits best is told, with the recovery time as the
job had it and as metered latency shows it.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Series = NDArray[np.float64]

FAILURES_S = (1200, 3943, 6686, 9429, 12172, 14915, 17658, 20401)
METER_S = 60
BEFORE_S, AFTER_S = 120, 330
LATE_S = 30.0  # a latency that is off by so much counts as a throughput that is off by the whole rate
_STARTS = ((40.0, 40.0, 10.0), (50.0, 20.0, 35.0))


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the authors, second by second."""

    arrivals: Series
    throughput: Series
    latency_s: Series

    @classmethod
    def read(cls, data: Path, job: str, run: str) -> "Run":
        """From their files, gaps joined by straight lines."""
        work, done, latency = (_series(data / job / f"{run}_{what}.out") for what in ("workRate", "thrRate", "latency"))
        return cls(np.convolve(work, np.ones(5) / 5, "same"), done, latency / 1000.0)


def _series(path: Path) -> Series:
    lines = path.read_text(encoding="utf-8").splitlines()[1:21_601]
    told = np.array([np.nan if (value := line.split("|")[1]) in ("null", "NaN") else float(value) for line in lines])
    seconds = np.arange(len(told))
    known = ~np.isnan(told)
    joined: Series = np.interp(seconds, seconds[known], told[known])
    return joined


@dataclass(frozen=True, slots=True)
class Replayed:
    """A failure as the meters would have told it, and when the job was back."""

    throughput: Series
    latency_s: Series
    recovered_s: float | None


def replayed(run: Run, at_s: int, parts: tuple[float, float, float], capacity: float) -> Replayed:
    """The seconds around a failure with these parts: detect, stop, unsaved."""
    detect_s, stop_s, unsaved_s = parts
    base_s = float(np.median(run.latency_s[at_s - BEFORE_S : at_s]))
    arrived = np.concatenate([[0.0], np.cumsum(run.arrivals[at_s - BEFORE_S : at_s + AFTER_S])])
    seconds = len(arrived) - 1
    processed, age_s = np.zeros(seconds), np.full(seconds, np.nan)
    done, failed, recovered_s = 0.0, False, None
    for second in range(seconds):
        since_s = second - BEFORE_S
        if not failed and since_s >= detect_s:
            done, failed = float(arrived[max(0, round(second - unsaved_s))]), True
        if failed and since_s < detect_s + stop_s:
            continue
        processed[second] = min(capacity if failed else np.inf, arrived[second + 1] - done)
        done += processed[second]
        age_s[second] = max(0.0, second + 1 - np.searchsorted(arrived, done - 1e-6, side="right"))
        if failed and recovered_s is None and done >= arrived[second + 1] - 1e-6:
            recovered_s = since_s + 1.0
    working = ~np.isnan(age_s)
    late = _metered(np.where(working, age_s + base_s, 0.0)) / np.maximum(_metered(working.astype(float)), 1e-9)
    return Replayed(_metered(processed)[BEFORE_S:], late[BEFORE_S:], recovered_s)


def _metered(values: Series) -> Series:
    return np.convolve(values, np.ones(METER_S) / METER_S)[: len(values)]


def fitted(run: Run, at_s: int, capacity: float) -> tuple[float, tuple[float, float, float]]:
    """The parts that explain a failure best, and the mean squared error that is left."""
    from scipy.optimize import minimize  # here, for its tests are collected by workers that run none of them

    window = slice(at_s, at_s + AFTER_S)
    rate = float(run.arrivals[window].mean())

    def error(parts: Series) -> float:
        detect_s, stop_s, unsaved_s = (float(part) for part in parts)
        if not (5 < detect_s < 140 and 1 < stop_s < 120 and 0 <= unsaved_s < 90):
            return 1e9
        found = replayed(run, at_s, (detect_s, stop_s, unsaved_s), capacity)
        off = ((found.throughput - run.throughput[window]) / rate) ** 2
        return float(np.mean(off + ((found.latency_s - run.latency_s[window]) / LATE_S) ** 2))

    how = {"maxiter": 70, "xatol": 1.0, "fatol": 1e-4}
    best = min((minimize(error, start, method="Nelder-Mead", options=how) for start in _STARTS), key=lambda r: r.fun)
    return float(best.fun), (float(best.x[0]), float(best.x[1]), float(best.x[2]))


def read_off(run: Run, at_s: int) -> float | None:
    """Recovery as the paper reads it: until metered latency is as before, for ten seconds at least."""
    usual_s = float(np.median(run.latency_s[at_s - BEFORE_S : at_s]))
    after = run.latency_s[at_s : at_s + 600]
    late = np.flatnonzero(after > 3 * usual_s)
    calm = after < max(1.25 * usual_s, usual_s + 0.4)
    if not len(late):
        return None
    return next((float(second) for second in range(late[0], len(after) - 10) if calm[second : second + 10].all()), None)


def main() -> None:
    """Fit, failure by failure, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder `data` of the authors' repository")
    parser.add_argument("--job", choices=("ads", "cars"), default="ads")
    parser.add_argument("--run", default="baseline/1_baseline_24")
    parser.add_argument(
        "--capacities", default="320,340,360", help="thousand rows/s while it catches up; the best is told"
    )
    options = parser.parse_args()
    run = Run.read(options.data, options.job, options.run)
    tried = []
    for thousand in options.capacities.split(","):
        found = [fitted(run, at_s, 1000.0 * float(thousand)) for at_s in FAILURES_S]
        tried.append((float(np.mean([error for error, _ in found])), float(thousand), [parts for _, parts in found]))
        print(f"{thousand},000 rows/s: mean squared error {tried[-1][0]:.4f}", flush=True)
    _, thousand, parts = min(tried)
    print("| failure | noticed after | unsaved | stood still | recovered | as metered latency shows it |")
    print("|---|---|---|---|---|---|")
    for at_s, (detect_s, stop_s, unsaved_s) in zip(FAILURES_S, parts, strict=True):
        back = replayed(run, at_s, (detect_s, stop_s, unsaved_s), 1000.0 * thousand).recovered_s
        told = (f"{at_s} s", *(f"{value:.0f} s" for value in (detect_s, unsaved_s, stop_s)), _text(back))
        print(f"| {' | '.join(told)} | {_text(read_off(run, at_s))} |")


def _text(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:.0f} s"


if __name__ == "__main__":
    main()
