"""Files that `penstock plan` reads: what ships is sound, what is wrong is refused with its place."""

from pathlib import Path

import pytest

from penstock.config.plan_job import read_models, read_plan_job, shipped
from penstock.errors import ConfigError


def test_every_dag_that_ships_can_be_read() -> None:
    assert shipped("dags") == ["diamond", "finance", "grid", "linear", "star", "traffic"]
    tasks = {name: len(read_plan_job(name).topology.operators) for name in shipped("dags")}
    assert tasks == {"linear": 5, "diamond": 5, "star": 5, "finance": 7, "traffic": 8, "grid": 15}


@pytest.mark.parametrize(("dag", "table", "out"), [("finance", 200, 3), ("traffic", 100, 3), ("grid", 300, 4)])
def test_the_application_dags_agree_with_what_the_paper_says_of_them(dag: str, table: float, out: int) -> None:
    job = read_plan_job(dag)
    rates = job.topology.rates(100.0, job.selectivity)
    assert [rate for name, rate in rates.items() if name.startswith("table")] == [table]  # section 8.4.2
    assert sum(rates[name] for name in job.topology.sinks) == 100 * out  # between 2 and 4, section 8.3


def test_every_point_of_the_papers_models_says_where_it_comes_from() -> None:
    for model in read_models("paper", Path()).values():
        assert "8.4" in model.provenance["section"]
        assert all(point.source.split(":")[0] in ("text", "derived") for point in model.points)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("flow: {a: [b]}\n", r"tasks\.a.*no model of this task"),
        ("flow: {parse: [pi]}\ntasks: {pie: pi}\n", r"tasks\.pie.*name an operator"),
        ("flow: {parse: [pi]}\nselectivity: {pi: 2}\n", r"selectivity\.pi.*parse -> pi"),
        ("flow: {parse: [parse]}\n", "cycle"),
        ("flow: {parse: [pi]}\nspeed: 3\n", "speed"),
        ("flow: {parse: []}\nmachines: {0: 1.0}\n", "machines: 0 cannot be used"),
        ("flow: {parse: []}\nmachines: {}\n", "give at least one size"),
        ("flow: {parse: []}\nmodels: {parse: {points: []}}\n", "at least one point"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_plan_job(str(path))
