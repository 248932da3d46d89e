"""What a checkpoint's files say about whose it is and how far it has come, read without a query."""

import json
import re

from penstock.engines.spark.jvm.checkpoint_files import Files

_STATE = re.compile(r"state/\d+/\d+/(?:.+/)?\.?(\d+)[._][^/]*")  # state/operator/partition/[store/]version.kind


def query_id(checkpoint: Files) -> str | None:
    """The id of the query whose checkpoint it is, for life; None where there is no checkpoint."""
    return str(json.loads(checkpoint.read("metadata"))["id"]) if checkpoint.exists("metadata") else None


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
    return checkpoint.read(name).splitlines()[2:] if checkpoint.exists(name) else None


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
