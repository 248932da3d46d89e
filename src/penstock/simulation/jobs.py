"""What both kinds of simulated clusters take from a scenario: jobs by name, their intents, their arrivals."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from penstock.config.intents import intent_of
from penstock.core.arrays import Floats
from penstock.core.asked.intents import Intent
from penstock.errors import ConfigError
from penstock.simulation.schema import JobPart, RatePart, ScenarioFile, TraceRate
from penstock.workloads import rates


def named_jobs(scenario: ScenarioFile) -> Iterator[tuple[str, int, JobPart]]:
    """Every job by its own name, with its number in the file: copies become -1, -2, ..."""
    seen: set[str] = set()
    for number, job in enumerate(scenario.jobs):
        names = [job.name] if job.copies == 1 else [f"{job.name}-{i}" for i in range(1, job.copies + 1)]
        for name in names:
            if name in seen:
                raise ConfigError(f"jobs.{number}.name", name, "give each job a name of its own")
            seen.add(name)
            yield name, number, job


def intents_of(scenario: ScenarioFile) -> dict[str, Intent]:
    """What each job asks for."""
    return {name: intent_of(job.intent, f"jobs.{number}.intent") for name, number, job in named_jobs(scenario)}


def arrivals_of(part: RatePart, seconds: int, base: Path, rng: np.random.Generator, field: str) -> Floats:
    """Rows that arrive in each second of the run."""
    curve = _curve(part, seconds, base, field)
    return rates.noisy(curve, part.noise, rng) if part.noise > 0 else curve


def _curve(part: RatePart, seconds: int, base: Path, field: str) -> Floats:
    if part.spike is not None:
        spike = part.spike
        return rates.spike(spike.base, spike.factor, spike.start, spike.end, seconds)
    if part.step is not None:
        return rates.step(part.step.before, part.step.after, part.step.at, seconds)
    if part.sine is not None:
        return rates.sine(part.sine.mean, part.sine.amplitude, part.sine.period, seconds)
    if part.trace is not None:
        recorded = _recorded(part.trace, base, field)
        return rates.replay(recorded, seconds, part.trace.mean, part.trace.speed, part.trace.smooth)
    if part.constant is None:
        raise ConfigError(field, None, "give exactly one of constant, spike, step, sine, trace")
    return rates.constant(part.constant, seconds)


def _recorded(part: TraceRate, base: Path, field: str) -> rates.Trace:
    if part.file is not None:
        return rates.read_trace(base / part.file, part.step, f"{field}.trace.file")
    return rates.Trace(np.array(part.values, dtype=float), part.step)
