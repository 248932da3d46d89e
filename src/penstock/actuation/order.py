"""Decide the order of deeds: what frees slots goes before what takes them, job by job, names break ties."""

from collections.abc import Iterable

from penstock.core.plan import Change, Plan, Step


def order(plan: Plan) -> tuple[Step, ...]:
    """The plan as steps for an engine; a change that changes nothing is left out."""
    changes = [change for decision in plan.decisions for change in decision.changes if change.after != change.before]
    by_job: dict[str, list[Change]] = {}
    for change in changes:
        by_job.setdefault(change.job, []).append(change)
    steps = [Step(job, tuple(found)) for job, found in by_job.items()]
    # Keys move last: a job that is about to pause for it has its new share by then.
    routed = [Step(d.reroute.job, (), d.reroute) for d in plan.decisions if d.reroute is not None]
    return (*sorted(steps, key=lambda step: (_growth(step.changes) > 0, step.job)), *sorted(routed, key=_name))


def _name(step: Step) -> tuple[str, str]:
    return step.job, "" if step.reroute is None else step.reroute.route


def _growth(changes: Iterable[Change]) -> int:
    return sum(change.after - change.before for change in changes)
