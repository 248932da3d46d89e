"""What the arbiter remembers between rounds: plain frozen values, so that any store can keep them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.known.prediction import PredictionError
from penstock.core.levers import Move
from penstock.planning.arbiter.coming import Coming
from penstock.planning.arbiter.costs import JobCosts
from penstock.planning.arbiter.rested import Rested
from penstock.planning.arbiter.settings import ArbiterSettings
from penstock.planning.starts import ExecutorStarts


@dataclass(frozen=True, slots=True)
class Expected:
    """Utilities that were foretold, by job, of levers as they stood from `at_s` on; compared at `due_s`."""

    at_s: float
    due_s: float
    utilities: Mapping[str, float]
    arrivals_rps: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Acted:
    """The last decision, until it has shown what it does."""

    at_s: float
    settled_s: float  # when
    moves: tuple[Move, ...]
    utility_before: float
    left_alone: float  # what was foretold of leaving all as it was
    foretold: float  # of all jobs, once settled
    arrivals_rps: Mapping[str, float]
    shares_alone: bool = False  # could be turned: batches of some were awaited yet
    begun_s: float | None = None  # when batches of all whose batches it changes began to run under it


@dataclass(frozen=True, slots=True)
class ArbiterMemory:
    """Everything that the next round needs to know of the rounds before."""

    costs: Mapping[str, JobCosts] = field(default_factory=dict)
    coming: Mapping[str, Coming] = field(default_factory=dict)
    since_s: float | None = None  # when these jobs were first seen together
    jobs: tuple[str, ...] = ()
    acted: Acted | None = None
    expected: Expected | None = None
    rested: Rested | None = None
    errors: Mapping[str, PredictionError] = field(default_factory=dict)
    shortfall: str = ""  # that was found last, at `shortfall_at_s`
    shortfall_at_s: float | None = None
    restarted_s: Mapping[str, float] = field(default_factory=dict)  # when the arbiter last had a job start again
    hurried: bool = False  # who is in a hurry was served first, before costs were known
    served: tuple[str, ...] = ()  # jobs that were served first, the last ones until `served_until_s`; each time
    served_until_s: float = 0.0
    wanted_s: float | None = None  # since when another step was found worth a turn, round after round
    further_until_s: float = 0.0  # what was turned for later is to pay by then: till then it looks as far ahead
    wary_until_s: float = 0.0  # after a decision that was taken back: more gain is asked for
    starts: ExecutorStarts = ExecutorStarts()
    wary_of: float = 0.0  # utility that was foretold of that decision and did not come

    def knows(self, job: str) -> bool:
        """Whether any batch of the job was learnt from."""
        return job in self.costs and self.costs[job].batches > 0

    def foretold(self, at_s: float) -> dict[str, float]:
        """What is about to arrive, of the jobs with a forecast that is to be trusted."""
        rates = {name: one.at(at_s) for name, one in self.coming.items()}
        return {name: rate for name, rate in rates.items() if rate is not None}

    def lost(self, settings: ArbiterSettings) -> frozenset[str]:
        """The jobs of which what was foretold has been wrong for long."""
        return frozenset(
            error.job
            for error in self.errors.values()
            if error.share > settings.lost_above and error.of >= settings.lost_after
        )
