"""Understand: a snapshot judged against the intents gives the view that policies decide on."""

from collections.abc import Mapping
from dataclasses import replace

from penstock.core.asked.intents import Intent
from penstock.core.known.outlook import JobOutlook, standing
from penstock.core.seen.figures import JobFigures, Snapshot
from penstock.core.seen.view import JobView, View

STALE_AFTER_S = 15.0  # a round and a half of 10 s without news: the figures tell of another time


def assess(
    snapshot: Snapshot,
    intents: Mapping[str, Intent],
    stale_after_s: float = STALE_AFTER_S,
    outlooks: Mapping[str, JobOutlook] | None = None,
) -> View:
    """The view of all jobs that have an intent; jobs without one are seen but not governed.

    `outlooks` are those that a policy worked out before: they say how long each job would take to recover.
    """
    known = standing(outlooks or {}, (), snapshot.at_s)
    jobs: list[JobView] = []
    for told in snapshot.jobs:
        intent, outlook = intents.get(told.name), known.get(told.name)
        if intent is None:
            continue
        figures = told.measured
        recovery_s = None if outlook is None else outlook.recovery_s(figures.threads)
        score = intent.score(figures.latency, figures.juice, recovery_s)
        utility, met = (None, False) if score is None else (score.utility, score.met)
        fresh = figures.age_s <= stale_after_s
        jobs.append(JobView(figures, intent, utility, met, fresh, recovery_s=recovery_s))
    return View(
        at_s=snapshot.at_s,
        jobs=tuple(jobs),
        machines=snapshot.machines,
        utility=sum(job.utility or 0.0 for job in jobs),
        max_utility=sum(job.max_utility for job in jobs),
        max_threads=snapshot.max_threads,
        routes=snapshot.routes,
        levers=snapshot.levers,
        deeds=snapshot.deeds,
        to_come=snapshot.to_come,
        contacts=snapshot.contacts,
    )


def aged(view: View | None, now: float) -> View:
    """What stands for a view when nothing could be seen: the last one, too old to act on, or an empty one."""
    if view is None:
        return View(now, (), (), utility=0.0, max_utility=0.0)
    by_s = now - view.at_s
    jobs = (replace(job, fresh=False, figures=_older(job.figures, by_s)) for job in view.jobs)
    machines = (replace(machine, age_s=machine.age_s + by_s) for machine in view.machines)
    contacts = view.contacts.later(by_s)
    return replace(view, at_s=now, jobs=tuple(jobs), machines=tuple(machines), routes=(), deeds=(), contacts=contacts)


def _older(figures: JobFigures, by_s: float) -> JobFigures:
    return replace(figures, age_s=figures.age_s + by_s)
