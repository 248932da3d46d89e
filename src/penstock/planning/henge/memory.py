"""What the Henge policy remembers between rounds: plain frozen values, so that any store can keep them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from penstock.core.levers import ThreadMove


class Phase(StrEnum):
    """Figure 3 of Henge: the state of the whole cluster, not of a job."""

    NOT_CONVERGED = "not converged"
    CONVERGED = "converged"


class ActionKind(StrEnum):
    """The three actions of section 4.3."""

    RECONFIGURATION = "reconfiguration"
    REDUCTION = "reduction"
    REVERSION = "reversion"


@dataclass(frozen=True, slots=True)
class PastConfiguration:
    """One configuration of the history: what led to it from the one before, and the utility it gave."""

    moves: tuple[ThreadMove, ...]
    utility: float | None = None
    arrivals_rps: Mapping[str, float] = field(default_factory=dict)  # what came then, by job


@dataclass(frozen=True, slots=True)
class Pending:
    """The last action, while its effect is awaited. `job` is None when it touched several."""

    kind: ActionKind
    at_s: float
    utility_before: float
    job: str | None = None
    job_utility_before: float = 0.0
    job_rate_before_rps: float | None = None  # what the job processed
    arrivals_rps: Mapping[str, float] = field(default_factory=dict)  # what came then, by job
    modelled: bool = False  # the step was the answer of the job's models


@dataclass(frozen=True, slots=True)
class GivenUp:
    """When the search ended without a job, and what came to it then."""

    at_s: float
    arrival_rps: float | None


@dataclass(frozen=True, slots=True)
class HengeMemory:
    """Everything that the next round needs to know of the rounds before."""

    state: Phase = Phase.NOT_CONVERGED
    jobs: tuple[str, ...] = ()
    recent: tuple[float, ...] = ()  # total utility of the last rounds, newest last, since quiet was last broken
    recent_of: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # the same of each job
    disturbed_at_s: float = 0.0  # when an action or a change of the fleet last broke the quiet
    pending: Pending | None = None
    history: tuple[PastConfiguration, ...] = ()
    blocked_until: Mapping[str, float] = field(default_factory=dict)
    given_up: Mapping[str, GivenUp] = field(default_factory=dict)  # missed their SLO, or were blocklisted, at rest
    reverted: bool = False  # who misses an SLO with the old configuration is known when utilities are quiet again
    missed_rounds: Mapping[str, int] = field(default_factory=dict)  # how many in a row, of those that miss their SLO
    helped_at_s: Mapping[str, float] = field(default_factory=dict)  # when each was given more, in this search
    reduced: frozenset[str] = frozenset()
    locked_out: bool = False  # a reduction happened: if the next step fails too, reducing again is futile
    rounds_at_max: int = 0
    converged_utility: float = 0.0
    outage: bool = False
    fresh_since_s: float | None = None  # when news came again after an outage
    modelled: frozenset[str] = frozenset()  # jobs that were given what their models say, in this search
