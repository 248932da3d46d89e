"""The command line as a user calls it: exit codes, what goes where, and errors in one line."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from penstock.governing.last_word import left
from penstock.governing.run import RunOptions
from penstock.governing.standby import Word
from penstock.governing.story import RunStory
from penstock.planning.registry import POLICIES
from tests.cli.calling import command, environment, penstock, program
from tests.simulation.small import scenario, written


def test_json_to_standard_output_is_one_document_and_nothing_else(tmp_path: Path) -> None:
    path = written(tmp_path, scenario())
    done = program("simulate", str(path), "--policy", "henge,static", "--seed", "7", "--json", "-")
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert (document["scenario"], document["seed"]) == ("small", 7)
    assert [run["policy"] for run in document["runs"]] == ["henge", "static"]
    assert set(document["runs"][0]) == {
        "policy", "utility_mean", "utility_p5", "utility_p15", "utility_p50", "utility_p90", "reconfigurations",
        "converged_at", "slot_seconds", "recoveries", "jobs", "decisions",
    }  # fmt: skip
    assert "small" in done.stderr


def test_what_the_user_can_mend_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    path = written(tmp_path, scenario(durration="1h"))
    done = penstock("simulate", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"penstock: {path}:2:1: durration: '1h' cannot be used; there is no such field; did you mean duration?\n"
    )


def test_an_unknown_policy_is_refused_before_anything_runs(tmp_path: Path) -> None:
    done = penstock("simulate", str(written(tmp_path, scenario())), "--policy", "magic")
    assert done.returncode == 2
    assert "policy: 'magic' cannot be used; choose one of" in done.stderr


def test_a_claim_that_fails_is_exit_code_1_and_named(tmp_path: Path) -> None:
    claim = {"claim": "it is magic", "metric": "utility_mean", "policy": "static", "at_least": 2}
    path = written(tmp_path, scenario(expect=[claim], policies=["static"]))
    done = penstock("simulate", str(path))
    assert done.returncode == 1
    assert "fails: it is magic (found 1, wanted at least 2.0)" in done.stderr


def test_a_plot_and_a_story_come_on_request(tmp_path: Path) -> None:
    crowded = scenario(duration="300s")
    crowded["jobs"][0]["rate"] = 1500
    out = tmp_path / "out.png"
    done = penstock("simulate", str(written(tmp_path, crowded)), "--plot", str(out), "--story")
    assert done.returncode == 0
    assert out.stat().st_size > 10_000
    assert "1 decision: 1 Reconfigured" in done.stderr


def test_json_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    done = penstock("simulate", str(written(tmp_path, scenario())), "--json", str(tmp_path / "no" / "such.json"))
    assert done.returncode == 2
    assert "give a path that can be written" in done.stderr


def test_policies_are_listed_with_a_line_each() -> None:
    lines = penstock("policies").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(POLICIES)
    assert lines[-1].endswith("(default)")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["run"], "penstock: Missing argument 'TENANTS'. See: penstock run --help\n"),
        (["route", "x.csv", "--servers", "1e9"], "'1e9' is not a valid integer. See: penstock route --help\n"),
        (["control", "pause", "--loud"], " See: penstock control pause --help\n"),
        (["chek"], "See: penstock --help\n"),
    ],
)
def test_a_wrong_option_is_one_line_too(line: list[str], told: str) -> None:
    done = penstock(*line)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert done.stderr.endswith(told), done.stderr


def test_without_a_command_the_help_is_shown() -> None:
    assert "Before it runs:" in penstock().stderr + penstock().stdout
    assert "Commands:" in penstock("control").stderr + penstock("control").stdout


def test_help_shows_an_example() -> None:
    assert "penstock simulate scenarios/henge/fig13.yaml" in penstock("simulate", "--help").stdout


@pytest.fixture
def tenants(tmp_path: Path) -> Path:
    """A file of tenants at a master where nobody listens."""
    job = {
        "name": "quick",
        "job": "tests.governing.tenant_jobs:quick",
        "params": {"rows_per_second": 50},
        "intent": {"juice": 0.5},
    }
    (tmp_path / "tenants.yaml").write_text(yaml.safe_dump({"master": "spark://127.0.0.1:9", "jobs": [job]}))
    return tmp_path / "tenants.yaml"


def test_a_master_that_is_away_is_another_exit_code_than_a_mistake(tenants: Path) -> None:
    done = penstock("run", str(tenants), "--store", str(tenants.with_name("runs.sqlite")))
    assert (done.returncode, "nobody listens at 'spark://127.0.0.1:9'" in done.stderr) == (75, True)


@pytest.mark.parametrize(("error", "exit_code"), [(None, 0), ("Spark's JVM has ended", 1), ("taken up", 4)])
def test_a_run_that_ended_by_an_error_says_so_and_does_not_exit_as_one_that_is_over(
    tenants: Path, monkeypatch: pytest.MonkeyPatch, error: str | None, exit_code: int
) -> None:
    story = RunStory("shop", "henge", "local[2]", False, (), (), error, exit_code)
    monkeypatch.setattr("penstock.governing.run.run_tenants", lambda *given: story)
    done = penstock("run", str(tenants))
    assert (done.returncode, str(error) in done.stderr) == (exit_code, error is not None)


def test_a_standby_needs_somebody_who_starts_drivers_again(tenants: Path) -> None:
    done = penstock("run", str(tenants), "--standby")
    assert (done.returncode, "--standby" in done.stderr, "add --restart" in done.stderr) == (2, True, True)


@pytest.mark.parametrize("file", [".", "no/such/folder/heartbeat", "tenants.yaml/heartbeat"])
def test_a_heartbeat_that_could_never_be_written_is_refused_before_anything_runs(tenants: Path, file: str) -> None:
    # With --restart its driver would be taken for one that hangs, every five minutes.
    wrong = ["--heartbeat", str(tenants.parent / file), "--store", str(tenants.with_name("runs.sqlite"))]
    done = penstock("run", str(tenants), *wrong)
    assert (done.returncode, "--heartbeat: '" in done.stderr, "can be written" in done.stderr) == (2, True, True)
    later = penstock("run", str(tenants), *wrong, "--run-id", "seven", "--down-since", "1")
    assert later.returncode == 75  # nothing ends a run for good that has begun


def test_an_output_whose_folder_is_gone_ends_no_run_for_good_that_has_begun(tenants: Path) -> None:
    store = ["--store", str(tenants.with_name("runs.sqlite"))]
    later = penstock("run", str(tenants), *store, "--json", "/no/such/out", "--run-id", "seven", "--down-since", "1")
    assert later.returncode == 75


def test_a_driver_that_stood_by_runs_as_what_the_one_before_left(
    tenants: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[RunOptions]()

    def run(file: object, options: RunOptions, show: object) -> RunStory:
        told.append(options)
        return RunStory("shop", "henge", "local[2]", False, (), ())

    monkeypatch.setattr("penstock.governing.standing.stand_by", lambda *given: Word(1_700_000_000.0, 60.0, 600.0))
    monkeypatch.setattr("penstock.governing.run.run_tenants", run)
    done = penstock("run", str(tenants), "--run-id", "seven", "--awaits", str(tenants.with_name("life")))
    (options,) = told
    assert (done.returncode, options.run_id) == (0, "seven")
    assert (options.down_since_s, options.age_s, options.starts_within_s) == (1_700_000_000.0, 60.0, 600.0)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_told_to_end_as_containers_are_or_loses_its_terminal_ends_as_by_ctrl_c(
    number: signal.Signals, tenants: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told_to_end(*given: object) -> None:
        assert signal.getsignal(number) is signal.default_int_handler
        os.kill(os.getpid(), number)

    monkeypatch.setattr("penstock.governing.run.run_tenants", told_to_end)
    before = signal.signal(number, signal.SIG_DFL)  # who has these tests run by `nohup` had it ignored
    try:
        done = penstock("run", str(tenants))
    finally:
        signal.signal(number, before)
    assert done.returncode == 130


# Its supervisor is whoever started it, and Ctrl-C was ignored for it before it began.
SUPERVISED = """
import os, signal, sys
import penstock.governing.run
from penstock.cli.main import main
penstock.governing.run.run_tenants = lambda *given: os.kill(os.getpid(), signal.SIGINT)
sys.argv = ["penstock", "run", sys.argv[1], "--supervisor", str(os.getppid()), "--down-since", "1.0"]
main()
"""


def test_a_supervised_run_hears_its_supervisor_also_where_a_scripts_background_ignores_ctrl_c(tenants: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.run([sys.executable, "-c", SUPERVISED, str(tenants)], env=environment(), check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 130


# How its governing ends is given, what the file of life is, and options.
WITH_A_HEART = """
import os, sys
import penstock.governing.run, penstock.governing.standing
from penstock.cli.main import main
from penstock.errors import TakenOverError
def taken_over(*given):
    raise TakenOverError("it is another's")
def by_a_tenant(*given):
    os._exit(4)
def called_by_nobody(*given):
    raise SystemExit(4)
penstock.governing.standing.stand_by = called_by_nobody
penstock.governing.run.run_tenants = globals()[sys.argv[2]]
supervised = ["--supervisor", str(os.getppid()), "--heartbeat", sys.argv[3]]
sys.argv = ["penstock", "run", sys.argv[1], *supervised, "--down-since", "1.0", *sys.argv[4:]]
main()
"""


@pytest.mark.parametrize(
    ("how", "options", "word"),
    [("taken_over", (), 4), ("by_a_tenant", (), None), ("called_by_nobody", ("--awaits", "life"), None)],
)
def test_a_supervised_run_leaves_a_last_word_but_not_where_a_tenant_ends_its_process_or_it_only_stood_by(
    how: str, options: tuple[str, ...], word: int | None, tenants: Path, tmp_path: Path
) -> None:
    script = [sys.executable, "-c", WITH_A_HEART, str(tenants), how, str(tmp_path / "heartbeat"), *options]
    assert subprocess.run(script, env=environment(), check=False).returncode == 4
    assert left(tmp_path / "heartbeat") == word


@pytest.mark.parametrize(("closed", "code"), [("2>&-", 2), ("<&- >&- 2>&-", 2)])
def test_a_run_without_its_standard_streams_says_nothing_and_ends_as_it_would(closed: str, code: int) -> None:
    line = f"exec {shlex.join(command('run', 'no-such-file.yaml'))} {closed}"
    assert subprocess.run(["sh", "-c", line], env=environment(), check=False).returncode == code
