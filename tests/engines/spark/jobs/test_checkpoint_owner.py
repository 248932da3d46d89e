"""What a driver is to do with a checkpoint, by what it finds there."""

import pytest

from penstock.engines.spark.jobs.checkpoint_owner import DEAD_AFTER_S, Owner, Standing, Watch, named, owner_in, standing

OURS = Owner("r2", "d2", "here")
BEFORE = Owner("r2", "d1", "there", 7).text()  # another driver of our run
OTHER = Owner("r1", "d1", "there", 7).text()
BEAT = Owner("r1", "d1", "there", 8).text()
WATCH = Watch(OTHER, 100.0)


@pytest.mark.parametrize(
    ("found", "had", "watch", "now_s", "means"),
    [
        (None, False, None, 0.0, Standing.FREE),
        (None, False, WATCH, 101.0, Standing.FREE),  # it ended in order while it was watched
        (OURS.text(), False, None, 0.0, Standing.OURS),
        (BEFORE, False, None, 0.0, Standing.SUCCEEDED),
        (BEFORE, True, None, 0.0, Standing.WATCHED),  # that one succeeded us
        (OTHER, False, None, 0.0, Standing.WATCHED),
        (OTHER, True, None, 0.0, Standing.WATCHED),
        (OTHER, False, WATCH, 100.0 + DEAD_AFTER_S - 0.1, Standing.WATCHED),
        (OTHER, False, WATCH, 100.0 + DEAD_AFTER_S, Standing.DEAD),
        (BEAT, False, WATCH, 101.0, Standing.ALIVE),
        (BEAT, False, WATCH, 100.0 + DEAD_AFTER_S, Standing.ALIVE),
        ("", False, None, 0.0, Standing.WATCHED),  # not whole
        ('{"version": 2}', False, Watch('{"version": 2}', 0.0), DEAD_AFTER_S, Standing.DEAD),
    ],
)
def test_what_is_found_says_how_a_driver_stands_to_a_checkpoint(
    found: str | None, had: bool, watch: Watch | None, now_s: float, means: Standing
) -> None:
    assert standing(OURS, found, had, watch, now_s) is means


@pytest.mark.parametrize("text", ["", "[]", "7", "{}", '{"version": 2}', '{"version": 1, "run": "r"}', OTHER[:-9]])
def test_what_is_not_whole_or_of_another_version_names_nobody(text: str) -> None:
    assert owner_in(text) is None
    assert named(text) == "a driver of another penstock"


def test_an_owner_is_named_by_its_run_and_its_host() -> None:
    assert named(OTHER) == "the driver of run r1 on there"
