"""Intents as OpenSLO documents, and OpenSLO documents as intents."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from penstock.config.document import Document, read_document
from penstock.config.openslo import from_openslo, openslo_in, to_openslo
from penstock.config.wanted import wanted_in
from penstock.config.wanted_file import read_wanted
from penstock.errors import ConfigError

JOBS: list[dict[str, Any]] = [
    {"name": "fraud", "intent": {"latency": "2s", "percentile": 95.0, "utility": 40.0}},
    {
        "name": "sums",
        "intent": {"latency": "5s", "recovery": 60.0, "shape": "piecewise", "points": [["10s", 0.5], ["20s", 0.0]]},
    },
    {"name": "back", "intent": {"recovery": "30s"}},
    {"name": "ads", "intent": [{"juice": 0.9, "utility": 10.0}, {"latency": "20s", "utility": 5.0, "shape": "linear"}]},
]


def slos(jobs: list[dict[str, Any]], **others: Any) -> list[dict[str, Any]]:
    return to_openslo("shop", wanted_in(Document("tenants.yaml", {"jobs": jobs, **others})))


def test_what_goes_out_comes_in_again() -> None:
    """A recovery target beside another one stays beside it: alone it would be an objective."""
    assert from_openslo(slos(JOBS)).jobs == tuple(JOBS)


def test_an_slo_asks_penstocks_own_metric_for_each_minute_of_four_weeks() -> None:
    slo, *others = slos(JOBS)
    assert len(others) == 4
    assert slo["metadata"]["name"] == "fraud-p95-latency"
    metric = slo["spec"]["indicator"]["spec"]["thresholdMetric"]["metricSource"]
    assert metric["spec"]["query"] == 'penstock_job_latency_seconds{run="shop",job="fraud",quantile="0.95"}'
    assert slo["spec"]["timeWindow"] == [{"duration": "28d", "isRolling": True}]
    assert slo["spec"]["objectives"][0] == {
        **{"op": "lte", "value": 2.0, "target": 0.95, "timeSliceTarget": 1.0, "timeSliceWindow": "1m"}
    }


def test_a_budget_is_a_time_window_with_its_slices_there_and_back() -> None:
    lasting = {
        "name": "fraud",
        "intent": {"latency": "2s", "percentile": 95.0, "hours": {"from": "06:00", "to": "20:00", "days": "mon-fri"}},
        "budget": {"keep": 0.99, "windows": "5m", "over": "28d", "each": 0.9},
        "excluded": [{"from": "2026-12-24", "to": "2026-12-25", "why": "the move"}],
    }
    (slo,) = slos([lasting])
    assert slo["spec"]["timeWindow"] == [{"duration": "28d", "isRolling": True}]
    assert slo["spec"]["budgetingMethod"] == "Timeslices"
    assert slo["spec"]["objectives"][0] == {
        **{"op": "lte", "value": 2.0, "target": 0.99, "timeSliceTarget": 0.9, "timeSliceWindow": "5m"}
    }
    (back,) = from_openslo([slo]).jobs
    assert back == lasting
    assert wanted_in(Document("tenants.yaml", {"jobs": [back]})).asked() == (
        wanted_in(Document("tenants.yaml", {"jobs": [lasting]})).asked()
    )


def test_what_is_excluded_for_all_is_so_for_each_that_comes_back() -> None:
    move = {"from": "2026-12-24", "to": "2026-12-25", "why": "the move"}
    backfill = {"from": "2026-11-02", "to": "2026-11-03", "why": "a backfill"}
    jobs = [{"name": "ads", "intent": {"latency": "2s"}, "excluded": [backfill]}, JOBS[0]]
    first, second = from_openslo(slos(jobs, excluded=[move])).jobs
    assert (first["excluded"], second["excluded"]) == ([move, backfill], [move])


def test_an_indicator_may_stand_by_itself() -> None:
    (slo,) = slos([JOBS[0]])
    indicator = {**slo["spec"].pop("indicator"), "apiVersion": "openslo/v1", "kind": "SLI"}
    slo["metadata"]["annotations"].pop("penstock.io/target")
    slo["spec"]["indicatorRef"] = indicator["metadata"]["name"]
    unused = {**indicator, "metadata": {"name": "unused"}}
    read = from_openslo([slo, indicator, unused])
    assert read.jobs == (JOBS[0],)
    assert read.left_out == ("unused: its kind is SLI, of which nothing is read",)
    with pytest.raises(ConfigError, match="annotate it with"):
        from_openslo([slo])


def test_whoever_needs_intents_alone_is_given_openslo_documents(tmp_path: Path) -> None:
    file = tmp_path / "slos.yaml"
    service = {"apiVersion": "openslo/v1", "kind": "Service", "metadata": {"name": "shop"}}
    file.write_text(yaml.safe_dump_all([*slos(JOBS), service]))
    told: list[str] = []
    asked = wanted_in(Document("tenants.yaml", {"jobs": JOBS})).asked()
    assert read_wanted(file, told.append).asked() == asked
    assert told == ["shop: its kind is Service, of which nothing is read"]
    with pytest.raises(ConfigError, match="see `penstock intents FILE`"):
        read_document(file, "tenants file")  # of jobs that are to be started


def test_a_mistake_in_an_annotation_is_said_with_its_place(tmp_path: Path) -> None:
    (slo,) = slos([JOBS[0]])
    slo["metadata"]["annotations"]["penstock.io/utility"] = "much"
    file = tmp_path / "slos.yaml"
    file.write_text(yaml.safe_dump(slo))
    with pytest.raises(ConfigError, match=r"jobs\.fraud\.intent\.utility: 'much'"):
        read_wanted(file)


@pytest.mark.parametrize(
    ("change", "budget", "left_out"),
    [
        ({}, {"keep": 0.99, "windows": "5m", "over": "30d"}, ()),
        (
            {"budgetingMethod": "Occurrences"},
            {"keep": 0.99, "windows": "5m", "over": "30d"},
            ("s: it counts Occurrences, which is read as time slices of 5m",),
        ),
        (
            {"timeWindow": [{"duration": "1M", "isRolling": False, "calendar": {"timeZone": "UTC"}}]},
            {"keep": 0.99, "windows": "5m", "over": "30d"},
            ("s: its window is the calendar's; one of its length that rolls is read",),
        ),
        (
            {"timeWindow": [{"duration": "1Y", "isRolling": True}]},
            None,
            ("s: its budget is not read: over: '365d' cannot be used; write ten windows or more, and at most 92d",),
        ),
    ],
)
def test_how_somebody_elses_budget_is_read(
    change: dict[str, Any], budget: dict[str, Any] | None, left_out: tuple[str, ...]
) -> None:
    spec = {
        "service": "orders",
        "timeWindow": [{"duration": "30d", "isRolling": True}],
        "budgetingMethod": "Timeslices",
        "objectives": [{"op": "lt", "value": 30, "target": 0.99, "timeSliceWindow": "5m"}],
    }
    about = {"name": "s", "annotations": {"penstock.io/target": "mean-latency"}}
    read = from_openslo([{"apiVersion": "openslo/v1", "kind": "SLO", "metadata": about, "spec": {**spec, **change}}])
    asked = {"name": "orders", "intent": {"latency": "30s"}}
    assert read.jobs == ({**asked, "budget": budget} if budget else asked,)
    assert read.left_out == left_out


def test_slos_of_one_tenant_with_other_budgets_are_told() -> None:
    first, second = slos([{"name": "ads", "intent": [{"juice": 0.9}, {"latency": "20s"}], "budget": {"keep": 0.99}}])
    second["spec"]["objectives"][0]["target"] = 0.9
    read = from_openslo([first, second])
    assert read.jobs[0]["budget"]["keep"] == 0.99
    assert read.left_out == ("ads-mean-latency: its budget is another than that of ads's first SLO, which is read",)


def test_somebody_elses_slo_needs_to_say_what_it_is_about() -> None:
    text = """
apiVersion: openslo/v1
kind: Service
metadata: {name: checkout}
---
apiVersion: openslo/v1
kind: SLO
metadata:
  name: orders-fresh
  annotations: {penstock.io/target: latency, penstock.io/percentile: "99"}
spec:
  service: orders
  indicatorRef: freshness
  timeWindow: [{duration: 30d, isRolling: true}]
  budgetingMethod: Timeslices
  objectives: [{op: lt, value: 30, target: 0.99, timeSliceWindow: 5m}]
"""
    read = openslo_in(text, Path("slos.yaml"))
    budget = {"keep": 0.99, "windows": "5m", "over": "30d"}
    assert read.jobs == ({"name": "orders", "intent": {"latency": "30s", "percentile": 99.0}, "budget": budget},)
    assert read.left_out == ("checkout: its kind is Service, of which nothing is read",)
    slo = list(yaml.safe_load_all(text))[1]
    slo["metadata"].pop("annotations")
    with pytest.raises(ConfigError, match=r"orders-fresh\.metadata.annotations: .*penstock.io/target: one of latency"):
        from_openslo([slo])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"op": "gte"}, "fraud-p95-latency.spec.objectives.op: 'gte' cannot be used; write lte"),
        ({"value": -1}, "fraud-p95-latency.spec.objectives.value: -1 cannot be used; write a number above zero"),
    ],
)
def test_what_is_no_target_is_said_with_its_place(change: dict[str, Any], told: str) -> None:
    slo = slos(JOBS)[0]
    slo["spec"]["objectives"][0].update(change)
    with pytest.raises(ConfigError) as error:
        from_openslo([slo])
    assert str(error.value).startswith(told)


WHOLE = """
apiVersion: openslo/v1
kind: SLO
metadata: {name: fresh, annotations: {penstock.io/target: latency, penstock.io/percentile: 99}}
spec:
  service: orders
  indicator: {spec: {thresholdMetric: {metricSource: {spec: {query: q}}}}}
  timeWindow: [{duration: 30d}]
  objectives: [{op: lt, value: 30, target: 0.99}]
"""


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (
            "metadata: {name: fresh, annotations: {",
            "metadata: {name: fresh, annotations: [{",
            "write YAML|fix the YAML",
        ),
        ("{name: fresh, annotations: {penstock.io/target: latency, penstock.io/percentile: 99}}", "x", "metadata: 'x'"),
        ("{penstock.io/target: latency, penstock.io/percentile: 99}", "[x]", r"fresh\.metadata\.annotations: \['x'\]"),
        ("penstock.io/target: latency", "penstock.io/target: [latency]", "metadata.annotations: .* annotate it with"),
        ("{spec: {thresholdMetric: {metricSource: {spec: {query: q}}}}}", "q", r"fresh\.spec\.indicator: 'q'"),
        ("{metricSource: {spec: {query: q}}}", "[]", r"fresh\.spec\.indicator\.spec\.thresholdMetric"),
        ("  objectives: [{op: lt, value: 30, target: 0.99}]", "  objectives: {op: lt}", r"fresh\.spec\.objectives"),
        ("{op: lt, value: 30, target: 0.99}", "lt", r"fresh\.spec\.objectives\.0: 'lt' cannot be used"),
        ("[{duration: 30d}]", "30d", r"fresh\.spec\.timeWindow: '30d' cannot be used; write a list"),
        ("value: 30", "value: .nan", "objectives.value: nan cannot be used"),
        ("value: 30", "value: .inf", "objectives.value: inf cannot be used"),
        ("value: 30", f"value: {'9' * 900}", "objectives.value: 9+... cannot be used|a number of more"),
        ("value: 30", f"value: {'9' * 5000}", r"slos.yaml:9:\d+: .* write a smaller number"),
        ("value: 30", "value: 2026-13-45", r"slos.yaml:9:\d+: .* there is no such day"),
        ("value: 30", "value: 30, value: 40", r"slos.yaml:9:\d+: .*value: .* the same key is already in line 9"),
        ("query: q", f"query: {'[' * 3000}", "nest at most 40"),
        ("kind: SLO", "kind: SLO\nspec: 5\nx: !!python/name:os.system a", "leave the tag"),
        ("kind: SLO", "kind: [SLO]", "jobs: .* give at least"),
        ("percentile: 99", "percentile: 99, penstock.io/utility: 2026-01-01", r"jobs\.orders\.intent\.utility"),
        ("percentile: 99", "percentile: 99, penstock.io/utility: NaN", r"jobs\.orders\.intent\.utility"),
    ],
)
def test_documents_of_another_shape_are_refused_in_one_line(before: str, after: str, told: str, tmp_path: Path) -> None:
    assert WHOLE.count(before) == 1
    file = tmp_path / "slos.yaml"
    file.write_text(WHOLE.replace(before, after))
    with pytest.raises(ConfigError, match=told) as error:
        read_wanted(file)
    assert len(str(error.value).splitlines()) == 1


def test_an_alias_counts_in_its_own_document_alone(tmp_path: Path) -> None:
    file = tmp_path / "slos.yaml"
    file.write_text(f"{WHOLE}---\n{WHOLE.replace('orders', '&there billing')}---\nkind: *there\n")
    with pytest.raises(ConfigError, match="no &there stands before it"):
        read_wanted(file)


@pytest.mark.parametrize("duration", ["9" * 400 + "d", "9" * 5000 + "d", "0d", "d"])
def test_a_window_that_is_none_leaves_the_intent(duration: str, tmp_path: Path) -> None:
    file, left_out = tmp_path / "slos.yaml", list[str]()
    file.write_text(WHOLE.replace("30d", duration))
    (part,) = read_wanted(file, left_out.append).jobs
    assert (part.name, part.budget) == ("orders", None)
    assert [line.partition(":")[0] for line in left_out] == ["fresh"]
