"""One job in the summary of a run: what it asked for, what it had, and when it was worst."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from penstock.core.asked.budget import SpentBudget
from penstock.core.documents import mean
from penstock.core.run import JobTimeline, Run
from penstock.telling.stretches import StateStretch, unseen, unseen_at
from penstock.telling.words import clock

_INTENTS = 3  # earlier ones of a job; the newest are told


@dataclass(frozen=True, slots=True)
class JobSummary:
    """One job over the whole run. Shares are None where there was no figure at all."""

    name: str
    intent: str  # all that it asked for, the last first, with when where that changed
    max_utility: float
    met_share: float | None  # of the time that it was seen, or should have been: while nobody knew it is not met
    utility_share: float | None
    worst: tuple[float, float] | None  # the longest stretch below its intent, from and to
    first_threads: int | None
    last_threads: int | None
    decisions: int
    unseen: tuple[StateStretch, ...] = ()  # when nobody knew how it did, although it ran
    last_recovery_s: float | None = None  # as it was estimated last, infinite where it would never end
    worst_recovery_s: float | None = None
    spent: SpentBudget | None = None  # its error budget in the end


def job_summary(run: Run, job: JobTimeline, decisions: int) -> JobSummary:
    """One of the run's jobs, which so many decisions concerned."""
    held = [threads for threads in job.threads if threads is not None]
    recoveries = [seconds for seconds in job.recovery_s if seconds is not None]
    return JobSummary(
        name=job.name,
        intent=_asked(job),
        max_utility=job.max_utility,
        met_share=mean(_proven(run, job)),
        utility_share=mean(_had(run, job)),
        worst=_longest_miss(run.at_s, job.met),
        first_threads=held[0] if held else None,
        last_threads=held[-1] if held else None,
        decisions=decisions,
        unseen=unseen(run, job),
        last_recovery_s=recoveries[-1] if recoveries else None,
        worst_recovery_s=max(recoveries, default=None),
        spent=job.spent,
    )


def _had(run: Run, job: JobTimeline) -> Sequence[float | None]:
    """Its share of what it could have had in each cycle: nothing while nobody knew, None while it was starting."""
    blind = unseen_at(run, job)
    return [0.0 if unknown else share for unknown, share in zip(blind, job.shares(run.at_s), strict=True)]


def _proven(run: Run, job: JobTimeline) -> Sequence[bool | None]:
    """Whether it is known to have met its intent; None while it was starting, or was not there."""
    blind = unseen_at(run, job)
    return [False if unknown else met for unknown, met in zip(blind, job.met, strict=True)]


def _asked(job: JobTimeline) -> str:
    """What it asked for: one intent, or the last with those before it."""
    if len(job.intents) < 2:
        return job.intent
    told = [f"{before.text} until {clock(now.at_s)}" for before, now in pairwise(job.intents)]
    return f"{job.intent}; {', '.join(told[-_INTENTS:])}"


def _longest_miss(at_s: Sequence[float], met: Sequence[bool | None]) -> tuple[float, float] | None:
    longest: tuple[float, float] | None = None
    start: float | None = None
    for now, is_met in zip(at_s, met, strict=True):
        if is_met is not False:
            start = None
            continue
        start = now if start is None else start
        if longest is None or now - start > longest[1] - longest[0]:
            longest = (start, now)
    return longest
