"""At rest the search is not made anew each round: until something has changed that could make a turn worth it."""

from typing import Any

import pytest

from penstock.core.levers import Dial, Disturbs, Kind
from penstock.core.seen.figures import ALL_OPERATORS, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.memory import ArbiterMemory
from penstock.planning.arbiter.policy import Arbiter
from penstock.planning.arbiter.rested import AGAIN_AFTER_S
from penstock.store.codec import decode, encode
from tests.builders import rounds
from tests.planning.arbiter.fleets import fleet_view, job


def hopeless(utility: float = 3.0, **more: Any) -> JobView:
    """One whom nothing helps: a batch without a row would be older than what it asks for."""
    return job("hopeless", more.pop("rate_rps", 40.0), target="100ms", utility=utility, **more)


def content(utility: float = 10.0) -> JobView:
    return job("content", 40.0, utility=utility)


def seen(at_s: float, first: JobView | None = None, second: JobView | None = None) -> View:
    return fleet_view(first or hopeless(), second or content(), at_s=at_s)


def at_rest(*views: View) -> ArbiterMemory:
    memory: ArbiterMemory = rounds(Arbiter(), [seen(10.0), *views])[1]
    return memory


def searched_s(memory: ArbiterMemory) -> float | None:
    return None if memory.rested is None else memory.rested.at_s


def test_while_nothing_changes_it_is_searched_once_in_ten_seconds_and_the_same_is_said() -> None:
    plans, memory = rounds(Arbiter(), [seen(10.0 + 2.0 * number) for number in range(5)])
    assert searched_s(memory) == 10.0
    assert {plan.note for plan in plans} == {plans[0].note}
    assert plans[0].note.startswith("hopeless below target; no other shares or bounds would give")
    assert searched_s(at_rest(seen(10.0 + AGAIN_AFTER_S))) == 10.0 + AGAIN_AFTER_S


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(seen(12.0, second=content(utility=9.0)), id="another tenant misses its target"),
        pytest.param(seen(12.0, first=hopeless(utility=1.0)), id="utility falls"),
        pytest.param(seen(12.0, first=hopeless(rate_rps=60.0, up_to_s=14.0)), id="more arrives"),
        pytest.param(
            seen(12.0, first=hopeless(operators=(OperatorFigures(ALL_OPERATORS, 2, 0.5, is_source=True),))),
            id="somebody else turns a lever",
        ),
    ],
)
def test_what_changes_is_searched_for_at_once(changed: View) -> None:
    assert searched_s(at_rest(changed)) == 12.0


@pytest.mark.parametrize(
    ("kind", "before", "after"), [pytest.param("trigger", 1.0, 2.0), pytest.param("partitions", 8.0, 4.0)]
)
def test_a_lever_that_takes_a_restart_is_one_that_ends_the_rest(kind: Kind, before: float, after: float) -> None:
    """Whoever turned it: what shares and bounds would give is another matter then."""
    turned = [hopeless(levers=(Dial(kind, "hopeless", now, 1, disturbs=Disturbs.QUERY),)) for now in (before, after)]
    _, memory = rounds(Arbiter(), [seen(10.0, first=turned[0]), seen(12.0, first=turned[0])])
    assert searched_s(memory) == 10.0
    _, memory = rounds(Arbiter(), [seen(10.0, first=turned[0]), seen(12.0, first=turned[1])])
    assert searched_s(memory) == 12.0


def test_what_changes_for_the_better_needs_no_search() -> None:
    assert searched_s(at_rest(seen(12.0, first=hopeless(utility=5.0)))) == 10.0


def test_while_code_is_cold_it_is_searched_each_round() -> None:
    """What is learnt then changes from batch to batch."""
    young = fleet_view(hopeless(up_s=20.0), content())
    assert rounds(Arbiter(), [young])[1].rested is None


def test_what_it_remembers_survives_a_store() -> None:
    memory = at_rest()
    assert memory.rested is not None
    assert decode(encode(memory), ArbiterMemory) == memory
