"""Rows of earlier versions are still read, and those of large fleets are written as small ones are."""

import pytest

from penstock.core.levers import BatchBound, Executors, Partitions, Slots, Tasks
from penstock.core.seen.figures import MachineFigures, Snapshot
from penstock.store.codec import encode_figures
from penstock.store.fitting import LeftOut, snapshot_text
from penstock.store.rows_read import moves_of
from tests import builders


def test_moves_that_were_stored_before_they_had_kinds_are_told_by_their_units() -> None:
    stored = (
        '[{"job":"ads","operator":"*","before":3,"after":6},{"job":"ads","operator":"map","before":1,"after":2},'
        '{"job":"ads","operator":"batch_rows","before":100,"after":50},'
        '{"job":"ads","operator":"partitions","before":2,"after":3},'
        '{"job":"(cluster)","operator":"executors","before":2,"after":1}]'
    )
    assert moves_of(stored) == (
        Slots("ads", 3, 6),
        Tasks("ads", "map", 1, 2),
        BatchBound("ads", 100, 50),
        Partitions("ads", 2, 3),
        Executors(2, 1),
    )
    assert moves_of("[]") == ()


@pytest.mark.parametrize("jobs", [0, 1, 100, 250])
def test_figures_that_are_written_some_at_a_time_read_as_if_all_had_been_at_once(jobs: int) -> None:
    figures = tuple(builders.job(f"tenant {number}", 1.0).figures for number in range(jobs))
    snapshot = Snapshot(12.5, figures, (MachineFigures('says "jobs":[]', 4),), max_threads=8)
    assert snapshot_text(snapshot, LeftOut()) == encode_figures(snapshot, Snapshot)
