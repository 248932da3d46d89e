"""The scale-out engine: rows are conserved, failures replay from a checkpoint, recoveries take what they should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.known.recovery import recovery_time
from penstock.core.levers import Slots
from penstock.core.plan import Step
from penstock.engines.sim.scaleout.engine import ScaleOutCluster
from penstock.engines.sim.scaleout.spec import JobFailure, ScaleOutJob, capacity_rps
from penstock.errors import ConfigError


def job(rate: float = 100.0, seconds: int = 2000, **more: object) -> ScaleOutJob:
    usual: dict[str, object] = {"executors": 2, "downtime_s": (60.0, 60.0), "pauses_s": (5.0,)}
    return ScaleOutJob("a", {1: 100.0, 4: 400.0}, np.full(seconds, rate), **{**usual, **more})  # type: ignore[arg-type]


def rescale(cluster: ScaleOutCluster, before: int, after: int) -> str | None:
    (outcome,) = cluster.apply([Step("a", (Slots("a", before, after),))]).steps
    return outcome.error


def test_a_job_that_keeps_up_has_its_idle_latency_and_no_backlog() -> None:
    figures = ScaleOutCluster([job()], 8).observe(300.0).jobs[0]
    assert (figures.arrival_rps, figures.processed_rps, figures.backlog_rows) == (100.0, 100.0, 0.0)
    assert figures.latency is not None
    assert figures.latency.mean_s == pytest.approx(1.0 + 0.5 * 0.5**4)


def test_a_job_that_is_too_small_falls_behind_by_the_difference() -> None:
    figures = ScaleOutCluster([job(rate=300.0)], 8).observe(500.0).jobs[0]
    assert figures.backlog_rows == pytest.approx(500 * 100.0)
    assert figures.latency is not None
    assert figures.latency.mean_s == pytest.approx(500 / 3, rel=0.1)  # the age of what is done now


def test_a_recovery_takes_what_the_series_says() -> None:
    cluster = ScaleOutCluster([job()], 8, [JobFailure("a", 509.0)])
    cluster.advance_to(1500.0)
    (found,) = cluster.recovered({"a": 180.0})
    expected = recovery_time(100.0, 200.0, 9.0, 60.0).total  # it fails 9 s after a checkpoint
    assert found["seconds"] == pytest.approx(expected, abs=2.0)
    assert (found["at"], found["rate"], found["target"]) == (509.0, 100.0, 180.0)


def test_the_downtime_of_a_failure_is_told_and_it_counts_as_settling() -> None:
    cluster = ScaleOutCluster([job()], 8, [JobFailure("a", 500.0)])
    down = cluster.observe(530.0).jobs[0]
    assert (down.settling, down.up_s, down.trouble) == (True, None, "restarts in 30 s")
    up = cluster.observe(600.0).jobs[0]
    assert (up.settling, up.up_s, up.downtime_s) == (False, 40.0, 60.0)


def test_a_rescale_pauses_the_job_and_repeats_nothing() -> None:
    cluster = ScaleOutCluster([job()], 8)
    cluster.advance_to(100.0)
    assert rescale(cluster, 2, 4) is None
    figures = cluster.observe(105.0).jobs[0]
    assert (figures.threads, figures.backlog_rows) == (4, 500.0)
    assert cluster.observe(110.0).jobs[0].backlog_rows == 0.0


def test_applying_a_step_twice_is_as_once() -> None:
    cluster = ScaleOutCluster([job()], 8)
    cluster.advance_to(100.0)
    assert rescale(cluster, 2, 4) is None
    cluster.advance_to(150.0)
    assert rescale(cluster, 2, 4) is None
    assert not cluster.observe(150.0).jobs[0].settling


@pytest.mark.parametrize(("after", "message"), [(9, "8 executors are all there are"), (0, "a takes 1 to")])
def test_what_cannot_be_given_is_refused(after: int, message: str) -> None:
    assert message in str(rescale(ScaleOutCluster([job()], 8), 2, after))


@given(failures=st.lists(st.integers(1, 900), max_size=4), rate=st.floats(1.0, 350.0))
def test_nothing_is_lost_or_done_that_did_not_arrive(failures: list[int], rate: float) -> None:
    cluster = ScaleOutCluster([job(rate, 1200)], 8, [JobFailure("a", float(at)) for at in failures], seed=3)
    for at_s in range(0, 1200, 50):
        cluster.advance_to(float(at_s))
        running = cluster.job("a")
        assert 0.0 <= running.done <= rate * at_s + 1e-6
        assert running.backlog(at_s) == pytest.approx(rate * at_s - running.done, abs=1e-3)


def test_the_same_seed_gives_the_same_run() -> None:
    def figures(seed: int) -> object:
        return ScaleOutCluster([job(noise=0.1, rate=190.0)], 8, [JobFailure("a", 100.0)], seed).observe(400.0)

    assert figures(1) == figures(1)
    assert figures(1) != figures(2)


@given(st.dictionaries(st.integers(1, 30), st.floats(1.0, 1e6), min_size=1, max_size=6))
def test_measured_capacities_are_kept_to(measured: dict[int, float]) -> None:
    for scaleout, rate in measured.items():
        assert capacity_rps(measured, scaleout) == pytest.approx(rate)


@pytest.mark.parametrize(
    ("field", "more"),
    [("executors", {"executors": 0}), ("downtime", {"downtime_s": (9.0, 3.0)}), ("pauses", {"pauses_s": ()})],
)
def test_impossible_jobs_are_refused(field: str, more: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=f"a.{field}"):
        job(**more)  # type: ignore[arg-type]


def test_latency_rises_with_the_square_of_what_arrives_by_a_second_at_the_rate_that_is_named() -> None:
    figures = ScaleOutCluster([job(latency_rise_s=0.0, one_second_more_at_rps=200.0)], 8).observe(300.0).jobs[0]
    assert figures.latency is not None
    assert figures.latency.mean_s == pytest.approx(1.0 + (100.0 / 200.0) ** 2)


def test_the_spread_of_latency_wanders_and_leaves_the_spells_of_the_capacity_as_they_were() -> None:
    def lived(spread: float) -> tuple[float, float | None]:
        busy = job(rate=250.0, noise=0.1, one_second_more_at_rps=250.0, latency_spread=spread)
        figures = ScaleOutCluster([busy], 8).observe(1500.0).jobs[0]
        assert figures.latency is not None
        return figures.latency.mean_s, figures.backlog_rows

    (even_s, backlog), (spread_s, same) = lived(0.0), lived(0.6)
    assert same == backlog  # too small for its load: what waits tells of each second's capacity
    assert spread_s != even_s
