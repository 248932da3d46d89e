"""The cheapest change by which a tenant would have what it asks for is found by trying, from the cheapest on."""

from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.asked.orders import Wish
from penstock.core.levers import Dial
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import MachineFigures, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.whatif.question import Changes, Past
from penstock.whatif.remedies import Remedies, Remedy, Tried, candidates, remedies
from tests.builders import job, view
from tests.web.living import SHOP
from tests.whatif.line import LINE, NO_LIMIT_S, present

PAST = Past(span_s=120.0, arrivals_rps={}, interval_s=5.0)


def tenant(name: str = "ads", **figures: object) -> JobView:
    """It asks for 2 s, and misses them."""
    plain = job(name, 3.0, operators=[OperatorFigures("*", 2, capacity=1.0)])
    asks = Intent(Latency("2s", utility=10.0))
    return replace(plain, intent=asks, figures=replace(plain.figures, **figures))  # type: ignore[arg-type]


def told(found: JobView, *others: JobView, slots: int = 8, machines: tuple[MachineFigures, ...] = ()) -> list[Remedy]:
    seen: View = view(0.0, [found, *others], max_threads=slots)
    return list(candidates(found, replace(seen, machines=machines or seen.machines)))


def test_slots_come_last_and_are_told_in_executors() -> None:
    machines = (MachineFigures("m1", 4, 1.0, executors=2, slots=8),)
    found = told(tenant(), machines=machines)
    assert [(one.changes.slots, one.price) for one in found] == [
        (10, "2 more slots: 1 more executor"),
        (12, "4 more slots: 1 more executor"),
        (16, "8 more slots: 2 more executors"),
        (24, "16 more slots: 4 more executors"),
    ]


def test_a_trigger_longer_than_the_target_is_shortened_first() -> None:
    first, second, *rest = told(tenant(levers=(Dial("trigger", "ads", 10.0, 0.0),)))
    assert [first.wish, second.wish] == [Wish("trigger", "ads", 1.0), Wish("trigger", "ads", 0.5)]
    assert all(one.kind == "slots" for one in rest)


def test_batches_of_a_neighbour_that_last_longer_than_one_may_wait_are_made_smaller() -> None:
    # 600 rows take 12 s, so that 100 take the 2 s that ads may wait.
    slow = tenant(
        "geo",
        phases_s={"triggerExecution": 12.0},
        batches=(BatchFigures(1, 5.0, 12.0, 600.0),),
        levers=(Dial("bound", "geo", None, 1),),
    )
    first = told(tenant(), slow)[0]
    assert (first.wish, first.what) == (Wish("bound", "geo", 100), "batches of geo take up to 100 rows")


def test_its_own_limit_is_raised_as_far_as_there_are_slots() -> None:
    found = [one.changes.max_slots for one in told(tenant(max_threads=2), slots=5) if one.kind == "limit"]
    assert found == [{"ads": 3}, {"ads": 4}]


def test_twice_the_slots_help_who_waits_for_slots_and_nothing_cheaper_does() -> None:
    found = remedies(present(SHOP | {"duration": "10m"}, 120.0), PAST, "henge", "fraud", NO_LIMIT_S)
    assert found.met is not None
    assert found.met < 0.5
    best = found.cheapest
    assert best is not None
    assert (best.remedy.kind, best.enough) == ("slots", True)
    assert [tried.enough and not tried.dear for tried in found.tried] == [False] * (len(found.tried) - 1) + [True]
    (kept_s,) = found.keeps or (0.0,)
    assert kept_s > 2.0


def test_who_has_what_it_asks_for_needs_nothing() -> None:
    raw = LINE | {"jobs": [LINE["jobs"][0] | {"threads": {"work": 3}}]}  # type: ignore[index]
    found = remedies(present(raw, 60.0), PAST, "static", "ads", NO_LIMIT_S)
    assert (found.by_itself, found.tried, found.keeps) == (True, (), None)


def test_what_others_pay_for_is_not_the_cheapest() -> None:
    dear, fair = (Tried(Remedy("slots", what, "", Changes()), 1.0, 0.5, what == "dear") for what in ("dear", "fair"))
    best = Remedies("ads", 120.0, 0.2, 0.5, (dear, fair)).cheapest
    assert best is not None
    assert best.remedy.what == "fair"


def test_when_the_time_is_over_that_is_said() -> None:
    found = remedies(present(LINE, 60.0), PAST, "static", "ads", within_s=0.0)
    assert (found.whole, found.tried, found.met) == (False, (), None)


@pytest.mark.parametrize(("limit", "kinds"), [(None, {"slots"}), (9, {"slots"})])
def test_a_limit_that_does_not_bind_is_left(limit: int | None, kinds: set[str]) -> None:
    assert {one.kind for one in told(tenant(max_threads=limit))} == kinds
