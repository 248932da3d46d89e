"""Runs of small scenarios: their figures, their claims, and that the same seed gives the same bytes."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.errors import ConfigError
from penstock.simulation.checking import check_scenario
from penstock.simulation.expect import judge
from penstock.simulation.run import RunResult, simulate
from penstock.simulation.schema import ExpectPart
from tests.simulation.small import job, scenario, written

SATURATED = job(rate={"constant": 1500, "noise": 0.05})  # one thread of work does 1,000 rows/s


def result(tmp_path: Path, policy: str = "henge", seed: int = 0, **over: Any) -> RunResult:
    raw = scenario(**{"duration": "600s", "jobs": [SATURATED], "cluster": {"noise": 0.02}, **over})
    (variant,) = check_scenario(written(tmp_path, raw))
    return simulate(variant, policy, tmp_path, seed)


def test_henge_brings_a_saturated_job_to_its_slo_and_static_does_not(tmp_path: Path) -> None:
    governed, alone = result(tmp_path).summary(), result(tmp_path, "static").summary()
    assert governed["converged_at"] is not None
    assert governed["jobs"]["a"]["slo_met"] > 0.7
    assert alone["converged_at"] is None
    assert alone["reconfigurations"] == 0
    assert governed["utility_p50"] == 1.0
    (change,) = governed["decisions"][0]["changes"]
    assert (change["kind"], change["text"], change["before"], change["after"]) == ("tasks", "work 1 -> 24", 1, 24)
    # What the job had at that instant, and what it gained from minute to minute, on average: all it asked for.
    assert governed["decisions"][0]["utility_came"] == pytest.approx(1.0, abs=0.01)


def test_slot_seconds_are_threads_times_time(tmp_path: Path) -> None:
    assert result(tmp_path, "static").summary()["slot_seconds"] == 2 * 600


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    first, second, other = (json.dumps(result(tmp_path, seed=seed).summary()) for seed in (1, 1, 2))
    assert first == second
    assert first != other


def test_nothing_is_decided_before_governing_begins(tmp_path: Path) -> None:
    summary = result(tmp_path, govern_from="300s").summary()
    assert min(decision["at"] for decision in summary["decisions"]) >= 300


def test_a_recovery_is_reported_with_its_target(tmp_path: Path) -> None:
    jobs = [job(intent={"latency": "1s", "recovery": "60s"})]
    faults = [{"kind": "job", "at": "100s", "target": "a"}]
    (recovery,) = result(tmp_path, jobs=jobs, faults=faults).summary()["recoveries"]
    assert (recovery["at"], recovery["rate"], recovery["target"]) == (100.0, 100.0, 60.0)
    assert 30 <= recovery["seconds"] <= 45  # 30 s of restart, 3,000 rows at 1,000 - 100 rows/s


def finding(run: RunResult, **expectation: Any) -> Any:
    part = ExpectPart.model_validate({"claim": "c", **expectation})
    return judge([part], [run])[0]


@pytest.mark.parametrize(
    ("expectation", "holds"),
    [
        ({"metric": "utility_final", "at_least": 0.99}, True),
        ({"metric": "utility_final", "at_most": 0.5}, False),
        ({"metric": "utility_mean", "job": "a", "between": [0, 50], "at_most": 0.5}, True),
        ({"metric": "decisions", "equals": 1}, True),
        ({"metric": "decisions", "reason": "Reverted", "at_least": 1}, False),
        ({"metric": "first_touched", "equals": ["a"]}, True),
        ({"metric": "converged_at", "at_most": 300}, True),
        ({"metric": "met_from", "job": "a", "at_most": 300}, True),
        ({"metric": "threads_at_end", "equals": 25}, True),
        ({"metric": "juice_min", "at_least": 0.99}, False),
        ({"metric": "recovery_seconds", "at_most": 10}, False),  # nothing failed: there is no such figure
    ],
)
def test_claims_are_judged_by_their_metric(tmp_path: Path, expectation: dict[str, Any], holds: bool) -> None:
    assert finding(result(tmp_path), **expectation).holds is holds


def test_a_claim_may_compare_two_policies(tmp_path: Path) -> None:
    runs = [result(tmp_path), result(tmp_path, "static")]
    part = ExpectPart.model_validate({"claim": "c", "metric": "utility_mean", "against": "static", "at_least": 2})
    (found,) = judge([part], runs)
    assert found.holds
    assert judge([part], runs[:1]) == []  # static was not run


def test_a_claim_may_compare_two_variants(tmp_path: Path) -> None:
    path = written(tmp_path, scenario(vary={"jobs.0.rate": [100, 50]}))
    runs = [simulate(variant, "static", tmp_path) for variant in check_scenario(path)]
    asked = {"claim": "c", "metric": "juice_mean", "policy": "static", "variant": {"jobs.0.rate": 50}, "at_least": 1}
    (found,) = judge([ExpectPart.model_validate({**asked, "against_variant": {"jobs.0.rate": 100}})], runs)
    assert (found.figure, found.wanted) == (1.0, "at least 1.0 times that of rate 100")
    with pytest.raises(ValueError, match="give against or against_variant"):
        ExpectPart.model_validate({**asked, "against": "fair", "against_variant": {"jobs.0.rate": 100}})


def test_a_percentile_over_jobs_is_of_what_each_has_of_its_utility(tmp_path: Path) -> None:
    slow = job(name="slow", rate=2000)  # twice what its thread can do: it ends far behind 100 ms
    run = result(tmp_path, "static", jobs=[job(), slow])
    found = finding(run, metric="jobs_p5", policy="static", at_most=0.1)
    assert found.holds
    assert finding(run, metric="utility_mean", policy="static", job="a", at_least=0.99).holds


def test_a_claim_declared_as_not_reproduced_must_not_come_out(tmp_path: Path) -> None:
    declared = {"metric": "utility_final", "not_reproduced": "because"}
    assert not finding(result(tmp_path), at_least=0.9, **declared).as_declared
    assert finding(result(tmp_path), at_most=0.9, **declared).as_declared


@pytest.mark.parametrize(
    ("expectation", "message"),
    [
        ({"metric": "speed", "at_least": 1}, "expect.metric: 'speed' cannot be used; choose one of utility_mean"),
        ({"metric": "utility_mean", "job": "z", "at_least": 1}, "expect.job: 'z' cannot be used; name a job: a"),
        ({"metric": "utility_mean", "between": [7000, 8000], "at_least": 1}, "expect.between: (7000.0, 8000.0)"),
        ({"metric": "utility_mean", "variant": {"x": 1}, "at_least": 1}, "expect.variant: {'x': 1} cannot be used"),
    ],
)
def test_a_claim_that_cannot_be_checked_is_an_error(tmp_path: Path, expectation: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        finding(result(tmp_path), **expectation)
    assert message in str(caught.value)


def test_the_plot_is_a_png(tmp_path: Path) -> None:
    from penstock.simulation.plot import plot  # here, or each worker would import matplotlib while it collects

    out = tmp_path / "out.png"
    plot([result(tmp_path), result(tmp_path, "static")], out)
    assert out.read_bytes().startswith(b"\x89PNG\r\n")


def test_a_trace_of_numbers_is_replayed_and_scaled(tmp_path: Path) -> None:
    trace = {"trace": {"values": [1, 3], "step": "100s", "mean": 200}}
    run = result(tmp_path, "static", jobs=[job(rate=trace)])
    rates = run.recorder.column("arrival_rps")[:, 0]
    assert rates.max() == pytest.approx(300, rel=0.1)
    assert rates.min() == pytest.approx(100, rel=0.1)


def test_included_yaml_is_read_from_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("t,rate\n0,10\n60,30\n", encoding="utf-8")
    trace = {"trace": {"file": "rates.csv", "step": "60s", "mean": 100}}
    path = written(tmp_path, yaml.safe_dump(scenario(duration="120s", jobs=[job(rate=trace)])))
    (variant,) = check_scenario(path)
    assert simulate(variant, "static", tmp_path).recorder.column("arrival_rps").max() <= 151
