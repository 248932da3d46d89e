"""What a checkpoint's files say about whose it is and how far it has come, read without a query."""

import json
import re

from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.routing.damage import OF_A_CHECKPOINT, whole

_METADATA = "metadata"
_STATE = re.compile(r"state/\d+/\d+/(?:.+/)?\.?(\d+)[._][^/]*")  # state/operator/partition/[store/]version.kind


def query_id(checkpoint: Files) -> str | None:
    """The id of the query whose checkpoint it is, for life; None where there is no checkpoint."""
    if not checkpoint.exists(_METADATA):
        return None
    text = checkpoint.load(_METADATA)
    with whole(checkpoint, _METADATA, OF_A_CHECKPOINT):
        return str(json.loads(text)["id"])


def committed_batch(checkpoint: Files) -> int | None:
    """The last committed batch; None before the first."""
    return _last(checkpoint, "commits")


def begun_batch(checkpoint: Files) -> int | None:
    """The last batch that was begun; None before the first."""
    return _last(checkpoint, "offsets")


def takes_what(checkpoint: Files, batch: int) -> list[str] | None:
    """Up to where in each source that batch goes, as Spark wrote it down; None for one that was not begun."""
    name = f"offsets/{batch}"
    # The format's version and the batch's settings come first.
    if not checkpoint.exists(name):
        return None
    text = checkpoint.load(name)
    with whole(checkpoint, name, OF_A_CHECKPOINT):
        return text.decode("utf-8").splitlines()[2:]


def forget_batch(checkpoint: Files, batch: int) -> None:
    """As if that batch, begun without rows and not committed, had never been.

    What of its state was written is removed: Spark replays changes on top of the newest whole state that it finds.
    """
    checkpoint.remove(f"offsets/{batch}")
    for name in checkpoint.tree("state"):
        found = _STATE.fullmatch(name)
        if found is not None and int(found[1]) == batch + 1:  # the state before the first batch is version 0
            checkpoint.remove(name)


def _last(checkpoint: Files, log: str) -> int | None:
    return max((int(name) for name in checkpoint.names(log) if name.isdigit()), default=None)
