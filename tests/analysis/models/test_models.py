"""Models from evidence: monotone, close where there is evidence, honest where there is none."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.analysis.models.capacity import capacity_model
from penstock.analysis.models.fading import FLOOR, faded
from penstock.analysis.models.job import JobModel, job_model
from penstock.core.seen.evidence import Observation, Weighted
from penstock.errors import ConfigError
from tests.analysis.models.profiles import SIZES, profile, true_capacity, true_latency


@cache
def model() -> JobModel:
    """Fitted once: it is a value."""
    found = job_model(profile(), now_s=0.0)
    assert found is not None
    return found


@pytest.mark.parametrize("scaleout", range(2, 24))
def test_capacity_between_profiled_scaleouts_is_close(scaleout: int) -> None:
    assert model().capacity.at(scaleout) == pytest.approx(true_capacity(scaleout), rel=0.01)


def test_held_out_scaleouts_tell_the_error() -> None:
    error = model().capacity.error
    assert error is not None
    assert error < 0.03


@given(st.lists(st.tuples(st.integers(1, 40), st.floats(1.0, 1e7)), min_size=1, max_size=20))
def test_capacity_never_falls_with_more_executors_whatever_was_measured(seen: list[tuple[int, float]]) -> None:
    found = capacity_model([Weighted(Observation(size, rate, None, saturated=True), 1.0) for size, rate in seen])
    assert found is not None
    rates = [found.at(size) for size in range(1, 120)]
    assert rates == sorted(rates)
    assert rates[0] > 0


def test_a_job_seen_to_process_more_than_its_capacity_has_a_higher_one() -> None:
    before = model().capacity.at(8)
    faster = [Observation(8, 1.3 * before, 1.2) for _ in range(5)]
    after = job_model((*profile(), *faster), now_s=0.0)
    assert after is not None
    assert after.capacity.at(8) > 1.1 * before


def test_without_any_capacity_seen_there_is_no_model() -> None:
    assert job_model((Observation(2, 100.0, 1.0),), now_s=0.0) is None


@pytest.mark.parametrize("scaleout", SIZES)
def test_latency_is_close_for_a_job_that_keeps_up(scaleout: int) -> None:
    latency = model().latency
    assert latency is not None
    rate = 0.5 * true_capacity(scaleout)
    assert latency.at(scaleout, rate) == pytest.approx(true_latency(scaleout, rate), rel=0.15)
    assert latency.error is not None
    assert latency.error < 0.2


@given(scaleout=st.integers(2, 24), rate=st.floats(1_000.0, 400_000.0))
def test_a_job_keeps_up_below_its_capacity_and_not_above(scaleout: int, rate: float) -> None:
    used = rate / true_capacity(scaleout)
    if used < 0.85 or used > 1.1:
        assert model().keeps_up(scaleout, rate) == (used < 1)


@given(scaleout=st.integers(1, 30), rate=st.floats(1_000.0, 300_000.0))
def test_latency_never_rises_with_executors_nor_falls_with_the_rate(scaleout: int, rate: float) -> None:
    latency = model().latency
    assert latency is not None
    assert latency.at(scaleout + 1, rate) <= latency.at(scaleout, rate) * (1 + 1e-9)
    assert latency.at(scaleout, 1.1 * rate) >= latency.at(scaleout, rate) * (1 - 1e-9)


def test_what_was_never_measured_is_said_to_be_extrapolated() -> None:
    assert model().extrapolates(24, 100_000.0)
    assert model().extrapolates(20, 900_000.0)
    assert not model().extrapolates(20, 100_000.0)


def test_newer_evidence_outweighs_older() -> None:
    slower = tuple(
        Observation(o.scaleout, 0.7 * o.rate_rps, None, saturated=True, at_s=86_400.0) for o in profile() if o.saturated
    )
    found = job_model((*profile(), *slower), now_s=86_400.0)
    assert found is not None
    assert found.capacity.at(11) == pytest.approx(0.7 * true_capacity(11), rel=0.08)


def test_old_evidence_fades_to_a_floor() -> None:
    ages = (0.0, 3600.0, 7200.0, 1e9)
    weights = [w.weight for w in faded([Observation(2, 1.0, at_s=1e9 - age) for age in ages], 1e9, 3600.0)]
    assert weights == [1.0, 0.5, 0.25, FLOOR]


@pytest.mark.parametrize(("field", "made"), [("scaleout", (0, 1.0)), ("rate_rps", (1, -1.0))])
def test_impossible_observations_are_refused(field: str, made: tuple[int, float]) -> None:
    with pytest.raises(ConfigError, match=field):
        Observation(*made)
