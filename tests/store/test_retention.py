"""What is kept is bounded, in small deletes."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from penstock.core.asked.budget import Budget, BudgetWindow, SpentBudget
from penstock.errors import ConfigError
from penstock.store.memory import MemoryStore
from penstock.store.open import open_store
from penstock.store.retention import Retention
from penstock.store.sql import SqlStore
from penstock.store.tables import budget_windows, metadata
from tests.recorded import RUN, Noted, a_cycle, a_job, a_view, an_acting_cycle


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    opened = open_store(path, Retention(max_age_s=1000.0, max_cycles=20, every=1, batch=3))
    yield opened
    opened.close()


def test_a_run_keeps_its_newest_cycles_and_its_memory(store: SqlStore) -> None:
    store.begin(RUN)
    for number in range(50):
        store.append(an_acting_cycle(float(number)))
    run = store.read_run(RUN.id)
    assert run.at_s == tuple(float(number) for number in range(30, 50))
    assert [record.decision.at_s for record in run.decisions] == list(run.at_s)
    assert store.last_memory("henge", Noted) == Noted(49)


def test_one_append_deletes_no_more_than_a_batch(store: SqlStore, path: Path) -> None:
    generous = open_store(path)
    generous.begin(RUN)
    for number in range(30):
        generous.append(a_cycle(float(number)))
    generous.close()
    store.begin(RUN)
    store.append(a_cycle(30.0))  # 31 cycles, 11 too many, 3 in a batch
    assert len(store.read_run(RUN.id).at_s) == 28


def test_windows_of_budgets_outlive_the_cycles_they_were_counted_in(path: Path) -> None:
    budget = Budget.of("99%", windows="5m", over="1d")
    with closing(open_store(path, Retention(max_age_s=600.0, every=1, batch=30, max_window_age_s=86_400.0))) as store:
        store.begin(RUN)
        first_s = 999_900.0  # the window in which the run began
        for at_s in (0.0, 3600.0, 100_000.0):
            window = BudgetWindow(first_s + at_s - at_s % 300, good=1)
            spent = SpentBudget(budget, 2.88, 1, 0, 0)
            store.append(a_cycle(at_s, a_view(at_s, [replace(a_job("ads"), spent=spent, window=window)])))
            if at_s == 3600.0:
                assert len(store.windows("ads", budget, first_s + at_s)) == 2
                assert store.read_run(RUN.id).at_s == (3600.0,)
        with store.database.reading() as connection:
            left = connection.execute(sa.select(sa.func.count()).select_from(budget_windows)).scalar_one()
        assert left == 1  # the others are older than a day


def test_old_runs_go_when_their_last_cycle_is_too_old(store: SqlStore) -> None:
    store.begin(RUN)
    for number in range(5):
        store.append(a_cycle(float(number)))
    later = replace(RUN, id="later", started_at_s=(RUN.started_at_s or 0.0) + 2000.0)
    store.begin(later)
    for number in range(3):
        store.append(a_cycle(float(number)))
    assert store.runs() == (later,)


def test_nothing_of_a_deleted_run_stays_in_any_table(store: SqlStore, path: Path) -> None:
    store.begin(RUN)
    store.append(an_acting_cycle(0.0))
    store.begin(replace(RUN, id="later", started_at_s=9_000_000.0))
    store.append(a_cycle(0.0))
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert connection.execute(sa.text("PRAGMA foreign_key_check")).all() == []
        left = [
            connection.execute(sa.select(sa.func.count()).select_from(metadata.tables[f"penstock_{name}"])).scalar()
            for name in ("runs", "cycles", "job_figures", "decisions", "step_outcomes", "memories", "intents")
        ]
    engine.dispose()
    assert left == [1, 1, 2, 0, 0, 1, 2]


def test_simulated_time_has_no_age(store: SqlStore) -> None:
    store.begin(replace(RUN, started_at_s=None))
    for at_s in (0.0, 50_000.0):
        store.append(a_cycle(at_s))
    assert store.read_run(RUN.id).at_s == (0.0, 50_000.0)


def test_a_batch_that_never_catches_up_is_refused() -> None:
    with pytest.raises(ConfigError, match="batch"):
        Retention(every=10, batch=10)


def test_memory_keeps_whole_cycles_for_a_while_and_timelines_for_the_run() -> None:
    store = MemoryStore(RUN, kept_cycles=3)
    for number in range(10):
        store.append(a_cycle(float(number)))
    assert [view.at_s for view in store.views(RUN.id)] == [7.0, 8.0, 9.0]
    assert len(store.read_run(RUN.id).at_s) == 10
