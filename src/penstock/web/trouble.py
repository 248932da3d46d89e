"""Trouble in words: what a tenant misses and what stands in its way, from the figures of one cycle."""

import math
from collections.abc import Iterator, Sequence

from penstock.core.asked.intents import Intent, Juice, Latency, Objective
from penstock.core.seen.capacity import is_congested
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures
from penstock.core.seen.shares import Share
from penstock.core.seen.states import State, state_of
from penstock.core.seen.view import JobView, View
from penstock.telling.binding import FALLS_BEHIND, Bind
from penstock.telling.words import at_rest, number
from penstock.web.shapes import TargetOut


def why(job: JobView, recovery_s: float | None = None, share: Share | None = None) -> str | None:
    """What is missed and why, in a sentence or two; None where nothing is. `recovery_s` as in `targets`.

    `share` is what its threads stand for among those of all jobs. Of a tenant whose figures are not there, or too old,
    `telling.states` says what is known.
    """
    figures = job.figures
    if state_of(job) is not State.MISSING:
        return None
    if figures.trouble is not None:
        return figures.trouble
    missed = "; ".join(_missed(target) for target in targets(job, recovery_s) if target.met is False)
    cause = next(_causes(figures, share or Share(figures.threads)), None)
    return ". ".join(part for part in (missed, cause) if part) + "."


def has_figures(view: View) -> bool:
    """Whether there is something to judge anybody by."""
    return any(job.utility is not None for job in view.jobs)


def not_done(job: JobView, note: str, binds: Sequence[Bind] = ()) -> str:
    """What is said of a job that nothing was done about, where the policy says `note` of the whole fleet.

    A policy at rest finds nothing better to turn: what `binds` the tenant says why, and what people can do about it.
    """
    state = state_of(job)
    if state is State.RESTING:
        return f"Nothing: nothing is asked of it now ({job.intent.rests})."
    if state is State.STALE:
        return "Nothing yet: its figures are too old."
    if state in (State.BLIND, State.STARTING):
        return "Nothing yet: it has no figures."
    if at_rest(note) and state is State.MISSING and job.figures.trouble is None:
        return f"No lever was turned for it, and none would gain more than it costs others. {_for_people(binds)}."
    return f"Nothing yet: {note}." if note else "Nothing yet."


def _for_people(binds: Sequence[Bind]) -> str:
    """What would help a tenant that penstock cannot turn; what holds it back is told beside it."""
    if not binds:
        return "No figure shows what holds it back. A looser target would help"
    return f"What would help, penstock cannot turn: a looser target, or {binds[0].beyond or binds[0].helps}"


def targets(job: JobView, recovery_s: float | None = None) -> tuple[TargetOut, ...]:
    """Each objective beside what there is; `recovery_s` is what a failure would cost now."""
    return targets_of(job.stated, job.figures, recovery_s)


def targets_of(intent: Intent, figures: JobFigures, recovery_s: float | None = None) -> tuple[TargetOut, ...]:
    """Each objective of an intent beside these figures."""
    asked = () if intent.rests else intent.objectives
    return tuple(_target(objective, figures, recovery_s) for objective in asked)


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
