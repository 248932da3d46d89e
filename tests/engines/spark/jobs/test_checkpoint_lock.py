"""One driver writes to a checkpoint; a second one is refused, and one that was killed leaves no lock behind."""

from pathlib import Path

import pytest

from penstock.engines.spark.jobs.checkpoint_lock import lock_checkpoint
from penstock.errors import EngineError
from tests.engines.spark.other_driver import another_driver
from tests.patience import eventually


def locked(checkpoint: Path) -> bool:
    try:
        lock_checkpoint(checkpoint, "ads")
    except EngineError:
        return False
    return True


def test_a_checkpoint_of_another_driver_is_refused_until_that_one_is_gone(tmp_path: Path) -> None:
    checkpoint = tmp_path / "a checkpoint"
    with another_driver(checkpoint) as other:
        with pytest.raises(EngineError, match="ads: another driver runs on its checkpoint"):
            lock_checkpoint(checkpoint, "ads")
        other.kill()
        eventually(lambda: locked(checkpoint))


def test_what_is_ours_is_locked_again_at_every_start(tmp_path: Path) -> None:
    assert [locked(tmp_path) for _ in range(2)] == [True, True]


def test_a_checkpoint_that_cannot_be_written_is_left_to_spark(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    lock_checkpoint(tmp_path / "file" / "checkpoint", "ads")
    assert "ads: its checkpoint cannot be locked" in caplog.text
