"""Scale-out scenarios: the file, the profile that policies get, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from penstock.errors import ConfigError
from penstock.simulation.checking import check_scenario
from penstock.simulation.run import RunResult, simulate
from penstock.simulation.scale_out import profiles_of
from tests.simulation.small_scale_out import scenario


def result(path: Path, policy: str) -> RunResult:
    (variant,) = check_scenario(path)
    return simulate(variant, policy, path.parent)


def test_a_failure_is_recovered_from_as_the_measured_capacity_allows(tmp_path: Path) -> None:
    summary = result(scenario(tmp_path), "static").summary()
    (recovery,) = summary["recoveries"]
    # 20 s down, at most 10 s since the checkpoint: 3,000 rows at 400 - 100 rows/s are 10 s more.
    assert 26 <= recovery["seconds"] <= 31
    assert (recovery["at"], recovery["target"]) == (300.0, 60.0)
    assert summary["slot_seconds"] == 4 * 900


def test_phoebe_takes_what_the_target_needs_and_no_more(tmp_path: Path) -> None:
    settings = {"phoebe": {"downtime_s": 20.0}}
    summary = result(scenario(tmp_path, settings=settings), "phoebe").summary()
    (decision,) = summary["decisions"]
    # 60 s less 20 s of downtime are left for 3,000 rows: 75 rows/s above what arrives, so 2 executors.
    assert [(change["before"], change["after"]) for change in decision["changes"]] == [(4, 2)]
    assert summary["recoveries"][0]["seconds"] <= 60


def test_policies_are_given_the_profile_by_job(tmp_path: Path) -> None:
    (variant,) = check_scenario(scenario(tmp_path))
    assert [seen.saturated for seen in profiles_of(variant.scenario, tmp_path)["a"]] == [False, True, False, True]


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ({"faults": [{"kind": "link", "at": "1s"}]}, "faults.0.kind: 'link' cannot be used"),
        ({"faults": [{"kind": "job", "target": "z", "at": "1s"}]}, "faults.target: 'z' cannot be used; name a job: a"),
        ({"scaleout": {"measured": "none.csv"}}, "jobs.a.scaleout.measured"),
        ({"cluster": {"slots": 2}}, "executors: 2 cannot be used; the jobs start with 4 in all"),
    ],
)
def test_what_cannot_be_simulated_is_refused(tmp_path: Path, over: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        result(scenario(tmp_path, **over), "static")
    assert message in str(caught.value)


def test_a_job_needs_one_law_of_speed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="give either capacity"):
        check_scenario(scenario(tmp_path, scaleout={"capacity": {1: 100}}))
