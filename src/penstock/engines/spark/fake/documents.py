"""Progress as Spark writes it down after a batch."""

import json
from datetime import UTC, datetime
from typing import Any

_STATE_BYTES = 1_000_000


def progress(
    name: str | None, run_id: str, batch_id: int, began_s: float, took_s: float, rows: int, waits: int, state: bool
) -> str:
    """Of a batch of so many rows, of a source in which so many more waited when it began."""
    end = batch_id + 1
    document: dict[str, Any] = {
        "name": name,
        "runId": run_id,
        "batchId": batch_id,
        "timestamp": timestamp(began_s),
        "numInputRows": rows,
        "durationMs": {"addBatch": round(took_s * 800), "triggerExecution": round(took_s * 1000)},
        "sources": [
            {
                "description": "FakeSource",
                "startOffset": batch_id,
                "endOffset": end,
                "latestOffset": end + waits / max(1, rows),
                "numInputRows": rows,
            }
        ],
        "stateOperators": [{"memoryUsedBytes": _STATE_BYTES, "numRowsTotal": 100}] if state else [],
        "observedMetrics": {},
    }
    return json.dumps(document)


def timestamp(at_s: float) -> str:
    """As Spark writes one.

    >>> timestamp(1.5)
    '1970-01-01T00:00:01.500Z'
    """
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
