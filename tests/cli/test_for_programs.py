"""Commands for programs and narrow screens: JSON where it is asked for, nothing cut in a pipe, no colour unwanted."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.text import Text

from penstock.cli.screen import Screen
from penstock.cli.terminal import Terminal
from penstock.core.asked.price import Price
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.web.reading import Reader
from tests.cli.calling import penstock
from tests.recorded import RUN, a_cycle, a_decision, a_job, a_judging_cycle, a_pooled_view, a_view, an_acting_cycle

OTHER = replace(RUN, id="night-2", name="night", policy="fair")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """One run under henge, in which ads had 20 of 35; and one under fair, in which it had 10."""
    with closing(open_store(tmp_path / "runs.sqlite")) as opened:
        opened.begin(RUN)
        for cycle in (a_cycle(10.0), an_acting_cycle(20.0), a_judging_cycle(30.0, 20.0)):
            opened.append(cycle)
        opened.begin(OTHER)
        for at_s in (100.0, 110.0, 120.0):
            opened.append(a_cycle(at_s, a_view(at_s, [a_job("ads", 10.0), a_job("fraud", 35.0)])))
        yield opened


def told(store: SqlStore, *command: str) -> object:
    called = penstock(*command, "--store", store.database.target, "--json", "-")
    assert (called.returncode, called.stderr) == (0, "")
    return json.loads(called.stdout)


def test_top_as_json_is_one_look(store: SqlStore) -> None:
    found = told(store, "top", "--run", RUN.id)
    assert isinstance(found, dict)
    assert [tenant["name"] for tenant in found["present"]["tenants"]] == ["ads", "fraud"]
    assert (found["run"]["id"], found["control"]["live"]) == (RUN.id, False)


def test_control_show_as_json_has_proposals_and_the_audit_log(store: SqlStore) -> None:
    store.desk.propose(RUN.id, a_decision(40.0))
    found = told(store, "control", "show", "--run", RUN.id)
    assert isinstance(found, dict)
    assert [(one["number"], one["answer"]) for one in found["proposals"]] == [(1, "open")]
    assert (found["run"], found["live"], found["audit"]) == (RUN.id, False, [])


def test_policies_as_json_say_which_is_the_default() -> None:
    found = json.loads(penstock("policies", "--json", "-").stdout)
    assert [one["name"] for one in found if one["default"]] == ["penstock"]


def test_two_runs_are_compared_by_what_all_had_and_each_tenant(store: SqlStore) -> None:
    # ads 20 and fraud 35 of 70 are 79 %; with 10 instead of 20 it is 64 %.
    said = penstock("diff", "night", RUN.id, "--store", store.database.target).stdout
    assert "+14 points of utility: demo under henge gave 79 % of the utility" in said
    assert "instead of 64 % (night under fair)." in said
    assert "Each tenant met its intent as often in both runs." in said
    rows = [line.split("  ") for line in said.splitlines() if line.startswith(("all", "ads"))]
    assert [[cell.strip() for cell in row if cell.strip()][:4] for row in rows] == [
        ["all", "64 %", "79 %", "+14 points"],
        ["ads", "29 %", "57 %", "+29 points"],
    ]


def test_a_comparison_is_a_document_too(store: SqlStore) -> None:
    found = told(store, "diff", "night", RUN.id)
    assert isinstance(found, dict)
    # Each from its own beginning on.
    assert [found[side]["series"]["at_s"] for side in ("a", "b")] == [[0.0, 10.0, 20.0], [0.0, 10.0, 20.0]]
    assert [(job["name"], job["met_b"]) for job in found["jobs"]] == [("ads", 0.0), ("fraud", 1.0)]


def test_what_only_one_run_had_or_asked_otherwise_is_said(store: SqlStore) -> None:
    store.begin(replace(RUN, id="third-3", name="third"))
    store.append(a_cycle(10.0, a_view(10.0, [a_job("new", 20.0)])))
    said = penstock("diff", RUN.id, "third", "--store", store.database.target).stdout
    assert "Only one of them had ads, fraud, new." in said


def test_nothing_is_cut_in_a_pipe(store: SqlStore) -> None:
    long = "a tenant with a name that is as long as names of tenants may well be where teams name them " * 2
    view = a_view(150.0, [a_job(long.strip())])
    broken = replace(view.jobs[0], figures=replace(view.jobs[0].figures, trouble="broken for " + 60 * "good "))
    store.append(a_cycle(150.0, replace(view, jobs=(broken,))))
    said = penstock("top", "--store", store.database.target).stdout
    assert (long.strip() in said, (60 * "good ").strip() in said, "…" in said) == (True, True, False)
    assert "…" not in penstock("explain", "last", "--store", store.database.target).stdout


def test_eighty_columns_have_who_how_and_why(store: SqlStore) -> None:
    store.append(a_cycle(150.0, a_pooled_view(150.0, {"ads": 2, "fraud": 9}, slots=8, capacity=3.45, cores=1.9)))
    out = StringIO()
    Terminal(file=out, width=80).print(Screen(store, Reader(store), OTHER.id).drawn())
    row = next(line for line in out.getvalue().splitlines() if line.startswith("ads "))
    assert len(row.rstrip()) <= 80
    for shown in ("ads", "missing", "3 s, 90 %", "20 of 35", "p95 latency"):
        assert shown in row


def test_what_tenants_cost_is_shown_where_the_file_gives_a_price_and_only_there(store: SqlStore) -> None:
    store.begin(replace(RUN, id="priced-1", name="priced", price=Price(0.05, "EUR")))
    store.append(a_cycle(10.0, a_pooled_view(10.0, {"ads": 2, "fraud": 6}, slots=8, capacity=0.5)))
    found = told(store, "top", "--run", "priced")
    assert isinstance(found, dict)
    assert found["present"]["price"] == {"slot_hour": 0.05, "currency": "EUR"}
    assert {one["name"]: one["cost_hour"] for one in found["present"]["tenants"]} == pytest.approx(
        {"ads": 0.1, "fraud": 0.3}
    )
    shown = penstock("top", "--run", "priced", "--store", store.database.target).stdout
    assert "an hour" in shown
    assert "0.30 EUR" in shown
    assert "an hour" not in penstock("top", "--run", "night", "--store", store.database.target).stdout


@pytest.mark.parametrize(("given", "coloured"), [("", True), ("1", False)])
def test_no_colour_is_used_where_nobody_wants_any(given: str, coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", given)
    monkeypatch.setenv("TERM", "xterm")
    out = StringIO()
    Terminal(file=out, force_terminal=True).print(Text("late", style="red"))
    assert ("\x1b[31m" in out.getvalue()) is coloured
