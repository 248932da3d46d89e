"""The loop over the simulator: seen, decided, done, and better for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.asked.intents import Intent, Latency
from penstock.core.cycle import Cycle, PastCycle
from penstock.core.levers import Memory, Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.ports import Engine
from penstock.core.seen.view import View
from penstock.loop import Loop
from penstock.planning.registry import policy_named
from tests.engines.sim.microbatch.builders import a_job, an_engine, waiting_stage

INTENTS = {"urgent": Intent(Latency("3s", utility=35))}


@dataclass(frozen=True)
class SixForTheUrgent:
    """Gives the urgent job six threads from 60 s on, once."""

    name: str = "six"

    def start(self) -> None:
        return None

    def decide(self, view: View, memory: None) -> tuple[Plan, None]:
        if view.at_s < 60.0 or view.job("urgent").figures.threads == 6:
            return Plan(), memory
        change = Slots("urgent", 1, 6)
        return Plan((Decision(Reason.RECONFIGURED, (change,), "it is late", view.at_s, view.utility),)), memory


@dataclass
class Cycles:
    """A store that keeps all cycles."""

    kept: list[Cycle] = field(default_factory=list)

    def announce(self, cycle: Cycle) -> None:
        """Nothing is kept of a cycle before it is acted on."""

    def check_ours(self) -> None:
        """It is."""

    def append(self, cycle: Cycle) -> None:
        self.kept.append(cycle)

    def last_memory(self, policy: str, memory_type: type[Any]) -> None:
        return None

    def past_cycles(self, decided_from_s: float, before_s: float) -> Sequence[PastCycle]:
        return ()

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> Sequence[BudgetWindow]:
        return ()


def three_that_want_eleven_of_eight_slots() -> Engine:
    common: dict[str, Any] = {"rate": 370.0, "stages": (waiting_stage(16, 0.01),), "max_rows_per_batch": 400}
    return an_engine(*(a_job(name, **common) for name in ("urgent", "x", "y")), slots=8, cores=8, noise=0.1)


def utilities(cycles: Sequence[Cycle]) -> list[float]:
    return [cycle.view.utility for cycle in cycles]


def test_a_share_given_by_the_loop_brings_the_urgent_job_back() -> None:
    store = Cycles()
    loop = Loop(three_that_want_eleven_of_eight_slots(), SixForTheUrgent(), store, intents=lambda: INTENTS)
    carried = loop.start()
    for now in range(10, 301, 10):
        carried = loop.run_cycle(carried, float(now))
    before, after = utilities(store.kept[3:6]), utilities(store.kept[-3:])
    assert max(before) < 20.0  # and falling: its backlog grows
    assert min(after) == 35.0
    assert [len(cycle.outcome.steps) for cycle in store.kept].count(1) == 1


def test_the_penstock_policy_gives_executors_that_are_short_of_memory_more_of_it_and_the_job_is_on_time_again() -> None:
    # 3 slots of CPU work; 1,300 of 1,024 MiB: garbage collection takes 74 % of the time.
    engine = an_engine(a_job("urgent", rate=120.0, memory_mib=1300.0, threads=4), executor_start_s=4.0)
    store = Cycles()
    loop = Loop(engine, policy_named("penstock", {"memory": "act"}), store, intents=lambda: INTENTS)
    carried = loop.start()
    for now in range(10, 901, 10):
        carried = loop.run_cycle(carried, float(now))
    moves = [move for cycle in store.kept for step in cycle.outcome.steps for move in step.step.moves]
    assert [move for move in moves if isinstance(move, Memory)] == [Memory(1024, 2048)]
    assert utilities(store.kept)[10] < 20.0
    assert utilities(store.kept)[-1] == 35.0
