"""The demo's three runs: recorded each by its own name, and compared at the address that is told."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from penstock.cli.trials import show_trials
from penstock.core.run import RunInfo
from penstock.governing.comparison import PolicyTurn, TrialResult, record_trials
from penstock.store.memory import MemoryStore
from penstock.store.open import open_store
from penstock.web.comparing import compared
from penstock.web.reading import Reader
from tests.recorded import RUN, a_cycle, a_job, a_view


def result(policy: str, utility: float) -> TrialResult:
    """What a trial leaves behind in which the one tenant had that utility of 35."""
    kept = MemoryStore(replace(RUN, id=policy, name=policy, policy=policy))
    for at_s in (10.0, 20.0):
        kept.append(a_cycle(at_s, a_view(at_s, [a_job("ads", utility)])))
    return TrialResult(PolicyTurn(policy, 20.0), (), (), kept.read_run(policy), kept.cycles(policy))


@pytest.fixture
def results() -> list[TrialResult]:
    return [result("fifo", 7.0), result("fair", 14.0), result("penstock", 35.0)]


def test_each_trial_is_a_run_of_its_own_that_can_be_compared(tmp_path: Path, results: list[TrialResult]) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        fifo, fair, ours = record_trials(results, "demo", store)
        assert [run.name for run in (fifo, fair, ours)] == ["demo-fifo", "demo-fair", "demo-penstock"]
        again = record_trials([replace(one, run=replace(one.run, info=later(one))) for one in results], "demo", store)
        assert not {run.id for run in again} & {fifo.id, fair.id, ours.id}
        found = compared(Reader(store), fifo.id, ours.id)
    assert (found.a.utility_share, found.b.utility_share) == (0.2, 1.0)  # 7 and 35 of 35


def later(one: TrialResult) -> RunInfo:
    return replace(one.run.info, started_at_s=(one.run.info.started_at_s or 0.0) + 60.0)


def test_the_address_is_told_and_names_all_three(
    tmp_path: Path, results: list[TrialResult], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "runs.sqlite")
    show_trials(results, path, serve=False)
    told = capsys.readouterr().err
    assert f"penstock serve --store {path}, then http://127.0.0.1:7373/#/compare?" in told
    query = parse_qs(urlsplit(f"//x/{told.split('#/')[1].strip()}").query)
    with closing(open_store(path, create=False)) as store:
        fifo, fair, ours = (run.id for run in store.runs())
    assert query == {"run": [ours], "a": [fifo], "b": [ours], "c": [fair]}


def test_a_store_that_cannot_be_written_costs_the_comparison_and_not_the_demo(
    results: list[TrialResult], capsys: pytest.CaptureFixture[str]
) -> None:
    show_trials(results, "/proc/nowhere/runs.sqlite", serve=False)
    assert "the three runs are not recorded: " in capsys.readouterr().err
