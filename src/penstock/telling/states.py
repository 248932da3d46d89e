"""States in the words of a reader: the headline of a fleet, and what is known of a tenant whose figures are not there.

A tenant that goes blind, or whose figures are too old, is named as loudly as one that misses what it asked for.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf

from penstock.core.asked.intents import Juice, Latency
from penstock.core.known.prediction import seconds_text
from penstock.core.run import asked_latency_s
from penstock.core.seen.states import WORST_FIRST, LastLatency, State, TenantTally, state_of, states_of
from penstock.core.seen.view import JobView, View
from penstock.telling.words import count, number, span

NAMED = 3  # tenants of a kind in a headline

Known = Mapping[str, LastLatency]  # of jobs whose latency is not known now


def headline(view: View, known: Known | None = None) -> str:
    """The fleet in a sentence or two, the worst first; good news only where everything is fine.

    `known` are the last latencies of those that have none now.
    """
    told, away = _headline(view, known or {}), _cluster_away(view)
    return f"{told} {away}" if away else told


def _headline(view: View, known: Known) -> str:
    if not view.jobs:
        return "There is no tenant yet."
    states = states_of(view)
    ranked = sorted(view.jobs, key=lambda job: (WORST_FIRST.index(states[job.name]), -lost(job), job.name))
    groups = {state: list(jobs) for state, jobs in groupby(ranked, key=lambda job: states[job.name])}
    fine = len(groups.pop(State.FINE, ()))
    if not groups:
        return f"All {fine} tenants have what they asked for." if fine > 1 else "The tenant has what it asked for."
    told = [_TOLD[state](jobs, view, known) for state, jobs in groups.items()]
    if fine and State.MISSING not in groups:
        told.append(f"The other {fine} have what they asked for." if fine > 1 else "The other has what it asked for.")
    return " ".join(told)


def tally_text(tally: TenantTally) -> str:
    """How many have what they asked for; who starts is told beside them.

    >>> tally_text(TenantTally(met=2, judged=2, starting=1)), tally_text(TenantTally(met=1, judged=3, starting=0))
    ('2 of 2 SLOs met, 1 starting', '1 of 3 SLOs met')
    """
    starting = f", {tally.starting} starting" if tally.starting else ""
    resting = f", {tally.resting} resting" if tally.resting else ""
    return f"{tally.met} of {tally.judged} SLOs met{starting}{resting}"


def utility_text(known: float, possible: float, last: float) -> str:
    """The utility that is known of, of what could be; what tenants had when they were last heard of is told beside it.

    >>> utility_text(60.0, 60.0, last=60.0), utility_text(20.0, 60.0, last=60.0)
    ('60 of 60', '20 of 60, 40 more by old metrics')
    """
    old = last - known
    return f"{number(known)} of {number(possible)}" + (f", {number(old)} more by old metrics" if old > 0.0 else "")


def lost(job: JobView) -> float:
    """The utility that it could have and has not; a job without figures counts in full."""
    return job.max_utility - (job.utility or 0.0)


def lacking(job: JobView) -> str:
    """Of which of the things that it asks for there is no figure.

    >>> from penstock.core.seen.figures import JobFigures
    >>> from penstock.core.asked.intents import Intent
    >>> lacking(JobView(JobFigures("ads", (), juice=1.0), Intent(Latency("2s"), Juice(1.0)), None, False, True))
    'its latency'
    """
    figures = job.figures
    names = [
        "latency" if isinstance(objective, Latency) else "juice"
        for objective in job.intent.objectives
        if (
            isinstance(objective, Latency)
            and (figures.latency is None or figures.latency.at(objective.percentile) is None)
        )
        or (isinstance(objective, Juice) and figures.juice is None)
    ]
    return f"its {' and '.join(dict.fromkeys(names))}" if names else "what it asks for"


def beside(job: JobView, now_s: float, last: LastLatency | None = None) -> str:
    """What is known all the same of a tenant without figures: what waits, and its latency when that was last known."""
    latency_s, ago_s = asked_latency_s(job), job.figures.age_s
    if latency_s is None and last is not None:
        latency_s, ago_s = last.latency_s, now_s - last.at_s
    told = [f"{number(round(job.figures.backlog_rows))} rows wait"] if job.figures.backlog_rows else []
    if latency_s is not None:
        known = f"{span(ago_s)} ago latency was" if ago_s >= 1.0 else "latency is"
        told.append(f"{known} {seconds_text(latency_s)}")
    return ", ".join(told)


def unasked_latency(job: JobView) -> str | None:
    """The latency of a tenant that asks for none: it may have all it asked for, and yet be minutes late."""
    latency = job.figures.latency
    if latency is None or any(isinstance(objective, Latency) for objective in job.intent.objectives):
        return None
    return f"its latency is {seconds_text(latency.mean_s)}, for which it asks nothing"


def blind_text(job: JobView, view: View, last: LastLatency | None = None) -> str:
    """That there are no figures, or only old ones, and what is known all the same."""
    known = beside(job, view.at_s, last)
    also = f"; {known}" if known else ""
    if state_of(job) is State.STALE:
        silent_s = _silent_s(job, view)
        agent = "" if silent_s is None else f"Its agent has not reported for {span(silent_s)}; it keeps its executors. "
        return f"{agent}Its figures are {span(job.figures.age_s)} old{also}."
    if state_of(job) is State.STARTING:
        return f"It is starting, no figures yet{also}."
    return f"No figures for {lacking(job)}, although it runs{also}."


def _missing(jobs: Sequence[JobView], view: View, known: Known) -> str:
    verb = "misses" if len(jobs) == 1 else "miss"
    return f"{len(jobs)} of {count(len(view.jobs), 'tenant')} {verb} what was asked: {_names(jobs)}."


def _blind(jobs: Sequence[JobView], view: View, known: Known) -> str:
    return f"No figures of {_with_known(jobs, view, known)}."


def _stale(jobs: Sequence[JobView], view: View, known: Known) -> str:
    silent_s = {job.name: silent_s for job in jobs if (silent_s := _silent_s(job, view)) is not None}
    silent = [job for job in jobs if job.name in silent_s]
    others = [job for job in jobs if job.name not in silent_s]
    told = []
    if silent:
        who = "The agent of {} has" if len(silent) == 1 else "The agents of {} have"
        for_s = span(max(silent_s.values()))
        told.append(f"{who.format(_with_known(silent, view, known))} not reported for {for_s}.")
    if others:
        oldest_s = max(job.figures.age_s for job in others)
        told.append(f"Figures of {_with_known(others, view, known)} are {span(oldest_s)} old.")
    return " ".join(told)


def _silent_s(job: JobView, view: View) -> float | None:
    """How long its agent has not reported, where that is most of its figures' age; else None."""
    silent_s = view.contacts.agent_s(job.name)
    return silent_s if silent_s is not None and job.figures.age_s <= 2.0 * silent_s < inf else None


def _cluster_away(view: View) -> str:
    away_s = view.contacts.cluster_away_s
    if away_s is None:
        return ""
    return f"The cluster manager has not answered for {span(away_s)}: no executor is promised."


def _starting(jobs: Sequence[JobView], view: View, known: Known) -> str:
    return f"{_names(jobs)} {'is' if len(jobs) == 1 else 'are'} starting."


def _resting(jobs: Sequence[JobView], view: View, known: Known) -> str:
    reasons = ", ".join(dict.fromkeys(job.intent.rests for job in jobs))
    return f"Nothing is asked of {_names(jobs)} now: {reasons}."


_TOLD = {
    State.MISSING: _missing,
    State.BLIND: _blind,
    State.STALE: _stale,
    State.STARTING: _starting,
    State.RESTING: _resting,
}


def _with_known(jobs: Sequence[JobView], view: View, known: Known) -> str:
    """The names, each with what is known of it all the same."""
    told = []
    for job in jobs[:NAMED]:
        also = beside(job, view.at_s, known.get(job.name))
        told.append(f"{job.name} ({also})" if also else job.name)
    return ", ".join(told) + _more(jobs)


def _names(jobs: Sequence[JobView]) -> str:
    return ", ".join(job.name for job in jobs[:NAMED]) + _more(jobs)


def _more(jobs: Sequence[JobView]) -> str:
    return f" and {len(jobs) - NAMED} more" if len(jobs) > NAMED else ""
