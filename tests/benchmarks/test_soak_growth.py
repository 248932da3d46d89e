"""What memory a day would add is told by what leaks and by what fills up, whatever stands out of it."""

import math

import pytest
from soak_growth import Day, day_after, growth

MIB_AN_HOUR = 2.5


def leaking(minutes: int, warm_up_mib: float = 0.0) -> list[tuple[float, float]]:
    """A series of a point a minute that rises evenly, after a warm-up of half an hour that rises more."""
    return [
        (60.0 * minute, 1000.0 + warm_up_mib * min(minute, 30) / 30.0 + MIB_AN_HOUR * minute / 60.0)
        for minute in range(minutes + 1)
    ]


def filling(minutes: int) -> list[tuple[float, float]]:
    """A series that rises by ten MiB whenever the life has become twice as long."""
    return [(60.0 * minute, 1000.0 + 10.0 * math.log2(minute)) for minute in range(1, minutes + 1)]


def day(series: list[tuple[float, float]]) -> Day:
    found = day_after(series)
    assert found is not None
    return found


def test_what_a_jvm_takes_while_it_warms_up_is_no_growth_of_a_day() -> None:
    assert day(leaking(60, warm_up_mib=300.0)).if_all_leaks == pytest.approx(24 * MIB_AN_HOUR)
    assert growth(leaking(60, warm_up_mib=300.0)) == pytest.approx(200.0, abs=10.0)  # from minute 10 on


def test_what_is_there_for_a_moment_changes_nothing() -> None:
    every_5_s = [(at_s + second, mib) for at_s, mib in leaking(120) for second in range(0, 60, 5)]
    spoilt = [(at_s, mib + (500.0 if number % 10 == 0 else 0.0)) for number, (at_s, mib) in enumerate(every_5_s)]
    assert day(spoilt).if_all_leaks == pytest.approx(24 * MIB_AN_HOUR)


def test_a_leak_is_foretold_as_a_leak() -> None:
    found = day(leaking(120))
    assert found.leak_was_off == pytest.approx(0.0, abs=1e-6)
    assert found.filling_was_off > 0.5
    assert found.foretold == found.if_all_leaks


def test_what_fills_up_is_foretold_as_that() -> None:
    found = day(filling(120))
    assert found.if_all_fills == pytest.approx(10.0 * math.log2(26 / 2))
    assert found.filling_was_off == pytest.approx(0.0, abs=1e-6)
    assert found.leak_was_off > 5.0
    assert found.foretold == found.if_all_fills


def test_of_both_together_a_day_adds_what_lies_between() -> None:
    leaks = 0.1 * 24 * 60
    both = [(at_s, mib + 0.1 * at_s / 60.0) for at_s, mib in filling(120)]
    found = day(both)
    assert found.if_all_fills < leaks + 10.0 * math.log2(26 / 2) < found.if_all_leaks


def test_a_short_life_tells_nothing() -> None:
    assert day_after(leaking(19)) is None
    assert day_after([]) is None
