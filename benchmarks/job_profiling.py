"""Profile a simulated job: the search of `planning.profiling.jobs`, run on copies of it in worlds of their own."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from penstock.engines.sim.scaleout.job import RunningJob
from penstock.engines.sim.scaleout.spec import ScaleOutJob
from penstock.errors import ConfigError
from penstock.planning.profiling.jobs import CopySearch, CopySearchSettings, MeasuredCopy, after_round, start


def profile_simulated(
    job: ScaleOutJob, scaleouts: Sequence[int], settings: CopySearchSettings, seed: int = 0
) -> CopySearch:
    """The finished search, with all that it found and what it cost."""
    search = start(scaleouts, room=None, settings=settings)
    lasts = int(settings.round_s * settings.most_rounds) + 1
    copies: dict[int, RunningJob] = {}
    second = 0
    while not search.done:
        seconds = int(settings.round_s)
        for size in search.running:
            if size not in copies:
                arrivals = _rising(settings, lasts)
                copy = replace(job, arrivals=arrivals, executors=size, min_executors=1, max_executors=None)
                copies[size] = RunningJob(copy, np.random.default_rng([seed, size]))
        measured = [_measured(copies[size], second, settings, search.rate_rps) for size in search.running]
        second += seconds
        search, _ = after_round(search, measured, settings)
    return search


def spaced(lowest: int, highest: int, count: int) -> tuple[int, ...]:
    """So many scale-outs spread evenly over a range.

    >>> spaced(2, 23, 8)
    (2, 5, 8, 11, 14, 17, 20, 23)
    """
    if not 1 <= lowest <= highest or count < 1:
        raise ConfigError("scaleouts", (lowest, highest, count), "write lowest, highest and how many of them")
    return tuple(sorted({round(size) for size in np.linspace(lowest, highest, count)}))


def _rising(settings: CopySearchSettings, seconds: int) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    rounds = np.arange(seconds) // int(settings.round_s)
    return (settings.first_rps + settings.step_rps * rounds).astype(np.float64)


def _measured(copy: RunningJob, second: int, settings: CopySearchSettings, rate_rps: float) -> MeasuredCopy:
    """Let it live through the round; the means are over the part after it has settled."""
    latencies, done = [], []
    for now in range(second, second + int(settings.round_s)):
        copy.live(now)
        if now >= second + settings.settle_s:
            figures = copy.figures(now + 1.0)
            latencies.append(None if figures.latency is None else figures.latency.mean_s)
            done.append(figures.processed_rps or 0.0)
    known = [value for value in latencies if value is not None]
    latency = sum(known) / len(known) if known else None
    return MeasuredCopy(copy.executors, rate_rps, latency, sum(done) / len(done))
