"""What the progress of a query's batches says of event time: the newest seen, and how far a batch reaches."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any


def newest_event_us(seen: Sequence[Any]) -> int | None:
    """The newest event of these batches, in microseconds; None while Spark told none."""
    found = [time_us(progress["eventTime"].get("max")) for progress in seen]
    return max((event_us for event_us in found if event_us is not None), default=None)


def reach_us(seen: Sequence[Any]) -> int:
    """The most that a batch went beyond the newest event before it; of the first batch, what it spans.

    >>> times = [("1970-01-01T00:00:00Z", "1970-01-01T00:00:02Z"), ("1970-01-01T00:00:01Z", "1970-01-01T00:00:07Z")]
    >>> reach_us([{"eventTime": {"min": first, "max": last}} for first, last in times])
    5000000
    """
    reach, before = 0, None
    for progress in seen:
        newest = time_us(progress["eventTime"].get("max"))
        if newest is None:
            continue
        since = time_us(progress["eventTime"].get("min")) if before is None else before
        reach = max(reach, 0 if since is None else newest - since)
        before = newest if before is None else max(before, newest)
    return reach


def time_us(timestamp: str | None) -> int | None:
    """Spark's text of a time, in microseconds since 1970."""
    return None if timestamp is None else int(datetime.fromisoformat(timestamp).timestamp() * 1e6)
