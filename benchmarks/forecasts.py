"""How good and how fast forecasts are, on real load series.

python benchmarks/forecasts.py --data FOLDER [--out docs/results/forecasts.md]

FOLDER holds CSV files with a header and a rate in the last column; --step says how far apart their rows are.
MASE: the mean absolute error over that of the seasonal naive method (a season of one day) within the past itself, as
Hyndman and Koehler define it; below 1 is better than that bar. Every figure is of forecasts made without any
knowledge of what came later.
"""

import argparse
import os
import platform
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from penstock.analysis.forecast.chosen import METHODS, BestOnPast
from penstock.analysis.forecast.method import Method
from penstock.analysis.forecast.naive import Naive, SeasonalNaive
from penstock.core.known.forecast import Series
from penstock.workloads.rates import read_trace

DAY_S = 86_400.0


def forecasters(day: int) -> dict[str, BestOnPast]:
    """The two bars, each method, and the choice among them."""
    daily = SeasonalNaive(season=day)
    others: list[Method] = [method for method in METHODS if not isinstance(method, (Naive, SeasonalNaive))]
    return {
        "naive": BestOnPast((Naive(),)),
        "seasonal naive, one day": BestOnPast((daily,)),
        **{method.name: BestOnPast((method,)) for method in others},
        "weighted by back-test": BestOnPast(),
    }


def mase(values: NDArray[np.float64], step_s: float, days: float, steps: int, origins: int) -> dict[str, float]:
    """By forecaster, over origins spread evenly over what follows the first `days`."""
    day, past = round(DAY_S / step_s), round(days * DAY_S / step_s)
    ends = np.linspace(past, len(values) - steps, origins).astype(int)
    found: dict[str, list[float]] = {}
    for end in ends:
        history = Series(step_s, tuple(values[end - past : end]))
        actual = values[end : end + steps]
        bar = float(np.abs(values[end - past + day : end] - values[end - past : end - day]).mean())
        for name, forecaster in forecasters(day).items():
            expected = np.array(forecaster.forecast(history, steps).mean)
            found.setdefault(name, []).append(float(np.abs(actual - expected).mean()) / max(bar, 1e-9))
    return {name: float(np.mean(errors)) for name, errors in found.items()}


def seconds_for(jobs: int, length: int, steps: int) -> tuple[float, float]:
    """Wall and processor time of forecasts for so many jobs, none of them alike; the median of three."""
    rng = np.random.default_rng(1)
    at = np.arange(length)
    loads = [
        Series(60.0, tuple(np.maximum(1000 + 400 * np.sin(at / rng.uniform(8, 60)) + rng.normal(0, 30, length), 0)))
        for _ in range(jobs)
    ]
    BestOnPast().forecast(loads[0], steps)
    wall, cpu = [], []
    for _ in range(3):
        begun, begun_cpu = time.perf_counter(), time.process_time()
        for load in loads:
            BestOnPast().forecast(load, steps)
        wall.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - begun_cpu)
    return float(np.median(wall)), float(np.median(cpu))


def _speed(jobs: int, length: int) -> str:
    wall, cpu = seconds_for(jobs, length, 30)
    return f"| {jobs} | {length} | {wall:.2f} | {cpu:.2f} |"


def accuracy(files: Sequence[Path], step_s: float, days: float, minutes: float, origins: int) -> Iterator[str]:
    """A table: a row for each series, a column for each forecaster."""
    steps = max(1, round(minutes * 60 / step_s))
    rows = {file.stem: mase(read_trace(file, step_s).values, step_s, days, steps, origins) for file in files}
    names = list(next(iter(rows.values())))
    yield f"## {minutes:g} minutes ahead ({steps} steps), MASE"
    yield ""
    yield f"| series | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(names)}"
    for series, found in rows.items():
        best = min(found.values())
        cells = [f"**{value:.3f}**" if value == best else f"{value:.3f}" for value in found.values()]
        yield f"| {series} | {' | '.join(cells)} |"
    means = [float(np.mean([found[name] for found in rows.values()])) for name in names]
    yield f"| mean | {' | '.join(f'{value:.3f}' for value in means)} |"
    yield ""


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of CSV files; without it only speed is measured")
    parser.add_argument("--step", type=float, default=300.0, help="seconds between their rows")
    parser.add_argument("--days", type=float, default=3.0, help="of past that a forecast is made from")
    parser.add_argument("--origins", type=int, default=40, help="instants to look ahead from, for each series")
    parser.add_argument("--out", type=Path, help="write the result to this file too")
    options = parser.parse_args()
    lines = [
        "# Forecasts: how good, how fast",
        "",
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, {platform.machine()}, Python "
        f"{platform.python_version()}, `python benchmarks/forecasts.py --data FOLDER --days {options.days:g} "
        f"--origins {options.origins}`.",
        "",
        "Back-test, choice and forecast 30 steps ahead (median of 3; target: below 1 s for 100 jobs):",
        "",
        "| jobs | values of past | wall seconds | processor seconds |",
        "|---|---|---|---|",
        *(_speed(100, length) for length in (240, 1440)),
        "",
    ]
    if options.data is not None:
        files = sorted(options.data.glob("*.csv"))
        for minutes in (10.0, 60.0):
            lines += accuracy(files, options.step, options.days, minutes, options.origins)
    print("\n".join(lines))
    if options.out is not None:
        options.out.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
