"""What the loop was about to do is remembered before it is done, and what was foreseen counts from then on."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from penstock.core.figures import Snapshot
from penstock.core.intents import Intent, Recovery
from penstock.core.outlook import JobOutlook
from penstock.core.plan import Outcome, Plan, Step
from penstock.core.ports import PolicyMemory
from penstock.core.view import View, snapshot_of
from penstock.loop import Governor
from penstock.store.memory import MemoryStore
from tests.recorded import URGENT, Noted, a_decision, a_view


class PowerCut(BaseException):
    """Nothing of ours catches it."""


@dataclass(frozen=True, slots=True)
class DyingEngine:
    """Takes the controller with it when it acts."""

    def observe(self, now: float) -> Snapshot:
        return snapshot_of(a_view(now))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        raise PowerCut


@dataclass(frozen=True, slots=True)
class Acting:
    """Acts in every round."""

    name: str = "acting"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        return Plan((a_decision(view.at_s),)), Noted(memory.rounds + 1)


def test_a_controller_that_dies_while_it_acts_finds_its_plan_and_its_memory() -> None:
    store = MemoryStore()
    governor = Governor(DyingEngine(), Acting(), store)
    with pytest.raises(PowerCut):
        governor.run_cycle({"ads": URGENT, "fraud": URGENT}, governor.start(), 10.0)
    assert governor.start().memory == Noted(1)
    (record,) = store.read_run("run").decisions
    assert (record.decision, record.outcomes) == (a_decision(10.0), ())


@dataclass(frozen=True, slots=True)
class StillEngine:
    """Nothing changes."""

    def observe(self, now: float) -> Snapshot:
        return snapshot_of(a_view(now))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return Outcome()


@dataclass(frozen=True, slots=True)
class Foreseeing:
    """Works out once how long a job with four threads would take to recover: twice what was asked."""

    name: str = "foreseeing"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: PolicyMemory) -> tuple[Plan, Noted]:
        outlooks = (JobOutlook("ads", view.at_s, view.at_s + 15.0, None, ((4, 120.0),)),) if memory.rounds == 0 else ()
        return Plan(outlooks=outlooks), Noted(memory.rounds + 1)


def test_an_estimated_recovery_counts_in_utility_until_the_estimate_is_over() -> None:
    store = MemoryStore()
    governor = Governor(StillEngine(), Foreseeing(), store)
    carried, intents = governor.start(), {"ads": Intent(Recovery("60s", utility=40))}
    for now in (10.0, 20.0, 30.0):
        carried = governor.run_cycle(intents, carried, now)
    run = store.read_run("run")
    assert list(run.job("ads").utility) == [None, 20.0, None]
    assert list(run.job("ads").recovery_s) == [None, 120.0, None]
