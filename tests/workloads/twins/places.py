"""The two-stage count's right answer."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from tests.workloads.twins.tables import WINDOW_MS, table, window_of


def tags(lines: Sequence[str], before_ms: int) -> Mapping[tuple[str, int], tuple[int, int, int]]:
    """(messages, locations, messages of the busiest location) by (tag, window), of windows that end by then."""
    messages = [
        (row["location"], row["tag"], window_of(row["event_ms"]))
        for row in table(lines).to_dict("records")
        if window_of(row["event_ms"]) + WINDOW_MS <= before_ms
    ]
    at_location = Counter((location, window) for location, _, window in messages)
    senders: dict[tuple[str, int], list[str]] = defaultdict(list)
    for location, tag, window in messages:
        senders[tag, window].append(location)
    return {
        (tag, window): (len(found), len(set(found)), max(at_location[location, window] for location in found))
        for (tag, window), found in senders.items()
    }
