"""States: how a tenant stands, in one word that pages, `top`, the story and the metrics all have from here.

    missing    it is below its intent, or something is wrong with it
    blind      there are no figures for what is asked, although it runs or rows wait
    stale      the figures are too old to say how it does now
    starting   there are no figures yet, and it began, or was started again, a moment ago
    fine       it has all it asked for, by figures of now
    resting    nothing is asked of it now: it is outside its hours, or in a period that is left out

Only `fine` is good news, and it needs proof: what nobody measured is never fine.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from penstock.core.seen.figures import JobFigures
from penstock.core.seen.view import JobView, View

STARTS_WITHIN_S = 60.0  # as engines have it: what has told nothing by then is not starting any more


class State(StrEnum):
    """How a tenant stands, the worst first."""

    MISSING = "missing"
    BLIND = "blind"
    STALE = "stale"
    STARTING = "starting"
    FINE = "fine"
    RESTING = "resting"


WORST_FIRST = tuple(State)
BAD = frozenset({State.MISSING, State.BLIND, State.STALE})
UNSEEN = frozenset({State.BLIND, State.STALE})  # nobody knows whether it has what it asked for, and somebody should


@dataclass(frozen=True, slots=True)
class StateChange:
    """The state that a tenant is in from this cycle on, and the rows that waited then."""

    at_s: float
    state: State
    backlog_rows: float | None = None


@dataclass(frozen=True, slots=True)
class LastLatency:
    """The last latency that was known of a tenant, and when that was on the run's clock."""

    latency_s: float
    at_s: float


@dataclass(frozen=True, slots=True)
class TenantTally:
    """How many have what they asked for, of how many who could: who starts or rests is in neither, and told beside."""

    met: int  # by figures of now: old ones are no proof
    judged: int
    starting: int
    resting: int = 0


def state_of(job: JobView) -> State:
    """How the tenant stands.

    >>> from penstock.core.asked.intents import Intent, Latency
    >>> asked = Intent(Latency("2s"))
    >>> runs = JobFigures("ads", (), up_s=300.0, backlog_rows=62_614.0)
    >>> state_of(JobView(runs, asked, utility=None, met=False, fresh=True)).value
    'blind'
    """
    if job.intent.rests:
        return State.RESTING
    return judged(job.figures, job.utility, job.met, job.fresh)


def judged(figures: JobFigures, utility: float | None, met: bool, fresh: bool) -> State:
    """How a tenant stands with these figures, judged like that."""
    if not fresh:
        return State.STALE
    if figures.trouble is not None:
        return State.MISSING
    if utility is None:
        return State.STARTING if _starts(figures) else State.BLIND
    return State.FINE if met else State.MISSING


def states_of(view: View) -> Mapping[str, State]:
    """Every tenant's state, by name."""
    return {job.name: state_of(job) for job in view.jobs}


def worst_of(view: View) -> State | None:
    """The worst state of any tenant: all is well only where that is `fine`. None where nobody is there."""
    return min(states_of(view).values(), key=WORST_FIRST.index, default=None)


def tally_of(view: View) -> TenantTally:
    """How the tenants stand, counted."""
    states = list(states_of(view).values())
    starting, resting = states.count(State.STARTING), states.count(State.RESTING)
    return TenantTally(states.count(State.FINE), len(states) - starting - resting, starting, resting)


def met_of(state: State, utility: float | None) -> bool | None:
    """Whether a tenant in that state had all it asked for; None where nobody knows, or nothing was asked."""
    if utility is None or state in (State.STALE, State.RESTING):
        return None
    return state is State.FINE


def known_utility(view: View) -> float:
    """What all tenants have together by figures of now; what a stale one had is not known any more."""
    return sum(job.utility or 0.0 for job in view.jobs if job.fresh)


def possible_utility(view: View) -> float:
    """What those tenants could have together of whom a figure may be expected: who starts has lost nothing yet."""
    return sum(job.max_utility for job in view.jobs if state_of(job) is not State.STARTING)


def _starts(figures: JobFigures) -> bool:
    """Whether it is too early for figures; one whose rows are counted has begun, whenever that was."""
    if figures.settling:
        return True
    if figures.up_s is None:
        return not (figures.arrival_rps or figures.processed_rps or figures.backlog_rows)
    return figures.up_s < STARTS_WITHIN_S
