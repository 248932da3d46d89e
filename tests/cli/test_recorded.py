"""`penstock report` and `penstock explain` on what was recorded."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from penstock.cli.explain import explain_command
from penstock.cli.report import report_command
from penstock.errors import ConfigError
from penstock.store.open import open_store
from tests.recorded import RUN, a_cycle, a_judging_cycle, an_acting_cycle


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        for run in (RUN, replace(RUN, id="nightly-7", name="nightly")):
            store.begin(run)
            store.append(a_cycle(10.0))
            store.append(an_acting_cycle(20.0))
        yield path  # still open: reports are read while a run is written


def explained(run: str, store: Path | None) -> Result:
    options = [] if store is None else ["--store", str(store)]
    return CliRunner().invoke(explain_command, [run, *options], catch_exceptions=False)


@pytest.mark.parametrize(
    ("run", "told"), [("demo", "demo-1"), ("demo-1", "demo-1"), ("nightly", "nightly-7"), ("last", "nightly-7")]
)
def test_a_run_is_found_by_id_by_name_or_as_the_last(path: Path, run: str, told: str) -> None:
    result = explained(run, path)
    assert (result.exit_code, f"({told})" in result.stdout) == (0, True)


def test_a_path_tells_its_last_run(path: Path) -> None:
    assert "(nightly-7)" in explained(str(path), None).stdout


def test_the_page_goes_to_its_file_and_the_summary_to_the_terminal(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    result = CliRunner().invoke(report_command, ["last", "--store", str(path), "--html", str(out)])
    assert result.exit_code == 0
    assert "1 decision: 1 Reconfigured." in result.stdout
    assert str(out) in result.stderr
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("command", [explain_command, report_command], ids=["explain", "report"])
def test_a_run_that_is_not_there_is_an_error_with_those_that_are(path: Path, command: click.Command) -> None:
    with pytest.raises(ConfigError, match="last, demo-1, nightly-7"):
        CliRunner().invoke(command, ["weekly", "--store", str(path)], catch_exceptions=False)


def test_a_page_that_cannot_be_written_is_an_error_with_its_path(path: Path) -> None:
    arguments = ["last", "--store", str(path), "--html", str(path / "no" / "report.html")]
    with pytest.raises(ConfigError, match=r"--html: .* give a path that can be written"):
        CliRunner().invoke(report_command, arguments, catch_exceptions=False)


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no runs are recorded there"):
        explained("last", tmp_path / "none.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_is_another_file_is_a_mistake_and_no_outage(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello\n")
    with pytest.raises(
        ConfigError, match=r"store: .*notes.txt.* it is no database: give a file that penstock recorded"
    ):
        explained("last", tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "hello\n"


def test_a_report_is_a_document_for_programs_too(path: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(report_command, ["last", "--store", str(path), "--json", "-"], catch_exceptions=False)
    told = json.loads(result.stdout)
    assert (told["run"]["id"], told["came"], told["brought"]) == ("nightly-7", {"not judged": 1}, None)
    assert [(one["number"], one["text"], one["without"]) for one in told["decisions"]] == [(1, "ads: map 3 -> 6", None)]
    out = tmp_path / "report.json"
    said = CliRunner().invoke(report_command, ["last", "--store", str(path), "--json", str(out)])
    assert "1 decision: 1 Reconfigured." in said.stdout
    assert json.loads(out.read_text()) == told


def test_a_story_is_a_document_for_programs_too(path: Path) -> None:
    result = CliRunner().invoke(explain_command, ["last", "--store", str(path), "--json", "-"], catch_exceptions=False)
    told = json.loads(result.stdout)
    assert [event["at_s"] for event in told["events"]] == [20.0]
    assert told["events"][0]["lines"][0] == "Reconfigured ads: map 3 -> 6"


def test_how_it_would_have_gone_without_each_decision_is_simulated_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with closing(open_store(path)) as store:
        store.begin(RUN)
        for cycle in (an_acting_cycle(10.0), a_cycle(20.0), a_judging_cycle(70.0, 10.0), a_cycle(75.0)):
            store.append(cycle)
    given = ["last", "--store", str(path), "--without", "--json", "-"]
    (decision,) = json.loads(CliRunner().invoke(report_command, given, catch_exceptions=False).stdout)["decisions"]
    assert decision["without"]["span_s"] == 65.0
    story = CliRunner().invoke(explain_command, ["last", "--store", str(path), "--without"], catch_exceptions=False)
    assert "without it" in story.stdout
