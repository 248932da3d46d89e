"""What the loop was about to do is remembered before it is done."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from penstock.core.figures import Snapshot
from penstock.core.plan import Outcome, Plan, Step
from penstock.core.ports import Memory
from penstock.core.view import View
from penstock.loop import Governor
from penstock.store.memory import MemoryStore
from penstock.store.replay import snapshot_of
from tests.recorded import URGENT, Noted, a_decision, a_view


class PowerCutError(Exception):
    """Nothing of ours catches it."""


@dataclass(frozen=True, slots=True)
class DyingEngine:
    """Takes the controller with it when it acts."""

    def observe(self, now: float) -> Snapshot:
        return snapshot_of(a_view(now))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        raise PowerCutError


@dataclass(frozen=True, slots=True)
class Acting:
    """Acts in every round."""

    name: str = "acting"

    def start(self) -> Noted:
        return Noted()

    def decide(self, view: View, memory: Memory) -> tuple[Plan, Noted]:
        return Plan((a_decision(view.at_s),)), Noted(memory.rounds + 1)


def test_a_controller_that_dies_while_it_acts_finds_its_plan_and_its_memory() -> None:
    store = MemoryStore()
    governor = Governor(DyingEngine(), Acting(), store)
    with pytest.raises(PowerCutError):
        governor.run_cycle({"ads": URGENT, "fraud": URGENT}, governor.start(), 10.0)
    assert governor.start().memory == Noted(1)
    (record,) = store.read_run("run").decisions
    assert (record.decision, record.outcomes) == (a_decision(10.0), ())
