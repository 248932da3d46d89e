"""What a driver is to do with a checkpoint, by what it finds there."""

import pytest

from penstock.engines.spark.jobs.checkpoint_owner import (
    DEAD_AFTER_S,
    FirstSight,
    Owner,
    Ownership,
    named,
    owner_in,
    ownership,
)

OURS = Owner("r2", "d2", "here")
BEFORE = Owner("r2", "d1", "there", 7).text()  # another driver of our run
OTHER = Owner("r1", "d1", "there", 7).text()
BEAT = Owner("r1", "d1", "there", 8).text()
WATCH = FirstSight(OTHER, 100.0)


@pytest.mark.parametrize(
    ("found", "had", "watch", "now_s", "means"),
    [
        (None, False, None, 0.0, Ownership.FREE),
        (None, False, WATCH, 101.0, Ownership.FREE),  # it ended in order while it was watched
        (OURS.text(), False, None, 0.0, Ownership.OURS),
        (BEFORE, False, None, 0.0, Ownership.SUCCEEDED),
        (BEFORE, True, None, 0.0, Ownership.WATCHED),  # that one succeeded us
        (OTHER, False, None, 0.0, Ownership.WATCHED),
        (OTHER, True, None, 0.0, Ownership.WATCHED),
        (OTHER, False, WATCH, 100.0 + DEAD_AFTER_S - 0.1, Ownership.WATCHED),
        (OTHER, False, WATCH, 100.0 + DEAD_AFTER_S, Ownership.DEAD),
        (BEAT, False, WATCH, 101.0, Ownership.ALIVE),
        (BEAT, False, WATCH, 100.0 + DEAD_AFTER_S, Ownership.ALIVE),
        ("", False, None, 0.0, Ownership.WATCHED),  # not whole
        ('{"version": 2}', False, FirstSight('{"version": 2}', 0.0), DEAD_AFTER_S, Ownership.DEAD),
    ],
)
def test_what_is_found_says_how_a_driver_stands_to_a_checkpoint(
    found: str | None, had: bool, watch: FirstSight | None, now_s: float, means: Ownership
) -> None:
    assert ownership(OURS, found, had, watch, now_s) is means


@pytest.mark.parametrize("text", ["", "[]", "7", "{}", '{"version": 2}', '{"version": 1, "run": "r"}', OTHER[:-9]])
def test_what_is_not_whole_or_of_another_version_names_nobody(text: str) -> None:
    assert owner_in(text) is None
    assert named(text) == "a driver of another penstock"


def test_an_owner_is_named_by_its_run_and_its_host() -> None:
    assert named(OTHER) == "the driver of run r1 on there"
