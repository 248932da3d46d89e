"""What more slots would cost, said with the remedy where the tenants file gives a price."""

from penstock.core.price import Price
from penstock.web.remedying import priced, told
from penstock.whatif.question import Changes
from penstock.whatif.remedies import Remedies, Remedy, Tried

TRIED = (
    Tried(Remedy("limit", "a max_slots of 4", "slots that are there", Changes(max_slots={"ads": 4})), 0.4, 0.5),
    Tried(Remedy("slots", "12 slots instead of 8", "4 more slots", Changes(slots=12)), 0.97, 0.8),
)
FOUND = Remedies("ads", 120.0, 0.2, 0.6, TRIED)


def test_slots_that_would_be_bought_have_their_price_an_hour_and_others_none() -> None:
    limit, more = priced(FOUND, 8, Price(0.05, "EUR")).tried
    assert (limit.remedy.price, more.remedy.price) == ("slots that are there", "4 more slots, 0.20 EUR an hour")
    assert "12 slots instead of 8 (4 more slots, 0.20 EUR an hour)" in told(priced(FOUND, 8, Price(0.05, "EUR")))


def test_without_a_price_remedies_are_told_as_they_are() -> None:
    assert priced(FOUND, 8, None) is FOUND
    assert priced(FOUND, None, Price(0.05)) is FOUND
