"""Trouble in words: what a tenant misses and what stands in its way, from the figures of one cycle."""

import math
from collections.abc import Iterator

from penstock.core.capacity import is_congested
from penstock.core.figures import ALL_OPERATORS, JobFigures
from penstock.core.intents import Juice, Latency, Objective
from penstock.core.shares import Share
from penstock.core.view import JobView, View
from penstock.telling.words import number
from penstock.web.shapes import State, TargetOut

NAMED = 3  # tenants in a headline
FALLS_BEHIND = 0.98  # processed over arrived rows: less is not noise any more


def state_of(job: JobView) -> State:
    """In one word, the worst that is true of it."""
    if job.figures.trouble is not None:
        return "trouble"
    if job.utility is None:
        return "unknown"
    if job.met:
        return "met"
    return "settling" if job.figures.settling else "missed"


def why(job: JobView, recovery_s: float | None = None, share: Share | None = None) -> str | None:
    """What is missed and why, in a sentence or two; None when all is well. `recovery_s` as in `targets`.

    `share` is what its threads stand for among those of all jobs.
    """
    figures = job.figures
    if figures.trouble is not None:
        return figures.trouble
    if job.utility is None:
        return "No figures yet."
    if job.met:
        return None
    missed = "; ".join(_missed(target) for target in targets(job, recovery_s) if target.met is False)
    cause = next(_causes(figures, share or Share(figures.threads)), None)
    return ". ".join(part for part in (missed, cause) if part) + "."


def headline(view: View) -> str:
    """The fleet in a sentence."""
    bad = [job for job in view.jobs if state_of(job) in ("trouble", "missed")]
    if not view.jobs:
        return "No tenant has been seen yet."
    if not bad and not has_figures(view):
        return "No figures of any tenant yet."
    if not bad:
        return (
            f"All {len(view.jobs)} tenants have what they asked for." if all(j.met for j in view.jobs) else "Settling."
        )
    names = [job.name for job in sorted(bad, key=lambda job: (-lost(job), job.name))]
    told = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    return f"{len(bad)} of {len(view.jobs)} tenants {'miss' if len(bad) > 1 else 'misses'} what was asked: {told}."


def has_figures(view: View) -> bool:
    """Whether there is something to judge anybody by."""
    return any(job.utility is not None for job in view.jobs)


def not_done(job: JobView, note: str) -> str:
    """What is said of a job that nothing was done about, where the policy says `note` of the whole fleet."""
    if job.utility is None and job.figures.trouble is None:
        return "Nothing yet: it has no figures."
    return f"Nothing yet: {note}." if note else "Nothing yet."


def lost(job: JobView) -> float:
    """The utility that it could have and has not; a job without figures counts in full."""
    return job.max_utility - (job.utility or 0.0)


def targets(job: JobView, recovery_s: float | None = None) -> tuple[TargetOut, ...]:
    """Each objective beside what there is; `recovery_s` is what a failure would cost now."""
    return tuple(_target(objective, job.figures, recovery_s) for objective in job.intent.objectives)


def _target(objective: Objective, figures: JobFigures, recovery_s: float | None) -> TargetOut:
    if isinstance(objective, Juice):
        met = None if figures.juice is None else objective.share_at(figures.juice) > 0.995
        return TargetOut("juice", objective.text(), objective.target, None, figures.juice, met, objective.utility)
    if isinstance(objective, Latency):
        now = None if figures.latency is None else figures.latency.at(objective.percentile)
        met = None if now is None else objective.share_at(now) > 0.995
        percentile, utility = objective.percentile, objective.utility
        return TargetOut("latency", objective.text(), objective.target_s, percentile, now, met, utility)
    met = None if recovery_s is None else objective.share_at(recovery_s) > 0.995
    now = None if recovery_s is None or math.isinf(recovery_s) else recovery_s
    return TargetOut("recovery", objective.text(), objective.target_s, None, now, met, objective.utility)


def _missed(target: TargetOut) -> str:
    if target.kind == "juice":
        return f"{number(100 * (target.now or 0.0))} % of the input is processed instead of {100 * target.target:g} %"
    if target.kind == "recovery":
        taken = "for ever" if target.now is None else f"{number(target.now)} s"
        return f"recovery would take {taken} instead of {number(target.target)} s"
    name = "latency" if target.percentile is None else f"p{target.percentile:g} latency"
    return f"{name} {number(target.now)} s instead of {number(target.target)} s"


def _busiest(operator: str, capacity: float, share: Share) -> str:
    often = "all the time" if capacity > 1.0 else f"{100 * capacity:.0f} % of the time"
    if operator != ALL_OPERATORS:
        return f"Operator {operator} is busy {often}"
    if share.pool is None or share.slots is None:
        return f"Its share of the slots is busy {often}"
    beyond = f"; with what others left it used {number(share.used_slots)}" if capacity > 1.0 else ""
    return f"Its share, {number(share.slots)} of {share.pool.slots} slots, is busy {often}{beyond}"


def _causes(figures: JobFigures, share: Share) -> Iterator[str]:
    if figures.settling:
        yield "It is settling after a change"
    arriving, done = figures.arrival_rps, figures.processed_rps
    if arriving is not None and done is not None and done < FALLS_BEHIND * arriving:
        yield f"{number(round(arriving))} rows/s arrive, {number(round(done))} are processed"
    busiest = max(figures.operators, key=lambda op: op.capacity or 0.0, default=None)
    if busiest is not None and busiest.capacity is not None and is_congested(busiest.capacity):
        yield _busiest(busiest.name, busiest.capacity, share)
    if figures.backlog_rows:
        yield f"{number(round(figures.backlog_rows))} rows wait"
