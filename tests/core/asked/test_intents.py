"""Intents: targets, utilities and scores, and the errors of bad ones."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.asked.intents import SHAPES, Intent, Juice, Latency, Points, Recovery, Score
from penstock.core.seen.figures import LatencyFigures
from penstock.errors import ConfigError

PIECES: Points = [("2s", 1.0), ("4s", 0.3)]
JUICE_PIECES: Points = [(0.9, 1.0), (0.45, 0.5), (0.0, 0.0)]


@pytest.mark.parametrize(
    ("intent", "latency", "utility"),
    [
        (Latency("2s", percentile=95, utility=35), "4s", 17.5),  # 35 x 2/4
        (Latency("2s", utility=35), "2s", 35.0),
        (Latency("2s", utility=35), 0, 35.0),
        (Latency("70ms", utility=35), 0.1, 24.5),
        (Latency("2s", utility=10, shape="step"), "2001ms", 0.0),
        (Latency("2s", utility=10, shape="linear"), "3s", 5.0),  # zero at twice the target
        (Latency("2s", utility=10, shape="linear", zero_at="6s"), "3s", 7.5),  # a quarter of the way from 2 s to 6 s
        (Latency("2s", utility=10, shape="piecewise", points=PIECES), "3s", 6.5),
        (Latency("2s", utility=10, shape="lognormal"), 2 * math.e, 10 * math.erfc(1 / math.sqrt(2))),
    ],
)
def test_the_utility_of_a_latency(intent: Latency, latency: object, utility: float) -> None:
    assert intent.utility_at(latency) == pytest.approx(utility)


@pytest.mark.parametrize(
    ("intent", "juice", "utility"),
    [
        (Juice(0.9, utility=10), 0.45, 5.0),  # 10 x 0.45 / 0.9
        (Juice(0.9, utility=10), 0.95, 10.0),
        (Juice(0.9, utility=10), 0.0, 0.0),
        (Juice(0.9, utility=10, shape="step"), 0.89, 0.0),
        (Juice(0.9, utility=10, shape="linear"), 0.45, 5.0),
        (Juice(0.9, utility=10, shape="linear", zero_at=0.5), 0.7, 5.0),
        (Juice(0.9, utility=10, shape="piecewise", points=JUICE_PIECES), 0.675, 7.5),
        (Juice(0.9, utility=10, shape="piecewise", points=JUICE_PIECES), 0.09, 1.0),  # 0.5 x 0.09 / 0.45 of 10
        (Juice(0.9, utility=10, shape="piecewise", points=JUICE_PIECES), 0.0, 0.0),
    ],
)
def test_the_utility_of_juice(intent: Juice, juice: float, utility: float) -> None:
    assert intent.utility_at(juice) == pytest.approx(utility)


@pytest.mark.parametrize(("recovery", "utility"), [("30s", 8.0), ("2m", 4.0), (math.inf, 0.0)])
def test_the_utility_of_a_recovery(recovery: object, utility: float) -> None:
    assert Recovery("60s", utility=8).utility_at(recovery) == utility


@pytest.mark.parametrize("shape", SHAPES)
@given(
    one=st.floats(0.001, 1e4),
    other=st.floats(0.001, 1e4),
    shares=st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted),
)
def test_utilities_never_rise_as_figures_get_worse(shape: str, one: float, other: float, shares: list[float]) -> None:
    points: Points = [("4s", shares[1]), ("9s", shares[0])]
    of_juice: Points = [(0.4, shares[1]), (0.0, shares[0])]
    latency = Latency("2s", utility=35, shape=shape, points=points)
    juice = Juice(0.9, utility=10, shape=shape, points=of_juice)
    low, high = sorted((one, other))
    assert latency.utility_at(high) <= latency.utility_at(low) + 1e-9 <= 35 + 1e-8
    assert juice.utility_at(low / 1e4) <= juice.utility_at(high / 1e4) + 1e-9 <= 10 + 1e-8


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Latency("2s", percentile=0), "percentile: 0 cannot be used; write a number between 0 and 100"),
        (lambda: Latency("2s", percentile=100), "percentile: 100 cannot be used"),
        (lambda: Latency("2s", percentile=math.nan), "percentile: nan"),
        (lambda: Latency("2s", percentile=True), "percentile: True"),
        (lambda: Latency("2s", percentile="95"), "percentile: '95'"),  # type: ignore[arg-type]
        (lambda: Latency("0s"), "latency: '0s' cannot be used; it must be above zero"),
        (lambda: Latency("two seconds"), "latency: 'two seconds' cannot be used; write a number of seconds, or text"),
        (lambda: Latency(math.inf), "latency: inf"),
        (lambda: Latency(-1), "latency: -1"),
        (lambda: Latency("2s", utility=0), "utility: 0 cannot be used; write a number above zero"),
        (lambda: Latency("2s", utility=math.nan), "utility: nan"),
        (lambda: Latency("2s", shape="cliff"), "shape: 'cliff' cannot be used; choose one of knee, linear, step"),
        (
            lambda: Latency("2s", shape="linear", zero_at="2s"),
            "zero_at: '2s' cannot be used; write a time above the target 2s",
        ),
        (lambda: Latency("2s", shape="piecewise"), "points: () cannot be used; write pairs of value and share"),
        (lambda: Latency("2s", shape="piecewise", points=[("4s", 0.5), ("8s", 0.6)]), "utility must never rise"),
        (lambda: Latency("2s", shape="piecewise", points=[("4s",)]), "points: ('4s',) cannot be used"),  # type: ignore[list-item]
        (lambda: Latency("2s", shape="piecewise", points=5), "points: 5 cannot be used"),  # type: ignore[arg-type]
        (lambda: Latency("2s", shape="piecewise", points=[("soon", 0.5)]), "points: 'soon' cannot be used"),
        (lambda: Latency("2s", shape="lognormal", spread=0), "spread: 0 cannot be used"),
        (
            lambda: Juice(1.1),
            "juice: 1.1 cannot be used; write the share of the input to process, above 0 and at most 1",
        ),
        (lambda: Juice(0.0), "juice: 0.0"),
        (lambda: Juice("90%"), "juice: '90%'"),
        (
            lambda: Juice(0.9, shape="linear", zero_at=0.9),
            "zero_at: 0.9 cannot be used; write a juice below the target 0.9",
        ),
        (lambda: Juice(0.9, shape="piecewise", points=[(0.5, 0.3), (0.2, 0.4)]), "utility must never rise"),
        (lambda: Recovery("0s"), "recovery: '0s'"),
        (lambda: Intent(), "intent: 'nothing' cannot be used; state at least one of latency, juice or recovery"),
        (lambda: Intent("2s"), "intent: '2s' cannot be used; give Latency, Juice or Recovery"),  # type: ignore[arg-type]
        (lambda: Intent(Juice(), Juice()), "state juice and recovery once each"),
        (lambda: Intent(Juice(), recovery="soon"), "recovery: 'soon'"),
    ],
)
def test_a_bad_intent_is_refused(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build()
    assert message in str(caught.value)


@pytest.mark.parametrize("figure", [-1.0, math.nan, "soon", None])
def test_a_bad_figure_is_refused(figure: object) -> None:
    for intent in (Latency("2s"), Juice(0.9), Recovery("60s")):
        with pytest.raises(ConfigError):
            intent.utility_at(figure)


def test_numbers_of_numpy_are_numbers() -> None:
    numbers: Any = {"target": np.int64(2), "percentile": np.int64(95), "utility": np.float32(35)}
    assert Latency(**numbers).utility_at(np.float64(4)) == 17.5


HYBRID = Intent(Latency("70ms", utility=35), Juice(1.0, utility=35), recovery="60s")
LATE = LatencyFigures(0.14, ((50.0, 0.07), (99.0, 0.7)))


def test_the_utility_of_a_hybrid_is_the_mean_of_its_utilities() -> None:
    assert (HYBRID.max_utility, HYBRID.recovery_s) == (35.0, 60.0)
    score = HYBRID.score(LATE, 0.8)
    assert score is not None
    assert score.utility == pytest.approx((35 * 0.07 / 0.14 + 35 * 0.8) / 2)


@pytest.mark.parametrize(
    ("intent", "latency", "juice", "score"),
    [
        (Intent(Latency("70ms", utility=10)), LATE, None, Score(5.0, False)),
        (Intent(Latency("70ms", percentile=50, utility=10)), LATE, None, Score(10.0, True)),
        (Intent(Latency("70ms", percentile=99, utility=10)), LATE, None, Score(1.0, False)),
        (Intent(Juice(1.0, utility=10)), None, 0.996, Score(9.96, True)),  # a count's window never agrees to the row
        (Intent(Juice(1.0, utility=10)), None, 0.99, Score(9.9, False)),
        (Intent(Juice(0.5, utility=10)), None, 0.0, Score(0.0, False)),
        (HYBRID, None, 1.0, None),  # a figure that is needed is absent
        (HYBRID, LATE, None, None),
        (Intent(Latency("1s", percentile=95)), LatencyFigures(0.5), None, None),  # no percentiles
        (Intent(Recovery("60s")), LATE, 1.0, None),  # no failure has been seen
    ],
)
def test_the_score_of_figures(
    intent: Intent, latency: LatencyFigures | None, juice: float | None, score: Score | None
) -> None:
    found = intent.score(latency, juice)
    assert (found is None) == (score is None)
    if found is not None and score is not None:
        assert found.utility == pytest.approx(score.utility)
        assert found.met is score.met


def test_a_recovery_without_an_estimate_leaves_the_others_their_weight() -> None:
    intent = Intent(Juice(1.0, utility=10), Recovery("60s", utility=30))
    unknown, late = intent.score(None, 0.5), intent.score(None, 1.0, recovery_s=120.0)
    assert intent.max_utility == 20.0
    assert unknown == Score(10.0, met=False)  # half of what is known, of a maximum of 20
    assert late == Score((10 + 15) / 2, met=False)


def test_what_is_asked_is_said_in_words() -> None:
    intent = Intent(Latency("2s", percentile=99), Juice(0.9), recovery="1m")
    assert intent.text() == "p99 latency <= 2s, juice >= 0.9, recovery <= 1m"
    assert Intent(Latency("70ms"), Recovery("90s")).text() == "mean latency <= 70ms, recovery <= 90s"
