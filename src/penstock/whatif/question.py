"""The question and its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Wish
from penstock.core.run import DecisionRecord
from penstock.core.seen.view import View
from penstock.whatif.service import Service

ShareSeries = Sequence[tuple[float, float]]  # seconds after an instant, share of the maximum utility


@dataclass(frozen=True, slots=True)
class Past:
    """What really happened over the last `span_s`: arrivals by job, one value for each second, oldest first.

    `services` are what batches cost, learnt from what was seen before.
    """

    span_s: float
    arrivals_rps: Mapping[str, Sequence[float]]
    interval_s: float
    services: Mapping[str, Service] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SimulatorTrial:
    """How near the simulator came to what really happened, when it knew only what had been seen before.

    Shares are of the maximum utility, over `span_s` up to the present; `off` is their mean difference, instant by
    instant, and `jobs_off` that of each job's mean.
    """

    span_s: float
    future: "Future"
    real_share: float
    off: float
    jobs_off: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Turn:
    """A lever that is turned `at_s` after the present, ahead of whatever the policy decides then."""

    at_s: float
    wish: Wish


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be different. Rates are factors by job; None leaves things as they are.

    `max_slots` are limits of tenants in place of their own.
    """

    policy: str | None = None
    slots: int | None = None
    intents: Mapping[str, Intent] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()
    max_slots: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Future:
    """How it went in the simulator. Shares are of the maximum utility; `at_s` counts from the present."""

    policy: str
    at_s: tuple[float, ...]
    share: tuple[float, ...]
    views: tuple[View, ...]
    decisions: tuple[DecisionRecord, ...]
    whole: bool  # False when the time to answer was over before the span was

    @property
    def mean_share(self) -> float | None:
        """The mean share of the maximum utility."""
        return sum(self.share) / len(self.share) if self.share else None

    def job_share(self, name: str) -> float | None:
        """The mean share of one job's maximum utility."""
        seen = [job for view in self.views for job in view.jobs if job.name == name and job.utility is not None]
        return sum((job.utility or 0.0) / job.max_utility for job in seen) / len(seen) if seen else None

    def job_met(self, name: str) -> float | None:
        """The share of time that the job has all it asks for."""
        seen = [job.met for view in self.views for job in view.jobs if job.name == name and job.utility is not None]
        return sum(seen) / len(seen) if seen else None
