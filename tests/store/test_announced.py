"""What was announced is completed by what came of it, and replaced by anything else."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.core.cycle import Cycle
from penstock.core.plan import Outcome
from penstock.store import tables
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from tests.recorded import RUN, a_job, a_view, an_acting_cycle

ACTING = an_acting_cycle(20.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqlStore]:
    """In which that cycle was announced."""
    with closing(open_store(tmp_path / "runs.sqlite")) as found:
        found.begin(RUN)
        found.announce(replace(ACTING, outcome=Outcome()))
        yield found


def mark(store: SqlStore) -> tuple[int, bool]:
    found = Gallery(store.database, RUN.id).newest_cycle()
    assert found is not None
    return found


def told(store: SqlStore) -> tuple[object, ...]:
    run = store.read_run(RUN.id)
    return run.at_s, [record.outcomes for record in run.decisions], [note.text for note in run.errors]


def test_what_came_is_added_to_what_was_announced_and_is_news(store: SqlStore) -> None:
    number, came = mark(store)
    assert not came
    store.append(replace(ACTING, error="one step failed"))
    assert mark(store) == (number, True)  # the same rows, of 10,000 tenants
    assert told(store) == ((20.0,), [ACTING.outcome.steps], ["one step failed"])


def other(cycle: Cycle) -> Cycle:
    return replace(cycle, view=a_view(20.0, [a_job("ads", utility=1.0)]))


@pytest.mark.parametrize("first", [(), (ACTING,)], ids=["announced", "completed"])
def test_another_cycle_of_that_instant_replaces_it(store: SqlStore, first: tuple[Cycle, ...]) -> None:
    for cycle in (*first, other(ACTING)):
        store.append(cycle)
    assert [view.jobs[0].utility for view in store.views(RUN.id)] == [1.0]
    assert told(store)[:2] == ((20.0,), [ACTING.outcome.steps])


def test_a_cycle_of_which_the_announced_part_is_gone_is_written_whole(store: SqlStore) -> None:
    with store.database.writing() as connection:
        connection.execute(tables.cycles.delete())
    store.append(ACTING)
    assert list(store.views(RUN.id)) == [ACTING.view]
    assert told(store)[:2] == ((20.0,), [ACTING.outcome.steps])
