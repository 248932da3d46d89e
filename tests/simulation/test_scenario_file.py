"""Scenario files: what may stand in them, and one clear error for what may not."""

import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.errors import ConfigError
from penstock.simulation.checking import check_scenario
from penstock.simulation.run import simulate
from tests.simulation.small import job, scenario, written


def run_all(path: Path) -> None:
    for variant in check_scenario(path):
        simulate(variant, "static", path.parent)


BAD: list[tuple[dict[str, Any], str]] = [
    (
        {"topologies": {"line": {"flow": {"a": ["b"], "b": ["c"], "c": ["a"]}}}},
        "topology: 'a -> b -> c -> a' cannot be used; remove an edge of this cycle: rows must flow one way",
    ),
    (
        {"topologies": {"line": {"flow": {"source": ["work"], "work": []}, "operators": {"wrok": {}}}}},
        "jobs.0.operators.wrok: 'wrok' cannot be used; name an operator of it: source, work",
    ),
    (
        {"jobs": [job(threads={"sink": 3})]},
        "jobs.a.threads.sink: 'sink' cannot be used; name an operator of it: source, work",
    ),
    (
        {"jobs": [job(rate=-5)]},
        "jobs.a.rate: -5 cannot be used; write 0 or more",
    ),
    (
        {"jobs": [job(intent={"latency": "1s", "shape": "piecewise", "points": [["2s", 0.5], ["3s", 0.8]]})]},
        "jobs.a.intent.points: (3.0, 0.8) cannot be used; utility must never rise as the figure gets worse; "
        "write 0.5 or less",
    ),
    (
        {"jobs": [job(intent={"latency": "1s", "shape": "bell"})]},
        "jobs.a.intent.shape: 'bell' cannot be used; choose one of knee, linear, step, piecewise, lognormal",
    ),
    ({"jobs": [job(intent={"latency": "soon"})]}, "jobs.a.intent.latency: 'soon' cannot be used; write a number of"),
    ({"jobs": [job(intent={})]}, "jobs.a.intent: 'nothing' cannot be used; state at least one of latency, juice"),
    ({"jobs": [job(topology="star")]}, "jobs.a.topology: 'star' cannot be used; name one of topologies: line"),
    ({"jobs": [job(), job()]}, "jobs.1.name: 'a' cannot be used; give each job a name of its own"),
    ({"jobs": []}, "jobs: [] cannot be used; give at least one"),
    ({"durration": "1h"}, "durration: '1h' cannot be used; there is no such field; did you mean duration?"),
    (
        {"jobs": [job(rate={"spike": {"base": 1, "start": 0}})]},
        "jobs.a.rate.spike.end: missing; this field",
    ),
    ({"jobs": [job(rate={"constant": 1, "noise": 2})]}, "jobs.a.rate.noise: 2 cannot be used; write 1 or less"),
    ({"jobs": [job(rate={"noise": 0.1})]}, "jobs.a.rate: {'noise': 0.1} cannot be used; give exactly one of constant"),
    (
        {"jobs": [job(rate={"trace": {"file": "no.csv", "mean": 5}})]},
        "cannot be used; name a CSV file with a header and numbers in the last column",
    ),
    ({"faults": [{"kind": "flood", "at": 1}]}, "faults.0.kind: 'flood' cannot be used; write 'machine', 'job'"),
    ({"vary": {"jobs.7.rate": [1, 2]}}, "vary: 'jobs.7.rate' cannot be used; name a field of this scenario"),
    ({"vary": {"jobs.0.rate": 3}}, "vary: {'jobs.0.rate': 3} cannot be used; write a list of values for each path"),
    ({"include": ["missing.yaml"]}, "cannot be used; give a file that can be read (No such file or directory)"),
]


@pytest.mark.parametrize(("over", "message"), BAD)
def test_a_wrong_field_gives_one_error_with_its_place_value_and_remedy(
    tmp_path: Path, over: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        run_all(written(tmp_path, scenario(**over)))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "- a list", "name: [unclosed", "just words"])
def test_a_file_that_is_no_scenario_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match="scenario: "):
        check_scenario(written(tmp_path, text))


def test_every_combination_of_what_varies_is_a_variant(tmp_path: Path) -> None:
    raw = scenario(vary={"jobs.0.rate": [100, 200], "jobs.0.threads.work": [1, 2, 3]})
    variants = check_scenario(written(tmp_path, raw))
    assert [variant.label for variant in variants][:2] == ["rate=100 work=1", "rate=100 work=2"]
    assert [variant.scenario.jobs[0].threads["work"] for variant in variants] == [1, 2, 3, 1, 2, 3]
    assert variants[5].scenario.jobs[0].rate.constant == 200


def test_topologies_may_be_shared_through_an_included_file(tmp_path: Path) -> None:
    shared = {"topologies": scenario()["topologies"]}
    (tmp_path / "shared.yaml").write_text(yaml.safe_dump(shared), encoding="utf-8")
    raw = {**scenario(include=["shared.yaml"])}
    del raw["topologies"]
    run_all(written(tmp_path, raw))
    assert list(check_scenario(written(tmp_path, raw))[0].scenario.topologies) == ["line"]


def test_copies_get_numbers(tmp_path: Path) -> None:
    (variant,) = check_scenario(written(tmp_path, scenario(jobs=[job(copies=2), job(name="b")])))
    assert list(simulate(variant, "static", tmp_path).recorder.jobs) == ["a-1", "a-2", "b"]


def test_to_check_a_thousand_copies_takes_no_more_memory_than_two(tmp_path: Path) -> None:
    def most_mib(copies: int) -> float:
        path = written(tmp_path, scenario(jobs=[job(copies=copies)], duration="30000s"))
        tracemalloc.start()
        try:
            check_scenario(path)
            return tracemalloc.get_traced_memory()[1] / 2**20
        finally:
            tracemalloc.stop()

    assert most_mib(1000) < most_mib(2) + 10.0  # the rates of a thousand jobs alone are 229 MiB


def test_a_fault_of_any_copy_is_known(tmp_path: Path) -> None:
    fault = {"kind": "job", "target": "a-7", "at": "1s"}
    check_scenario(written(tmp_path, scenario(jobs=[job(copies=7)], faults=[fault])))
    with pytest.raises(ConfigError, match="a-8"):
        check_scenario(written(tmp_path, scenario(jobs=[job(copies=7)], faults=[{**fault, "target": "a-8"}])))
