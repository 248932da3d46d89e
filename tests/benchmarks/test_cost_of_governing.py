"""What governing costs is told with its interval: pairs that differ a lot say little."""

import pytest
from cost_of_governing import Stretch, ratio_of, told


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


def test_throughput_is_told_apart_from_what_a_core_does() -> None:
    # half as many batches on half the cores: as many for each second of a core
    governed, alone = Stretch(5.0, {"spark": 0.5, "penstock": 0.0}), Stretch(10.0, {"spark": 1.0, "penstock": 0.0})
    first, *rest = told([(governed, alone)] * 3).splitlines()
    assert first == (
        "Governed / left alone: throughput 0.500 (0.500-0.500), for each second of a core 1.000 (1.000-1.000)."
    )
    assert rest[0] == "Governed: 5.0 batches a second, cores: spark 0.500, penstock 0.000 (medians)."
