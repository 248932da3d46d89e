"""Shapes: what is left of the utility, by hand, and the law that it never rises as figures get worse."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.asked.shapes import AllOrNothing, Knee, LinearJuice, LinearLatency, Lognormal, Shape, piecewise
from penstock.errors import ConfigError

POINTS_OF_2_S = [(2.0, 1.0), (4.0, 0.5), (8.0, 0.1)]
POINTS_OF_JUICE = [(0.8, 1.0), (0.4, 0.6), (0.0, 0.2)]
OVER_LATENCY = piecewise(POINTS_OF_2_S, 2.0, less_is_better=True)
OVER_JUICE = piecewise(POINTS_OF_JUICE, 0.8, less_is_better=False)


@pytest.mark.parametrize(
    ("shape", "badness", "share"),
    [
        (Knee(), 0.5, 1.0),
        (Knee(), 1.0, 1.0),
        (Knee(), 2.0, 0.5),
        (Knee(), math.inf, 0.0),
        (AllOrNothing(), 1.0, 1.0),
        (AllOrNothing(), 1.0001, 0.0),
        (LinearLatency(2.0), 1.0, 1.0),
        (LinearLatency(2.0), 1.5, 0.5),
        (LinearLatency(2.0), 2.0, 0.0),
        (LinearLatency(2.0), math.inf, 0.0),
        (LinearJuice(0.0), 2.0, 0.5),  # half the juice
        (LinearJuice(0.5), 2.0, 0.0),
        (LinearJuice(0.5), 4 / 3, 0.5),  # 3/4 of the target: half way from 1/2 to 1
        (LinearJuice(0.0), math.inf, 0.0),
        (Lognormal(1.0), 1.0, 1.0),
        (Lognormal(1.0), math.e, math.erfc(1 / math.sqrt(2))),  # 0.317: outside one standard deviation
        (Lognormal(2.0), math.e**2, math.erfc(1 / math.sqrt(2))),
        (Lognormal(1.0), math.inf, 0.0),
        (OVER_LATENCY, 1.0, 1.0),
        (OVER_LATENCY, 1.5, 0.75),  # 3 s, between (2, 1.0) and (4, 0.5)
        (OVER_LATENCY, 3.0, 0.3),  # 6 s, between (4, 0.5) and (8, 0.1)
        (OVER_LATENCY, 100.0, 0.1),
        (OVER_LATENCY, math.inf, 0.1),
        (OVER_JUICE, 0.8 / 0.6, 0.8),  # between (0.8, 1.0) and (0.4, 0.6)
        (OVER_JUICE, 0.8 / 0.2, 0.4),  # between (0.4, 0.6) and (0.0, 0.2)
        (OVER_JUICE, math.inf, 0.2),  # no juice at all
    ],
)
def test_the_share_at_a_badness(shape: Shape, badness: float, share: float) -> None:
    assert shape.share(badness) == pytest.approx(share)


def point_lists(values: st.SearchStrategy[float]) -> st.SearchStrategy[tuple[tuple[float, ...], tuple[float, ...]]]:
    return st.integers(1, 5).flatmap(
        lambda number: st.tuples(
            st.lists(values, min_size=number, max_size=number, unique=True).map(lambda found: tuple(sorted(found))),
            st.lists(st.floats(0, 1), min_size=number, max_size=number).map(lambda found: tuple(sorted(found))),
        )
    )


shapes: st.SearchStrategy[Shape] = st.one_of(
    st.just(Knee()),
    st.just(AllOrNothing()),
    st.builds(LinearLatency, st.floats(1.01, 100)),
    st.builds(LinearJuice, st.floats(0, 0.99)),
    st.builds(Lognormal, st.floats(0.01, 10)),
    point_lists(st.floats(1.01, 100)).map(
        lambda drawn: piecewise(list(zip(drawn[0], reversed(drawn[1]), strict=True)), 1.0, less_is_better=True)
    ),
    point_lists(st.integers(0, 79).map(lambda percent: percent / 100)).map(
        lambda drawn: piecewise(list(zip(drawn[0], drawn[1], strict=True)), 0.8, less_is_better=False)
    ),
)
badnesses = st.floats(0.0, 1000.0) | st.just(math.inf) | st.floats(0.99, 1.01)


@given(shapes, badnesses, badnesses)
def test_utility_never_rises_as_the_figure_gets_worse(shape: Shape, one: float, other: float) -> None:
    better, worse = sorted((one, other))
    assert shape.share(worse) <= shape.share(better) + 1e-12


@given(shapes, badnesses)
def test_a_share_lies_between_0_and_1_and_is_all_of_it_when_the_target_is_met(shape: Shape, badness: float) -> None:
    assert 0.0 <= shape.share(badness) <= 1.0 + 1e-12
    assert badness > 1 or shape.share(badness) == 1.0


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([(2.0, 1.0), (4.0, 0.3), (8.0, 0.5)], "points: (8.0, 0.5) cannot be used; utility must never rise"),
        ([(4.0, 0.5), (8.0, 0.6)], "write 0.5 or less"),
        ([(4.0, 1.5)], "points: (4.0, 1.5) cannot be used; the share of the maximum utility lies between 0 and 1"),
        ([(4.0, math.nan)], "lies between 0 and 1"),
        ([(1.0, 0.9)], "points: (1.0, 0.9) cannot be used; a value that meets the target has share 1"),
        ([(4.0, 0.5), (4.0, 0.4)], "give each value once"),
    ],
)
def test_points_that_make_no_shape_are_refused(points: list[tuple[float, float]], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        piecewise(points, 2.0, less_is_better=True)
    assert message in str(caught.value)


def test_points_may_come_in_any_order() -> None:
    assert piecewise(POINTS_OF_2_S[::-1], 2.0, less_is_better=True) == OVER_LATENCY


@pytest.mark.parametrize("zero_at", [1.0, 0.5, math.nan, math.inf])
def test_a_line_over_latency_falls_to_zero_beyond_the_target(zero_at: float) -> None:
    with pytest.raises(ConfigError, match="zero_at"):
        LinearLatency(zero_at)


@pytest.mark.parametrize("zero_at", [1.0, 1.5, -0.1, math.nan])
def test_a_line_over_juice_rises_from_below_the_target(zero_at: float) -> None:
    with pytest.raises(ConfigError, match="zero_at"):
        LinearJuice(zero_at)


@pytest.mark.parametrize("spread", [0.0, -1.0, math.nan, math.inf])
def test_a_lognormal_has_a_spread(spread: float) -> None:
    with pytest.raises(ConfigError, match="spread"):
        Lognormal(spread)


def test_a_share_near_nothing_does_not_fall_below_it() -> None:
    shape = piecewise([(0.61, 0.87), (0.36, 0.8), (0.08, 0.7), (0.0, 5e-324)], 0.8, less_is_better=False)
    assert shape.share(math.inf) >= 0.0
