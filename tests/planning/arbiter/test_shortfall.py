"""That nothing meets all intents is said in a sentence, with what would."""

import re
from dataclasses import replace

import numpy as np

from penstock.core.asked.price import Price
from penstock.core.seen.figures import MachineFigures
from penstock.core.seen.view import View
from penstock.planning.arbiter.policy import Arbiter
from penstock.planning.arbiter.search import search
from penstock.planning.arbiter.shortfall import shortfall
from tests.builders import rounds
from tests.planning.arbiter.fleets import fleet, fleet_view, job


def told(
    rate_rps: float,
    slots: int = 4,
    executors: int | None = None,
    target: str = "2s",
    cores: int | None = None,
    price: Price | None = None,
) -> str:
    """Of three who want their rows within so many seconds; as many cores as slots, unless told."""
    jobs = [job(name, rate_rps, target=target, worth=10.0 + place) for place, name in enumerate(("a", "b", "c"))]
    one = fleet(*jobs, slots=slots, cores=cores or slots)
    machine = MachineFigures("m", slots, 1.0, executors=executors, slots=slots)
    view = replace(fleet_view(*jobs, slots=slots, cores=slots), machines=(machine,), slot_price=price)
    return shortfall(view, one, search(one), 40.0)


def test_where_all_can_be_met_nothing_is_said() -> None:
    assert told(20.0) == ""


def test_who_stays_below_is_named_the_most_valuable_first_with_the_slots_that_would_do() -> None:
    text = told(150.0)  # 4.5 slots' worth of rows on four
    assert text.startswith("no shares meet all intents: ")
    assert "mean latency <= 2s" in text
    assert "need up to" in text
    assert "slots instead of 4" in text
    assert text.endswith("% of all utility")


def test_what_could_be_met_with_the_present_slots_is_said_unless_a_backlog_grows() -> None:
    assert re.search(r"with the present slots c could meet [\d.]+(ms|s) and b could meet", told(50.0, target="500ms"))
    assert "could" not in told(2_000.0)


def test_who_could_meet_no_more_for_rows_that_come_old_is_told_so() -> None:
    one = fleet(job("c", 50.0, target="2s"))
    view = fleet_view(*one.jobs)
    late, hardly = (replace(one, older_s=np.array([older_s])) for older_s in (6.25, 0.5))
    text = shortfall(view, late, search(late), 40.0)
    assert re.search(r"c could meet [\d.]+s \(its rows come 6.2s old\)", text)
    assert "come" not in shortfall(view, hardly, search(hardly), 40.0)


def test_slots_are_told_in_executors_where_each_has_so_many() -> None:
    assert "slots instead of 4, on more cores (one more executor); " in told(150.0, executors=1)


def test_what_is_to_be_bought_is_told_with_its_price_where_slots_have_one() -> None:
    price = Price(0.05, "EUR")  # an executor has four slots: 0.20 an hour, though fewer slots would do
    assert "(one more executor, 0.20 EUR an hour); " in told(150.0, executors=1, price=price)
    assert "need up to 6 slots instead of 4, on more cores (0.10 EUR an hour); " in told(150.0, price=price)
    assert "an hour" not in told(150.0, executors=1)


def test_where_the_cores_bind_slots_are_said_to_need_cores_of_their_own() -> None:
    assert " slots instead of 4, on more cores; " in told(150.0)
    assert "cores" not in told(150.0, cores=40)


def test_what_no_number_of_slots_would_meet_is_said_so() -> None:
    assert "would miss them even with 12 slots instead of 4" in told(2_000.0)


def test_every_plan_says_so_until_it_is_looked_at_anew() -> None:
    jobs = [job(name, 150.0, target="2s", beside=2.5) for name in ("a", "b", "c")]
    views: list[View] = [fleet_view(*jobs, at_s=10.0 + 10.0 * n) for n in range(3)]
    plans, _ = rounds(Arbiter(), views)
    assert all(plan.shortfall.startswith("no shares meet all intents: ") for plan in plans)
    assert len({plan.shortfall for plan in plans}) == 1
