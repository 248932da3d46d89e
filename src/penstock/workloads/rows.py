"""Records as rows for a Kafka topic, for whoever sends them: `penstock load --rows penstock.workloads.rows:ads`.

Each function takes row numbers, event times in milliseconds and two columns that it leaves alone (keys drawn by the
sender), and gives a key and a value for each row. Rows of one key stay in order: a car's, a sensor's, a location's.
"""

import gzip
import json
import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from penstock.errors import ConfigError
from penstock.workloads.draws import Index, Millis
from penstock.workloads.records import make_records

TextRows = Sequence[tuple[str, str]]


def _keyed(kind: str, key: Callable[[dict[str, Any]], object], ids: Index, event_ms: Millis, *_: Index) -> TextRows:
    lines = make_records(kind, ids, event_ms)
    return [(str(key(json.loads(line))), line) for line in lines]


def _numbered(kind: str, ids: Index, event_ms: Millis, *_: Index) -> TextRows:
    return list(zip(map(str, ids.tolist()), make_records(kind, ids, event_ms), strict=True))


ads = partial(_numbered, "ads")
nexmark = partial(_numbered, "nexmark")
pages = partial(_numbered, "pages")
cars = partial(_keyed, "cars", lambda record: record["car"])
places = partial(_keyed, "places", lambda record: record["location"])
senml = partial(_keyed, "senml", lambda record: record["e"][0]["sv"])


SAMPLES = "RIOTBENCH_SAMPLES"  # the environment variable that names the file with the benchmark's own samples


def riotbench(ids: Index, event_ms: Millis, *_: Index) -> TextRows:
    """RIoTBench's own samples (lines of "time,SenML", plain or gzip) again and again, each with the time it is sent."""
    samples = read_samples(os.environ.get(SAMPLES, ""))
    rows = []
    for number, at_ms in zip(ids.tolist(), event_ms.tolist(), strict=True):
        sensor, measured = samples[number % len(samples)]
        rows.append((sensor, json.dumps({"e": measured, "bt": at_ms}, separators=(",", ":"))))
    return rows


@cache
def read_samples(path: str) -> Sequence[tuple[str, Any]]:
    """The sensor and the measurements of each sample in that file."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(SAMPLES, path, f"name the file with RIoTBench's samples ({error.strerror})") from None
    text = (gzip.decompress(data) if path.endswith(".gz") else data).decode("utf-8")
    messages = [json.loads(line[line.index("{") :])["e"] for line in text.splitlines() if "{" in line]
    return [(next(entry["sv"] for entry in found if entry["n"] == "source"), found) for found in messages]
