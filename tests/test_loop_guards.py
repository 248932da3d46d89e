"""One chain of guards for every policy, a user's own too: limits, levers that are there, approval."""

from dataclasses import dataclass

from penstock.core.cycle import Cycle
from penstock.core.intents import Intent, Latency
from penstock.core.levers import BatchBound, Move, Partitions, Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.view import View
from penstock.engines.sim.microbatch import MicroBatchEngine
from penstock.loop import Governor, LoopSettings
from penstock.planning.baselines.hands_off import NoMemory
from penstock.store.memory import MemoryStore
from tests.engines.sim.microbatch.builders import a_job, an_engine


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
    governor = Governor(
        engine, TheirOwn(moves), store, LoopSettings(approval=approval), intents=lambda: {"job": Intent(Latency("1s"))}
    )
    governor.run_cycle(governor.start(), 10.0)
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
