"""Columns written as lines of JSON, without a Python loop over the rows."""

from collections.abc import Mapping
from typing import Any

import pandas as pd


def json_lines(columns: Mapping[str, Any]) -> list[str]:
    """One JSON object for each row.

    >>> json_lines({"a": [1, 2], "b": ["x", "y"]})
    ['{"a":1,"b":"x"}', '{"a":2,"b":"y"}']
    """
    text: str = pd.DataFrame(columns).to_json(orient="records", lines=True, double_precision=12)
    return text.splitlines()
