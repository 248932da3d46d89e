"""What a checkpoint's files say about whose it is and how far it has come, read without a query."""

import json
from pathlib import Path


def local_path(checkpoint: str) -> Path:
    """The checkpoint as a path of this machine.

    >>> str(local_path("file:/tmp/orders"))
    '/tmp/orders'
    """
    return Path("/" + checkpoint.removeprefix("file:").lstrip("/") if checkpoint.startswith("file:") else checkpoint)


def query_id(checkpoint: str) -> str | None:
    """The id of the query whose checkpoint it is, for life; None where there is no checkpoint."""
    try:
        found = json.loads((local_path(checkpoint) / "metadata").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return str(found["id"])


def committed_batch(checkpoint: str) -> int | None:
    """The last committed batch; None before the first."""
    batches = [int(path.name) for path in (local_path(checkpoint) / "commits").glob("[0-9]*") if path.name.isdigit()]
    return max(batches, default=None)
