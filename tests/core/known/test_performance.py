"""Performance models: interpolation, its inverse, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.known.performance import ModelPoint, PerformanceModel
from penstock.errors import ConfigError

BLOB = PerformanceModel([(50, 30, 0.45, 0.35), (1, 2, 0.0674, 0.2392), (20, 10, 0.15, 0.26)])
SHARES = st.floats(0, 2)
POINTS = st.dictionaries(
    st.integers(1, 80), st.tuples(st.floats(0.1, 1e5), SHARES, SHARES), min_size=1, max_size=6
).map(lambda points: [(threads, *figures) for threads, figures in points.items()])


def test_points_are_met_exactly_and_between_them_everything_is_linear() -> None:
    assert [point.threads for point in BLOB.points] == [1, 20, 50]
    assert (BLOB.rate(1), BLOB.cpu(20), BLOB.memory(50)) == (2.0, 0.15, 0.35)
    assert BLOB.rate(35) == pytest.approx(20)  # half way from 10 to 30
    assert BLOB.cpu(35) == pytest.approx(0.30)


def test_outside_the_points_it_goes_to_nothing_below_and_stays_above() -> None:
    measured_at_ten = PerformanceModel([(10, 100, 0.5, 0.2)])
    assert measured_at_ten.rate(1) == pytest.approx(10)
    assert measured_at_ten.rate(0) == 0
    assert (measured_at_ten.rate(99), measured_at_ten.cpu(99)) == (100, 0.5)


def test_the_peak_is_reached_with_the_fewest_threads() -> None:
    flat = PerformanceModel([(1, 100, 0.9, 0.1), (2, 110, 0.9, 0.1), (3, 110, 0.9, 0.1), (4, 90, 0.9, 0.1)])
    assert (flat.peak.threads, flat.threads_for(110), flat.threads_for(111)) == (2, 2, None)


@pytest.mark.parametrize(("resolution", "threads"), [(0.0, 3), (0.02, 2), (0.05, 1)])
def test_a_rate_that_is_higher_by_chance_is_no_peak(resolution: float, threads: int) -> None:
    points = [(1, 100.0, 0.9, 0.1), (2, 103.0, 0.9, 0.1), (3, 104.0, 0.9, 0.1)]
    assert PerformanceModel(points, resolution=resolution).peak.threads == threads


@given(POINTS, st.floats(0.01, 1))
def test_the_threads_for_a_rate_support_it_and_one_fewer_do_not(
    points: list[tuple[int, float, float, float]], share: float
) -> None:
    model = PerformanceModel(points)
    wanted = share * model.peak.rate_rps
    threads = model.threads_for(wanted)
    assert threads is not None
    assert model.rate(threads) >= wanted * (1 - 1e-6)
    assert threads == 1 or model.rate(threads - 1) < wanted


@given(POINTS)
def test_a_model_survives_json(points: list[tuple[int, float, float, float]]) -> None:
    measured = [ModelPoint(*point, source="measured") for point in points]
    model = PerformanceModel(measured, {"machine": "m1"}, resolution=0.05)
    assert PerformanceModel.from_dict(json.loads(json.dumps(model.to_dict()))) == model


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], "at least one point"),
        ("1,2,3,4", "write a list"),
        ([(1, 2, 0.1)], "write each point as"),
        ([(0, 2, 0.1, 0.1)], "whole number of threads"),
        ([(1.5, 2, 0.1, 0.1)], "whole number of threads"),
        ([(float("inf"), 2, 0.1, 0.1)], "whole number of threads"),
        ([(1, -2, 0.1, 0.1)], "model.points.rate_rps"),
        ([(1, 2, 0.1, float("nan"))], "model.points.memory"),
        ([(1, 2, 0.1, 0.1), (1, 3, 0.1, 0.1)], "each number of threads once"),
        ([(1, 0, 0.1, 0.1)], "rate above zero"),
    ],
)
def test_a_model_that_cannot_be_is_refused(points: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PerformanceModel(points)  # type: ignore[arg-type]


@pytest.mark.parametrize("resolution", [-0.1, 1.0, "fine"])
def test_a_resolution_that_cannot_be_is_refused(resolution: object) -> None:
    with pytest.raises(ConfigError, match=r"model\.resolution"):
        PerformanceModel([(1, 2, 0.1, 0.1)], resolution=resolution)  # type: ignore[arg-type]


@pytest.mark.parametrize("document", [None, {"points": 3}, {"points": [{"threads": 1}]}, {"points": [], "speed": 1}])
def test_a_document_that_is_no_model_is_refused_with_its_place(document: object) -> None:
    with pytest.raises(ConfigError, match=r"models\.blob"):
        PerformanceModel.from_dict(document, "models.blob")
