"""Failures in two parts in the scale-out world: the job goes on until something is noticed, then it stands still."""

from pathlib import Path

import numpy as np
import pytest

from penstock.core.known.recovery import recovery_time
from penstock.core.seen.failures import FailureKind
from penstock.engines.sim.scaleout.engine import ScaleOutCluster
from penstock.engines.sim.scaleout.spec import JobFailure, ScaleOutJob
from penstock.errors import ConfigError
from penstock.simulation.checking import check_scenario
from tests.simulation.small_scale_out import scenario


def cluster(*failures: JobFailure, **more: object) -> ScaleOutCluster:
    usual: dict[str, object] = {"executors": 2, "downtime_s": (40.0, 40.0), "detect_s": (60.0, 60.0)}
    job = ScaleOutJob("a", {1: 100.0, 4: 400.0}, np.full(2000, 100.0), **{**usual, **more})  # type: ignore[arg-type]
    return ScaleOutCluster([job], 8, failures)


def test_until_a_failure_is_noticed_the_job_processes_and_only_the_stop_is_caught_up_with() -> None:
    world = cluster(JobFailure("a", 509.0))
    ill = world.observe(560.0).jobs[0]
    assert (ill.processed_rps, ill.backlog_rows, ill.settling) == (100.0, 0.0, False)
    world.advance_to(1500.0)
    (found,) = world.recovered({"a": 180.0})
    # Noticed at 569 s, nine seconds after a checkpoint.
    assert found["seconds"] == pytest.approx(60.0 + recovery_time(100.0, 200.0, 9.0, 40.0).total, abs=2.0)
    told = world.observe(1500.0).jobs[0]
    assert (told.detect_s, told.downtime_s, told.lost) == (60.0, 40.0, FailureKind.DRIVER)


def test_a_job_that_nobody_has_found_ill_is_not_taken_for_recovered() -> None:
    world = cluster(JobFailure("a", 500.0))
    world.advance_to(550.0)
    (found,) = world.recovered({"a": 180.0})
    assert found["seconds"] is None


def test_a_query_costs_its_own_time_and_is_noticed_at_once() -> None:
    world = cluster(JobFailure("a", 500.0, FailureKind.QUERY), downtimes_s={FailureKind.QUERY: (3.0, 3.0)})
    told = world.observe(600.0).jobs[0]
    assert (told.detect_s, told.downtime_s, told.lost) == (0.0, 3.0, FailureKind.QUERY)


def test_what_is_noticed_first_stops_the_job_for_both() -> None:
    world = cluster(JobFailure("a", 500.0), JobFailure("a", 530.0))
    world.advance_to(565.0)
    assert world.observe(565.0).jobs[0].settling  # at 560, by the first; the second would have been noticed at 590
    assert not world.observe(620.0).jobs[0].settling


def test_a_scenario_says_what_is_lost_only_where_that_makes_a_difference(tmp_path: Path) -> None:
    fault = {"kind": "job", "target": "a", "at": "300s", "lost": "query"}
    (variant,) = check_scenario(scenario(tmp_path, faults=[fault], scaleout={"downtimes": {"query": ["2s", "3s"]}}))
    assert variant.scenario.faults[0].lost is FailureKind.QUERY
    with pytest.raises(ConfigError, match=r"faults\.0.lost: 'query' cannot be used; leave it out"):
        check_scenario(scenario(tmp_path, faults=[fault], engine="micro-batch"))


def test_what_was_done_while_no_checkpoint_was_completed_is_done_again() -> None:
    world = cluster(JobFailure("a", 500.0), unsaved_s=(30.0, 30.0))
    world.advance_to(1500.0)
    (found,) = world.recovered({"a": 180.0})
    # Noticed at 560 s; the last checkpoint was that of 530 s.
    assert found["seconds"] == pytest.approx(60.0 + recovery_time(100.0, 200.0, 30.0, 40.0).total, abs=2.0)
    assert world.observe(1500.0).jobs[0].unsaved_s == 30.0


def test_a_time_until_noticed_is_written_shorter_one_first() -> None:
    with pytest.raises(ConfigError, match=r"a\.detect"):
        cluster(detect_s=(9.0, 3.0))
