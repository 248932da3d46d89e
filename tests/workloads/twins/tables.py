"""What all twins begin with: lines as tables, and times as the windows they fall into."""

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

WINDOW_MS = 10_000


def table(lines: Sequence[str]) -> pd.DataFrame:
    """One row for each line.

    >>> table(['{"a":1}', '{"a":2}'])["a"].tolist()
    [1, 2]
    """
    return pd.DataFrame([json.loads(line) for line in lines])


def window_of(event_ms: Any, window_ms: int = WINDOW_MS) -> Any:
    """Where the window starts that holds this time.

    >>> window_of(23_456)
    20000
    """
    return event_ms - event_ms % window_ms
