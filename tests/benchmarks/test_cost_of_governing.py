"""What governing costs is told with its interval: pairs that differ a lot say little."""

import pytest
from cost_of_governing import ratio_of


def test_pairs_of_the_same_ratio_leave_no_doubt() -> None:
    ratio = ratio_of([(99.0, 100.0), (198.0, 200.0), (49.5, 50.0)])
    assert (ratio.low, ratio.middle, ratio.high) == pytest.approx((0.99, 0.99, 0.99))


def test_twice_as_fast_and_half_as_fast_are_as_fast_in_the_middle() -> None:
    ratio = ratio_of([(50.0, 100.0), (100.0, 50.0)] * 10)
    assert ratio.middle == pytest.approx(1.0)
    # 20 pairs of logarithms +-0.693: their mean's deviation is 0.155, twice that either way
    assert (ratio.low, ratio.high) == pytest.approx((0.74, 1.36), rel=0.05)


def test_more_pairs_narrow_the_interval() -> None:
    few, many = ratio_of([(95.0, 100.0), (105.0, 100.0)] * 4), ratio_of([(95.0, 100.0), (105.0, 100.0)] * 64)
    assert many.high - many.low < 0.3 * (few.high - few.low)
