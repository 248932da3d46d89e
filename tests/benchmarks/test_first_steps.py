"""A policy's first step alone, against the same seed without it: whether it made a twin's world better or worse."""

from dataclasses import dataclass

import pytest
from first_steps import gained, text_of

from penstock.core.levers import Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View
from penstock.simulation.twins import twin_named


@dataclass(frozen=True, slots=True)
class Giving:
    """Gives all slots but three to one job in its first round, and to another ever after."""

    first: str
    name: str = "giving"

    def start(self) -> int:
        return 0

    def decide(self, view: View, memory: int) -> tuple[Plan, int]:
        job = self.first if memory == 0 else "models"
        move = Slots(job, view.job(job).figures.threads, 2 if job == "models" else 4)
        return Plan((Decision(Reason.RECONFIGURED, (move,), "", view.at_s, view.utility),)), memory + 1


@pytest.mark.parametrize(("favoured", "better"), [("payments", True), ("clicks", False)])
def test_a_step_is_judged_by_itself(monkeypatch: pytest.MonkeyPatch, favoured: str, better: bool) -> None:
    """Payments is worth 40 of 70 and late; clicks has what it asks for without it."""
    monkeypatch.setattr("first_steps.policy_named", lambda name: Giving(favoured))
    gain = gained(twin_named("constrained", 40), "giving", seed=1)
    assert gain is not None
    assert (gain > 0.05) if better else (gain < -0.005)


def test_where_nobody_lacks_anything_no_step_is_taken() -> None:
    assert gained(twin_named("feasible", 40), "penstock", seed=1) is None
    assert text_of([None, None]) == "none taken"


def test_the_worst_is_told_of_those_that_lowered_utility() -> None:
    assert text_of([0.1, -0.03, -0.01, -0.001, None]) == "2 of 4 [-0.030]"
