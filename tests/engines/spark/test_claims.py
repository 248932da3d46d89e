"""One driver writes to a checkpoint; a second one is refused, and one that was killed leaves no claim behind."""

from pathlib import Path

import pytest

from penstock.engines.spark.claims import claim
from penstock.errors import EngineError
from tests.engines.spark.other_driver import another_driver
from tests.patience import eventually


def claimed(checkpoint: Path) -> bool:
    try:
        claim(checkpoint, "ads")
    except EngineError:
        return False
    return True


def test_a_checkpoint_of_another_driver_is_refused_until_that_one_is_gone(tmp_path: Path) -> None:
    checkpoint = tmp_path / "a checkpoint"
    with another_driver(checkpoint) as other:
        with pytest.raises(EngineError, match="ads: another driver runs on its checkpoint"):
            claim(checkpoint, "ads")
        other.kill()
        eventually(lambda: claimed(checkpoint))


def test_what_is_ours_is_claimed_again_at_every_start(tmp_path: Path) -> None:
    assert [claimed(tmp_path) for _ in range(2)] == [True, True]


def test_a_checkpoint_that_cannot_be_written_is_left_to_spark(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    claim(tmp_path / "file" / "checkpoint", "ads")
    assert "ads: its checkpoint cannot be claimed" in caplog.text
