"""One driver writes to a checkpoint; a second one is refused, and one that was killed leaves no lock behind."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from penstock.engines.spark.jobs.checkpoint_lock import LOCK_FILE, lock_checkpoint
from penstock.errors import EngineError
from penstock.threads import BesideThread
from tests.engines.spark.other_driver import another_driver
from tests.patience import eventually, patience_s


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


@contextmanager
def mount_that_answers_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """While the block lasts; the event is set once somebody waits for it."""
    asked, over, mkdir = Event(), Event(), Path.mkdir

    def waits(self: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        if self == folder:
            asked.set()
            assert over.wait(patience_s())
        mkdir(self, mode, parents, exist_ok)

    monkeypatch.setattr(Path, "mkdir", waits)
    try:
        yield asked
    finally:
        over.set()


def test_a_mount_that_answers_nothing_holds_up_its_own_jobs_for_so_long_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung, other = tmp_path / "hung", BesideThread(lock_checkpoint, "other", (tmp_path / "other", "fraud"))
    with mount_that_answers_nothing(hung, monkeypatch) as asked:
        ads = BesideThread(lambda: locked(hung), "ads")
        ads.start()
        assert asked.wait(patience_s())
        other.start()
        other.join(patience_s())
        assert (tmp_path / "other" / LOCK_FILE).exists()
        with pytest.raises(EngineError, match=r"ads: the lock on its checkpoint .*hung has not returned within 0.01 s"):
            lock_checkpoint(hung, "ads", within_s=0.01)
    ads.join(patience_s())
    assert locked(hung)
