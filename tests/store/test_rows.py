"""Rows of earlier versions are still read."""

from penstock.core.levers import BatchBound, Executors, Partitions, Slots, Tasks
from penstock.store.rows import moves_of


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
