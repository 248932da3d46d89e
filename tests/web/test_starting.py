"""A tenant that starts neither has its utility nor misses it: pages, `top`, `explain` and metrics count alike."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from penstock.cli.screen import Screen
from penstock.cli.tenants_table import tenants_table
from penstock.core.seen.states import State, state_of
from penstock.core.seen.view import JobView
from penstock.governing.comparison import PolicyTurn, TrialResult
from penstock.governing.notebook import rows
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.telling.explain import explain
from penstock.web.metrics import exposition
from penstock.web.reading import Reader
from tests.recorded import RUN, a_cycle, a_job, a_view


def a_starting_job(name: str) -> JobView:
    job = a_job(name, utility=None)
    job = replace(job, figures=replace(job.figures, latency=None, juice=None, arrival_rps=None, settling=True))
    assert state_of(job) is State.STARTING
    return job


def a_stale_job(name: str) -> JobView:
    """It had everything when it was last seen."""
    job = replace(a_job(name, utility=35.0), fresh=False)
    assert (state_of(job), job.met) == (State.STALE, True)
    return job


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """ads has all of 35, geo starts."""
    with closing(open_store(tmp_path / "runs.sqlite")) as opened:
        opened.begin(RUN)
        for at_s in (10.0, 20.0):
            opened.append(a_cycle(at_s, a_view(at_s, [a_job("ads", utility=35.0), a_starting_job("geo")])))
        yield opened


def text_of(shown: object) -> str:
    out = StringIO()
    Console(file=out, width=220).print(shown)
    return out.getvalue()


def test_who_starts_is_counted_apart_on_the_page_and_in_top(store: SqlStore) -> None:
    reader = Reader(store)
    present = reader.overview(RUN.id, None, 10).present
    assert present is not None
    assert (present.met, present.judged, present.starting) == (1, 1, 1)
    assert (present.utility, present.possible_utility, present.max_utility) == (35.0, 35.0, 70.0)
    screen = text_of(Screen(store, reader, RUN.id).drawn())
    assert "35 of 35   1 of 1 SLOs met, 1 starting" in screen


def test_who_starts_misses_nothing_in_the_story_the_table_and_the_metrics(store: SqlStore) -> None:
    assert "utility 35 of 35 (1 starting)" in explain(store.read_run(RUN.id))
    assert "Utility 35 of 35." in text_of(
        tenants_table(a_view(10.0, [a_job("ads", 35.0), a_starting_job("geo")]), "now")
    )
    metrics = exposition(Reader(store).seen(RUN.id)).decode()
    assert 'penstock_utility_possible{run="demo"} 35.0' in metrics
    assert 'slo_met{job="geo"' not in metrics


def test_whose_figures_are_old_is_not_among_those_that_have_what_they_asked_for() -> None:
    views = (a_view(10.0, [a_job("ads", utility=35.0)]), a_view(20.0, [a_stale_job("ads")]))
    assert TrialResult(PolicyTurn("fair", 20.0), views, (), None).met("ads") == 0.5  # type: ignore[arg-type]
    assert [row["met"] for row in rows(views)] == [True, False]


def test_what_a_stale_tenant_had_is_told_beside_the_utility_that_is_known(tmp_path: Path) -> None:
    view = a_view(10.0, [a_job("ads", 20.0), a_stale_job("geo")])
    assert "Utility 20 of 70, 35 more by old metrics." in text_of(tenants_table(view, "now"))
    with closing(open_store(tmp_path / "runs.sqlite")) as kept:
        kept.begin(RUN)
        kept.append(a_cycle(10.0, view))
        present = Reader(kept).overview(RUN.id, None, 10).present
        assert present is not None
        assert (present.known_utility, present.utility, present.possible_utility) == (20.0, 55.0, 70.0)
        assert "20 of 70, 35 more by old metrics   0 of 2 SLOs met" in text_of(
            Screen(kept, Reader(kept), RUN.id).drawn()
        )


def test_a_trial_counts_nobody_before_it_could_be_measured() -> None:
    views = (
        a_view(10.0, [a_job("ads", utility=35.0), a_starting_job("geo")]),
        a_view(20.0, [a_job("ads", utility=35.0), a_job("geo", utility=7.0)]),
    )
    trial = TrialResult(PolicyTurn("fair", 20.0), views, (), None)  # type: ignore[arg-type]
    # 35 of 35, then 42 of 70: the mean of 1 and 0.6.
    assert (trial.utility_share, trial.job_utility_share("geo"), trial.met("ads")) == (0.8, 0.2, 1.0)
