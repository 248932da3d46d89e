"""Jobs on slots that they share: what the other parts of the default policy have to say to the arbiter."""

from collections.abc import Sequence
from dataclasses import replace

from penstock.core.asked.intents import Intent, Juice
from penstock.core.known.prediction import PredictionError
from penstock.core.levers import Slots
from penstock.core.plan import Plan
from penstock.core.seen.view import JobView, View
from penstock.planning.combined import Combined, CombinedMemory
from tests.planning.arbiter.fleets import fleet_view, job

WRONG = {"urgent": PredictionError("urgent", share=0.9, of=9)}


def crowd(at_s: float) -> View:
    """Three that want most of their rows and one in a hurry: more than four slots can do."""
    juicy = [_juicy(name, at_s) for name in ("a", "b", "c")]
    return fleet_view(*juicy, _urgent(at_s), at_s=at_s)


def given_up_for(at_s: float) -> View:
    """One that wants little has most of the slots that an urgent one lacks."""
    return fleet_view(job("calm", 20.0, worth=1.0, weight=3, up_to_s=at_s), *crowd(at_s).jobs, at_s=at_s)


def _juicy(name: str, at_s: float) -> JobView:
    return job(name, 300.0, intent=Intent(Juice(0.9, utility=10.0)), utility=9.0, up_to_s=at_s, beside=3.0)


def _urgent(at_s: float) -> JobView:
    return job("urgent", 150.0, "2s", 40.0, utility=20.0, up_to_s=at_s, beside=3.0)


def doubted() -> CombinedMemory:
    """What is foretold of the urgent one was wrong for long."""
    start = Combined().start()
    return replace(start, arbiter=replace(start.arbiter, errors=WRONG))


def first_plan(view: View, memory: CombinedMemory) -> Plan:
    plan, _ = Combined().decide(view, memory)
    return plan


def turned(plans: Sequence[Plan], foretold: bool) -> set[str]:
    """The jobs of which levers are turned, on what is foretold of all or not."""
    decisions = [one for plan in plans for one in plan.decisions if bool(one.foretold) is foretold]
    return {move.job for one in decisions for move in one.moves}


def weight_of_calm(minimum: int) -> int:
    plan = first_plan(given_up_for(10.0), replace(Combined().start(), minima={"calm": minimum}))
    moves = [move for one in plan.decisions for move in one.moves]
    return next((move.after for move in moves if isinstance(move, Slots) and move.job == "calm"), 3)


def test_a_job_whose_predictions_stay_wrong_is_none_of_the_arbiters() -> None:
    assert "urgent" in turned([first_plan(crowd(10.0), Combined().start())], foretold=True)
    assert "urgent" not in turned([first_plan(crowd(10.0), doubted())], foretold=True)


def test_henge_searches_for_whom_nothing_can_be_foretold() -> None:
    memory, plans = doubted(), []
    for at_s in range(10, 300, 10):
        plan, memory = Combined().decide(crowd(float(at_s)), memory)
        plans.append(plan)
    assert turned(plans, foretold=False) == {"urgent"}


def test_what_phoebe_asks_for_is_the_least_that_a_job_is_left() -> None:
    assert weight_of_calm(minimum=1) < 3
    assert weight_of_calm(minimum=3) == 3
