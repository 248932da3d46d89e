"""Fleets in batches, for the tests of the arbiter: jobs whose costs are known to the digit."""

from dataclasses import replace
from typing import Any

import numpy as np

from penstock.core.asked.intents import Intent, Latency
from penstock.core.levers import WHOLE, Dial, Disturbs, Shows
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, LatencyFigures, MachineFigures, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.fleet import Fleet, fleet_of
from penstock.planning.arbiter.told import learnt

TASKS, TASK_S, ROW_S, ASIDE_S = 4, 0.01, 0.01, 0.2
EVERY_S = 1.0
COULD_BE_HAD, SLOTS_EACH = 12, 2  # slots, where executors follow the weights


def batch(number: int, rows: float, ended_s: float, left_rows: float = 0.0, **more: Any) -> BatchFigures:
    """One that cost what all batches here cost: four tasks, a hundredth of a second each and for each row."""
    busy_s = TASKS * TASK_S + rows * ROW_S
    ordinary: dict[str, Any] = {
        "took_s": ASIDE_S + busy_s / TASKS,
        "stages": 1,
        "tasks": TASKS,
        "busy_s": busy_s,
        "cpu_s": busy_s,
        "staged_s": busy_s / TASKS,
    }
    return BatchFigures(number, ended_s, rows=rows, left_rows=left_rows, **{**ordinary, **more})


def figures(
    name: str, rate_rps: float, weight: int = 1, up_to_s: float = 10.0, beside: float = 1.0, **more: Any
) -> JobFigures:
    """A job that takes a second's rows each second; its stages take `beside` times as long as alone."""
    batches = [
        _beside(batch(second, rate_rps * EVERY_S * (1 + 0.1 * (second % 3)), second), beside)
        for second in range(1, int(up_to_s) + 1)
    ]
    ordinary: dict[str, Any] = {
        "operators": (OperatorFigures(ALL_OPERATORS, weight, 0.5, is_source=True),),
        "latency": LatencyFigures(1.0),
        "juice": 1.0,
        "arrival_rps": rate_rps,
        "up_s": 100.0,
        "levers": (
            Dial("bound", name, None, 1, shows=Shows.NEXT_BATCH),
            Dial("trigger", name, EVERY_S, 0.0, disturbs=Disturbs.QUERY),
        ),
        "batches": tuple(batches),
    }
    return JobFigures(name, **{**ordinary, **more})


def _beside(alone: BatchFigures, times: float) -> BatchFigures:
    staged_s = (alone.staged_s or 0.0) * times
    return replace(alone, staged_s=staged_s, took_s=ASIDE_S + staged_s)


def job(name: str, rate_rps: float, target: str = "4s", worth: float = 10.0, **more: Any) -> JobView:
    """A tenant that asks for a latency."""
    intent = more.pop("intent", Intent(Latency(target, utility=worth)))
    utility = more.pop("utility", worth)
    return JobView(figures(name, rate_rps, **more), intent, utility, utility >= intent.max_utility, True)


def having_a_core(one: JobView, share: float) -> JobView:
    """The same, whose tasks have a core for that share of their time."""
    batches = tuple(replace(batch, cpu_s=share * (batch.busy_s or 0.0)) for batch in one.figures.batches)
    return replace(one, figures=replace(one.figures, batches=batches))


def fleet_view(*jobs: JobView, slots: int = 4, cores: int = 4, at_s: float = 10.0) -> View:
    """All of them on one machine."""
    machine = MachineFigures("m", cores, 1.0, slots=slots)
    utility = sum(one.utility or 0.0 for one in jobs)
    return View(at_s, jobs, (machine,), utility, sum(one.max_utility for one in jobs))


def fleet(*jobs: JobView, slots: int = 4, cores: int = 4, **changed: Any) -> Fleet:
    """As the arbiter sees them, with what differs."""
    costs = learnt({}, [one.figures for one in jobs])
    found = fleet_of(fleet_view(*jobs, slots=slots, cores=cores), costs)
    assert found is not None
    arrivals = np.array([one.figures.arrival_rps for one in jobs])
    return replace(found, **{"arrivals": arrivals, "backlog": arrivals * EVERY_S, **changed})


def followed(*jobs: JobView, executors: int = 1, cores: int = 2, at_s: float = 10.0, follows: bool = True) -> View:
    """An application that holds so many executors of twelve slots that it may have."""
    machine = MachineFigures("m", executors * cores, 1.0, slots=executors * SLOTS_EACH, executors=executors)
    dial = Dial("executors", WHOLE, executors, 1, shows=Shows.WHEN_GIVEN, follows=follows)
    there = fleet_view(*jobs, at_s=at_s)
    return replace(there, machines=(machine,), max_threads=COULD_BE_HAD, levers=(dial,))


def as_seen(view: View) -> Fleet:
    """By the arbiter."""
    found = fleet_of(view, learnt({}, [one.figures for one in view.jobs]))
    assert found is not None
    return found
