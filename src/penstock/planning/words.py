"""Sentences for tenants: what a job was asked for and what it does, in one breath."""

from penstock.core.asked.intents import Juice, Latency
from penstock.core.naming import named
from penstock.core.seen.states import UNSEEN, State, states_of
from penstock.core.seen.view import JobView, View
from penstock.core.units import text_of_seconds


def missed(job: JobView) -> str:
    """Such as "checkout misses p95 latency <= 2s (now 3.1s)"; who does not miss it yet is helped before it does."""
    now = ", ".join(part for part in (_now(job, objective) for objective in job.intent.objectives) if part)
    told = f"{job.intent.text()} (now {now or 'unknown'})"
    return f"{job.name} still meets {told} but is predicted to miss it" if job.met else f"{job.name} misses {told}"


def none_missed(view: View) -> str:
    """What may be said where nobody is known to be below a target: of everyone only where figures of now show it."""
    states = states_of(view)
    wrong = [name for name, state in states.items() if state is State.MISSING]
    if wrong:
        return f"{named(wrong)} {'is' if len(wrong) == 1 else 'are'} in trouble, which no shares or bounds mend"
    unseen = [name for name, state in states.items() if state in UNSEEN]
    if unseen:
        return f"no job is known to miss its targets; no figures of {named(unseen)}"
    return "everyone has what they asked for"


def _now(job: JobView, objective: object) -> str | None:
    figures = job.figures
    if isinstance(objective, Latency) and figures.latency is not None:
        value = figures.latency.at(objective.percentile)
        return None if value is None else text_of_seconds(value)
    if isinstance(objective, Juice) and figures.juice is not None:
        return f"juice {figures.juice:.3g}"
    return None
