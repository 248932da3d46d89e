"""One chain of guards for every policy, a user's own too: limits, levers that are there, approval."""

from dataclasses import dataclass

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.cycle import Cycle
from penstock.core.levers import BatchBound, Move, Partitions, Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View
from penstock.engines.sim.microbatch import MicroBatchEngine
from penstock.loop import Loop, LoopSettings, drive
from penstock.planning.baselines.hands_off import NoMemory
from penstock.store.memory import MemoryStore
from tests.engines.sim.microbatch.builders import a_job, an_engine
from tests.faulty import Ticking


@dataclass(frozen=True, slots=True)
class TheirOwn:
    """A policy of somebody's, who has not read about limits."""

    moves: tuple[Move, ...]
    name: str = "their-own"

    def start(self) -> NoMemory:
        return NoMemory()

    def decide(self, view: View, memory: NoMemory) -> tuple[Plan, NoMemory]:
        return Plan((Decision(Reason.RESCALED, self.moves, "because", view.at_s, view.utility),)), memory


def cycle_of(*moves: Move, approval: frozenset[str] = frozenset()) -> tuple[Cycle, MicroBatchEngine]:
    """One round of a policy of theirs over a simulated application; what was recorded, and the application."""
    engine, store = an_engine(a_job(max_threads=3)), MemoryStore()
    loop = Loop(
        engine, TheirOwn(moves), store, LoopSettings(approval=approval), intents=lambda: {"job": Intent(Latency("1s"))}
    )
    loop.run_cycle(loop.start(), 10.0)
    (cycle,) = store.cycles("run")
    return cycle, engine


def test_a_policy_of_their_own_is_held_to_the_limits() -> None:
    cycle, engine = cycle_of(Slots("job", 1, 9))
    assert [decision.moves for decision in cycle.plan.decisions] == [(Slots("job", 1, 3),)]
    assert cycle.outcome.failed == ()
    assert engine.threads_total() == 3


def test_levers_that_are_not_there_are_left_out_and_said() -> None:
    cycle, _ = cycle_of(Partitions("job", 1, 2), BatchBound("job", None, 50))
    assert [decision.moves for decision in cycle.plan.decisions] == [(BatchBound("job", None, 50),)]
    assert cycle.plan.note == "job has no partitions to turn"


def test_a_policy_of_their_own_asks_the_tenants_that_want_to_be_asked() -> None:
    cycle, engine = cycle_of(Slots("job", 1, 2), approval=frozenset({"job"}))
    assert (cycle.plan.decisions, engine.threads_total()) == ((), 1)
    assert cycle.plan.note == "job must approve first"


@dataclass(frozen=True, slots=True)
class Impatient:
    """A policy that wants to be asked again soon until it has seen enough."""

    again_s: float
    name: str = "impatient"

    def start(self) -> NoMemory:
        return NoMemory()

    def decide(self, view: View, memory: NoMemory) -> tuple[Plan, NoMemory]:
        return Plan(note="learning", again_s=self.again_s if view.at_s < 13.0 else None), memory


@pytest.mark.parametrize(
    ("again_s", "rounds_at_s"),
    [(2.0, [10.0, 12.0, 14.0, 24.0]), (0.0, [10.0, 11.0, 12.0, 13.0, 23.0]), (60.0, [10.0, 20.0])],
)
def test_a_policy_is_asked_again_as_soon_as_it_wants_and_no_later_than_by_the_interval(
    again_s: float, rounds_at_s: list[float]
) -> None:
    engine, store = an_engine(a_job()), MemoryStore()
    settings, intents = LoopSettings(interval_s=10.0), {"job": Intent(Latency("1s"))}
    drive(Loop(engine, Impatient(again_s), store, settings, intents=lambda: intents), Ticking(), 24.0)
    assert [cycle.at_s for cycle in store.cycles("run")] == rounds_at_s


class Hurrying(Ticking):
    """Somebody is in a hurry at 14 s."""

    def wait_until(self, at_s: float) -> bool:
        return super().wait_until(14.0 if self.at_s < 14.0 < at_s else at_s)


def test_after_a_round_that_came_sooner_the_next_one_is_an_interval_away() -> None:
    store, intents = MemoryStore(), {"job": Intent(Latency("1s"))}
    loop = Loop(an_engine(a_job()), Impatient(10.0), store, LoopSettings(10.0), intents=lambda: intents)
    drive(loop, Hurrying(), 40.0)
    assert [cycle.at_s for cycle in store.cycles("run")] == [10.0, 14.0, 24.0, 34.0]
