"""What is remembered of each job: its rates, what was measured of it, what failures and reconfigurations cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.seen.evidence import Observation
from penstock.core.seen.failures import Failure, FailureKind
from penstock.planning.rates import RateHistory


@dataclass(frozen=True, slots=True)
class ForeseenKind:
    """The recovery from a failure of that kind, for each bin in which it may come, seconds."""

    kind: FailureKind
    seconds: tuple[float, ...]
    guessed: bool = False  # none of that kind had been seen: how far off a guess is says nothing of later predictions


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What was foretold of a job's failures when it was last looked at."""

    at_s: float
    bin_s: float
    kinds: tuple[ForeseenKind, ...]
    usual_wait_s: float | None = None  # of the oldest row in a batch; None for a job without batches


@dataclass(frozen=True, slots=True)
class Recovering:
    """A recovery that is under way, and what was foretold of it."""

    kind: FailureKind
    failed_at_s: float
    foretold_s: float
    usual_wait_s: float | None = None
    as_usual_at_s: float | None = None  # its first batch in good time since then, while batches of then are still told


@dataclass(frozen=True, slots=True)
class Miss:
    """A recovery that is over, beside what had been foretold of it; both above zero."""

    kind: FailureKind
    foretold_s: float
    took_s: float

    @property
    def ratio(self) -> float:
        """What it took over what was foretold."""
        return self.took_s / self.foretold_s


@dataclass(frozen=True, slots=True)
class JobMemory:
    """One job."""

    rates: RateHistory = RateHistory()
    evidence: tuple[Observation, ...] = ()  # from its service, oldest first
    looked_at_s: float | None = None  # when it was last evaluated
    disturbed_since_s: float | None = None  # by that, and not yet back to normal
    disturbances_s: tuple[float, ...] = ()  # how long reconfigurations disturbed it
    last_downtime_s: float | None = None  # as last told, so that each is counted once
    counted_at_s: float | None = None  # when that failure came
    downtimes_s: tuple[float, ...] = ()  # as memories told them before failures had kinds
    failures: tuple[Failure, ...] = ()  # since then, oldest first
    failed_at_s: float | None = None  # the last failure, as last told
    foreseen: Foreseen | None = None
    recovering: Recovering | None = None
    misses: tuple[Miss, ...] = ()  # oldest first

    @property
    def seen(self) -> tuple[Failure, ...]:
        """All failures that are remembered."""
        return (*(Failure(None, downtime_s) for downtime_s in self.downtimes_s), *self.failures)


@dataclass(frozen=True, slots=True)
class PhoebeMemory:
    """All jobs by name."""

    jobs: Mapping[str, JobMemory] = field(default_factory=dict)

    @property
    def misses(self) -> tuple[Miss, ...]:
        """Of all jobs: how far off a prediction is has more to do with the cluster than with the job."""
        return tuple(miss for _, known in sorted(self.jobs.items()) for miss in known.misses)

    def failures_beside(self, job: str) -> tuple[Failure, ...]:
        """Those of all jobs but this one."""
        others = (known for name, known in sorted(self.jobs.items()) if name != job)
        return tuple(failure for known in others for failure in known.failures)


def mean_or(values: tuple[float, ...], default: float) -> float:
    """The mean of what was seen, or what is assumed until something was."""
    return sum(values) / len(values) if values else default
