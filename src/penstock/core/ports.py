"""Ports: what the loop needs of an engine, a policy, a store and a clock, and a policy of a forecaster."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.cycle import Cycle, PastCycle
from penstock.core.known.forecast import Forecast, Series
from penstock.core.plan import Outcome, Plan, Step
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import View
from penstock.errors import EngineError

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    M = TypeVar("M", default=Any)
else:
    from typing import TypeVar

    M = TypeVar("M")  # a policy's own memory; `Policy` alone is one of whatever memory

# A policy's memory: a frozen dataclass of plain values, so that any store can keep it. Only its own policy
# looks inside, hence Any at the ports.
PolicyMemory = Any


class Engine(Protocol):
    """The world: a simulated cluster or a real Spark application."""

    def observe(self, now: float) -> Snapshot:
        """All jobs, machines and levers as they are known at `now`, in seconds since the run began."""

    def apply(self, steps: Sequence[Step]) -> Outcome:
        """Carry the steps out in order. Applying a step twice leaves the world as after the first time.

        A step is carried out as a whole, or the moves that were made are undone; the outcome says which, and why.
        """


class World(Engine, Protocol):
    """An engine with a lifetime: what a package that brings an engine gives.

    `open` and `start` are called once; an error in them ends the run. Then each round calls `observe` and `apply`, and
    `tend` is called between rounds; an error in these is recorded, and the loop goes on. `close` is called last.
    """

    def open(self) -> None:
        """Become its controller, and see what is there; an EngineError if another controller governs it."""

    def start(self) -> None:
        """Begin to start the jobs that are its own; none is waited for."""

    def tend(self) -> None:
        """Between rounds: start again what died, go on with what takes long."""

    def close(self, stop_jobs: bool = False) -> None:
        """Let go of it; its jobs run on unless told otherwise."""


@runtime_checkable
class StartsAgain(Protocol):
    """An engine, or a world, that starts a job by hand, too, and not only when it is due."""

    def start_again(self, job: str) -> None:
        """Have the job started at once; an EngineError where it runs, or is nobody's to start."""


def start_by_hand(engine: object, job: str) -> None:
    """Have an engine, or a world, start that job at once; an EngineError where it starts its jobs by itself alone."""
    if not isinstance(engine, StartsAgain):
        raise EngineError(f"{job}: this engine starts its jobs by itself alone")
    engine.start_again(job)


class Policy(Protocol[M]):
    """A pure function of what is seen and its own memory, which is an `M`."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    def start(self) -> M:
        """The memory of a policy that has seen nothing yet."""

    def decide(self, view: View, memory: M) -> tuple[Plan, M]:
        """What to do now, and what to remember."""


class Forecaster(Protocol):
    """A pure function from the past of a rate to what is expected of it."""

    @property
    def name(self) -> str:
        """What it is called in results."""

    def forecast(self, history: Series, steps: int) -> Forecast:
        """So many steps ahead; ConfigError when the history is too short for it."""


class Store(Protocol):
    """Remembers cycles; the last one's memory is where a restarted controller goes on."""

    def append(self, cycle: Cycle) -> None:
        """Keep a cycle; it completes the one that was announced for the same instant."""

    def announce(self, cycle: Cycle) -> None:
        """Keep a cycle before it is acted on: a controller that dies while it acts finds here what it meant to do."""

    def check_ours(self) -> None:
        """A TakenOverError once another driver has the run: asked right before something is done."""

    def last_memory(self, policy: str, memory_type: type[PolicyMemory]) -> PolicyMemory | None:
        """The newest stored memory of that policy, or None."""

    def past_cycles(self, decided_from_s: float, before_s: float) -> Sequence[PastCycle]:
        """This run's cycles, oldest first, from `before_s` before the first decision since then; none without any."""

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> Sequence[BudgetWindow]:
        """The windows of the period up to then, of that job in this run and those before it of the same name."""


class Clock(Protocol):
    """Time as the loop sees it, simulated or real, in seconds since the run began."""

    def now(self) -> float:
        """Seconds since the start."""

    def wait_until(self, at_s: float) -> bool:
        """Let time pass until `at_s`; False when the run was told to stop."""
