"""What a fleet could do without, from what its applications foretell of fewer executors."""

from penstock.core.asked.price import Price
from penstock.planning.executors.spare import Spare
from tests.builders import view
from tests.planning.executors.many import HARD, round_of


def test_what_is_not_needed_is_told_by_the_month_with_the_slos_that_it_keeps() -> None:
    seen = Spare().after(round_of(0.0)).after(round_of(3600.0))
    assert (seen.on_average, seen.for_good) == (6.0, 6)  # three executors of clicks
    assert seen.text(Price(0.05, "EUR")) == (
        "of 18 cores held on average over 60 min 6.0 were not needed (219.00 EUR a month), 6 of them never (219.00 EUR "
        "a month). SLOs still met: 1 of 2; missed today: fraud; not known yet, so unchanged: new"
    )
    assert "(" not in seen.text(None)


def test_what_is_needed_at_some_time_of_the_day_is_not_spare_for_good() -> None:
    night, noon = round_of(0.0), round_of(60.0, worth=((1, 0.0), (4, 10.0), (8, 10.0)))
    seen = Spare().after(night).after(noon)
    assert (seen.on_average, seen.for_good) == (4.0, 2)


def test_an_application_that_does_not_do_its_best_and_one_nobody_knows_spare_nothing() -> None:
    seen = Spare().after(round_of(0.0, worth=HARD))
    assert (seen.on_average, seen.for_good) == (0.0, 0)
    assert "none could be spared" in seen.text(Price(1.0))


def test_before_anything_was_seen_nothing_is_claimed() -> None:
    assert Spare().after(view(0.0, [])).text(None) == "no application has reported yet"
