"""What memory would come on top in a day is told by how a life's second half rises, whatever stands out of it."""

import pytest
from soak_driver import growth, per_day

MIB_AN_HOUR = 2.5


def life(minutes: int, warm_up_mib: float = 0.0) -> list[tuple[float, float]]:
    """A series of a point a minute that rises evenly, after a warm-up of half an hour that rises more."""
    return [
        (60.0 * minute, 1000.0 + warm_up_mib * min(minute, 30) / 30.0 + MIB_AN_HOUR * minute / 60.0)
        for minute in range(minutes + 1)
    ]


def test_what_a_jvm_takes_while_it_warms_up_is_no_growth_of_a_day() -> None:
    assert per_day(life(60, warm_up_mib=300.0)) == pytest.approx(24 * MIB_AN_HOUR)
    assert growth(life(60, warm_up_mib=300.0)) == pytest.approx(200.0, abs=10.0)  # from minute 10 on


def test_a_few_points_that_stand_out_change_nothing() -> None:
    spoilt = [(at_s, mib + (500.0 if number % 10 == 0 else 0.0)) for number, (at_s, mib) in enumerate(life(120))]
    assert per_day(spoilt) == pytest.approx(24 * MIB_AN_HOUR, rel=0.2)


def test_a_short_life_tells_nothing() -> None:
    assert per_day(life(19)) is None
    assert per_day([]) is None
