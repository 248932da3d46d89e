"""Stretches: how long a tenant was in a state, and when nobody knew how tenants did."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from penstock.core.run import JobTimeline, Run
from penstock.core.seen.states import UNSEEN, State


@dataclass(frozen=True, slots=True)
class StateStretch:
    """A tenant was in this state from one instant to another, where so many rows waited at its beginning."""

    from_s: float
    to_s: float
    state: State
    backlog_rows: float | None = None

    @property
    def length_s(self) -> float:
        """How long that was."""
        return self.to_s - self.from_s


def stretches(run: Run, job: JobTimeline) -> tuple[StateStretch, ...]:
    """The states of a job one after the other; the last holds until the end of the run."""
    if not job.states or not len(run.at_s):
        return ()
    ends = [*(change.at_s for change in job.states[1:]), max(run.at_s[-1], job.states[-1].at_s)]
    return tuple(
        StateStretch(change.at_s, end_s, change.state, change.backlog_rows)
        for change, end_s in zip(job.states, ends, strict=True)
    )


def state_at(job: JobTimeline, at_s: float) -> State | None:
    """The state that the job was in then; None before it was seen first."""
    place = bisect_right(job.states, at_s, key=lambda change: change.at_s)
    return job.states[place - 1].state if place else None


def unseen(run: Run, job: JobTimeline) -> tuple[StateStretch, ...]:
    """When nobody knew how the job did, although somebody should have."""
    return tuple(found for found in stretches(run, job) if found.state in UNSEEN)


def unseen_cycles(run: Run) -> Sequence[bool]:
    """For each cycle whether there was a job of which nobody knew how it did."""
    every = [unseen_at(run, job) for job in run.jobs]
    return [any(blind) for blind in zip(*every, strict=True)] if every else [False] * len(run.at_s)


def unseen_at(run: Run, job: JobTimeline) -> Sequence[bool]:
    """For each cycle whether nobody knew how the job did."""
    blind = [False] * len(run.at_s)
    told = stretches(run, job)
    for found in (one for one in told if one.state in UNSEEN):
        first = bisect_left(run.at_s, found.from_s)
        end = len(blind) if found is told[-1] else bisect_left(run.at_s, found.to_s)
        blind[first:end] = [True] * (end - first)
    return blind
