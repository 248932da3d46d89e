"""What more slots would cost, said with the remedy where the tenants file gives a price."""

from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.asked.nines import with_next_nine
from penstock.core.asked.price import Price
from penstock.web.remedying import nine_of, nothing, told
from penstock.whatif.question import Changes
from penstock.whatif.remedies import Remedies, Remedy, Tried, priced

TRIED = (
    Tried(Remedy("limit", "a max_slots of 4", "slots that are there", Changes(max_slots={"ads": 4})), 0.4, 0.5),
    Tried(Remedy("slots", "12 slots instead of 8", "4 more slots", Changes(slots=12)), 0.97, 0.8),
)
FOUND = Remedies("ads", 120.0, 0.2, 0.6, TRIED)


def test_slots_that_would_be_bought_have_their_price_an_hour_and_others_none() -> None:
    limit, more = priced(FOUND, 8, Price(0.05, "EUR")).tried
    assert (limit.remedy.price, more.remedy.price) == ("slots that are there", "4 more slots, 0.20 EUR an hour")
    assert "12 slots instead of 8 (4 more slots, 0.20 EUR an hour)" in told(priced(FOUND, 8, Price(0.05, "EUR")))


def test_what_a_change_costs_is_told_of_the_target_at_its_next_nine() -> None:
    found = replace(nothing("ads", 40.0, "12 slots instead of 8 would do."), whole=True)
    raised = with_next_nine(Intent(Latency("2s", percentile=95)))
    assert raised is not None
    assert nine_of(found, raised).text == "The next nine, p99 latency <= 2s: 12 slots instead of 8 would do."


@pytest.mark.parametrize(
    ("asked", "raised"),
    [
        (Intent(Latency("2s", percentile=50), Juice(0.9)), "p90 latency <= 2s, juice >= 0.9"),
        (Intent(Latency("2s", percentile=95), recovery="60s"), "p99 latency <= 2s, recovery <= 1m"),
        (Intent(Latency("2s", percentile=99)), None),  # no simulator of ours knows more
        (Intent(Latency("2s")), None),  # a mean
        (Intent(Juice(0.9)), None),
    ],
)
def test_only_percentiles_of_latency_have_a_next_nine_and_all_else_is_kept(asked: Intent, raised: str | None) -> None:
    found = with_next_nine(asked)
    assert (None if found is None else found.text()) == raised


def test_without_a_price_remedies_are_told_as_they_are() -> None:
    assert priced(FOUND, 8, None) is FOUND
    assert priced(FOUND, None, Price(0.05)) is FOUND
