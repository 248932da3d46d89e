"""An engine, a policy, a store and a control in which something goes wrong at a given stage and round."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Answer, Orders, Proposal
from penstock.core.cycle import Cycle, PastCycle
from penstock.core.plan import Decision, Outcome, Plan, Step, StepOutcome
from penstock.core.ports import Clock, Policy, PolicyMemory
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.view import View, snapshot_of
from penstock.loop import Loop, LoopSettings, drive
from penstock.store.memory import MemoryStore
from tests.recorded import RUN, URGENT, Noted, a_decision, a_view


@dataclass(slots=True)
class Faults:
    """Which stages fail at which instants, and with what."""

    at: Mapping[str, Collection[float]] = field(default_factory=dict)
    error: BaseException = field(default_factory=lambda: ConnectionError("no answer"))
    now: float = 0.0
    struck: set[str] = field(default_factory=set)  # stages that came, whether they failed or not

    def strike(self, stage: str) -> None:
        self.struck.add(stage)
        if self.now in self.at.get(stage, ()):
            raise self.error


@dataclass(frozen=True, slots=True)
class FaultyEngine:
    """Nothing that it does changes what it shows."""

    faults: Faults
    done: list[tuple[float, str]] = field(default_factory=list)

    def observe(self, now: float) -> Snapshot:
        self.faults.strike("observe")
        return snapshot_of(a_view(now))

    def start_again(self, job: str) -> None:
        self.faults.strike("start_again")

    def apply(self, steps: Sequence[Step]) -> Outcome:
        self.faults.strike("apply")
        self.done.extend((self.faults.now, step.job) for step in steps)
        return Outcome(tuple(StepOutcome(step) for step in steps))


@dataclass(frozen=True, slots=True)
class FaultyPolicy:
    """Decides something for these jobs in every round, and counts the rounds."""

    faults: Faults
    name: str = "faulty"
    jobs: tuple[str, ...] = ("ads",)

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        self.faults.strike("decide")
        decisions = tuple(a_decision(view.at_s, job) for job in self.jobs)
        return Plan(decisions, note="another step"), Noted(memory.rounds + 1)


@dataclass(frozen=True, slots=True)
class FaultyStore:
    """Keeps in memory what it takes."""

    faults: Faults
    kept: MemoryStore = field(default_factory=lambda: MemoryStore(RUN))

    def append(self, cycle: Cycle) -> None:
        self.faults.strike("append")
        self.kept.append(cycle)

    def announce(self, cycle: Cycle) -> None:
        self.faults.strike("announce")
        self.kept.announce(cycle)

    def check_ours(self) -> None:
        self.faults.strike("check_ours")
        self.kept.check_ours()

    def last_memory(self, policy: str, memory_type: type[PolicyMemory]) -> PolicyMemory | None:
        self.faults.strike("last_memory")
        return self.kept.last_memory(policy, memory_type)

    def past_cycles(self, decided_from_s: float, before_s: float) -> Sequence[PastCycle]:
        self.faults.strike("past_cycles")
        return self.kept.past_cycles(decided_from_s, before_s)

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> Sequence[BudgetWindow]:
        self.faults.strike("windows")
        return self.kept.windows(job, asked, at_epoch_s)


@dataclass(slots=True)
class FaultyControl:
    """Says what it is told to say."""

    faults: Faults
    said: Orders = field(default_factory=Orders)
    proposed: list[Decision] = field(default_factory=list)
    settled: list[tuple[int, Answer]] = field(default_factory=list)

    def orders(self, now: float) -> Orders:
        self.faults.now = now
        self.faults.strike("orders")
        return self.said

    def propose(self, decision: Decision) -> None:
        self.faults.strike("propose")
        self.proposed.append(decision)

    def settle(self, proposal: Proposal, answer: Answer, now: float) -> None:
        self.faults.strike("settle")
        self.settled.append((proposal.number, answer))

    def turned(self, now: float) -> None:
        self.faults.strike("turned")

    def leave(self) -> None:
        self.faults.strike("leave")


@dataclass(slots=True)
class World:
    """All of them together, with the same faults."""

    faults: Faults
    settings: LoopSettings = LoopSettings()
    policy: Policy | None = None
    intents: Mapping[str, Intent] = field(default_factory=lambda: {"ads": URGENT, "fraud": URGENT})

    def __post_init__(self) -> None:
        self.engine = FaultyEngine(self.faults)
        self.store = FaultyStore(self.faults)
        self.control = FaultyControl(self.faults)

    engine: FaultyEngine = field(init=False)
    store: FaultyStore = field(init=False)
    control: FaultyControl = field(init=False)

    @property
    def loop(self) -> Loop:
        policy = self.policy or FaultyPolicy(self.faults)
        parts = (self.engine, policy, self.store, self.settings, self.control)
        return Loop(*parts, intents=lambda: self.intents)

    def governed(self, clock: Clock, after: Callable[[float], None]) -> None:
        """Until something ends it."""
        drive(self.loop, clock, inf, after)

    @property
    def cycles(self) -> tuple[Cycle, ...]:
        return self.store.kept.cycles(RUN.id)

    @property
    def errors(self) -> list[tuple[float, str | None]]:
        return [(cycle.at_s, cycle.error) for cycle in self.cycles]


@dataclass(slots=True)
class Ticking:
    """A clock at which it is at once as late as anybody waits for."""

    at_s: float = 0.0

    def now(self) -> float:
        return self.at_s

    def wait_until(self, at_s: float) -> bool:
        self.at_s = at_s
        return True
