"""Records as rows for a Kafka topic, for whoever sends them: `penstock load --rows penstock.workloads.rows:ads`.

Each function takes row numbers, event times in milliseconds and two columns that it leaves alone (keys drawn by the
sender), and gives a key and a value for each row. Rows of one key stay in order: a car's, a sensor's, a location's.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from penstock.workloads.draws import Index, Millis
from penstock.workloads.records import make_records

Rows = Sequence[tuple[str, str]]


def _keyed(kind: str, key: Callable[[dict[str, Any]], object], ids: Index, event_ms: Millis, *_: Index) -> Rows:
    lines = make_records(kind, ids, event_ms)
    return [(str(key(json.loads(line))), line) for line in lines]


def _numbered(kind: str, ids: Index, event_ms: Millis, *_: Index) -> Rows:
    return list(zip(map(str, ids.tolist()), make_records(kind, ids, event_ms), strict=True))


ads = partial(_numbered, "ads")
nexmark = partial(_numbered, "nexmark")
pages = partial(_numbered, "pages")
cars = partial(_keyed, "cars", lambda record: record["car"])
places = partial(_keyed, "places", lambda record: record["location"])
senml = partial(_keyed, "senml", lambda record: record["e"][0]["sv"])
