"""What the nemesis reads of batches, in folders as Spark keeps them."""

import os
import shutil
from pathlib import Path

from chaos_batches import Batches
from chaos_history import Batch


def _batch(checkpoint: Path, number: int, begun_s: float, done_s: float | None) -> None:
    for log, at_s in (("offsets", begun_s), ("commits", done_s)):
        (checkpoint / log).mkdir(parents=True, exist_ok=True)
        if at_s is not None:
            (checkpoint / log / str(number)).touch()
            os.utime(checkpoint / log / str(number), (at_s, at_s))


def test_the_newest_batch_that_was_committed_is_noted_once_and_one_of_a_checkpoint_that_began_anew_too(
    tmp_path: Path,
) -> None:
    batches = Batches(tmp_path, ("ads", "nobody"))
    _batch(tmp_path / "ads", 9, 10.0, 12.0)
    _batch(tmp_path / "ads", 10, 20.0, None)
    batches.look()
    batches.look()
    assert batches.seen == [Batch("ads", 10.0, 12.0)]
    shutil.rmtree(tmp_path / "ads")
    batches.look()
    _batch(tmp_path / "ads", 0, 30.0, 33.0)
    batches.look()
    assert batches.seen == [Batch("ads", 10.0, 12.0), Batch("ads", 30.0, 33.0)]
