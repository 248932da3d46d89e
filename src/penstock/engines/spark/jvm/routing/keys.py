"""Routed keys in `groupBy`: the grouping gets a salt, and the salt is gone again from what comes out.

Unmodified Spark puts every grouping column into the aggregation's output, and hashes all of them, a window before a
key included. So a salt can be made only where all grouping columns are known, and dropped only after the aggregation.
Both places are `DataFrame.groupBy`. It is therefore taught, when the first route is made, to look out for the columns
that a route hands out; every other call goes on to Spark's own as it came.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pyspark.sql import Column, DataFrame, GroupedData

from penstock.engines.spark.jvm.columns import ClassicColumn, ClassicDataFrame


class Router(Protocol):
    """What stands behind a routed key: it groups."""

    def group(self, rows: DataFrame, columns: Sequence[Column | str], operator: str) -> GroupedData:
        """Group the streaming rows by these columns and a salt."""


class RoutedKey(ClassicColumn):
    """A key column of a routed operator; outside `groupBy` it is the column and no more."""

    def __init__(self, column: Column, router: Router, operator: str) -> None:
        plain: Any = column
        super().__init__(plain._jc)
        self._router = router
        self._operator = operator

    def plain(self) -> Column:
        """The column, routed by nobody."""
        return ClassicColumn(self._jc)

    def group(self, rows: DataFrame, columns: Sequence[Column | str]) -> GroupedData:
        """Group by all the columns, this one among them."""
        return self._router.group(rows, columns, self._operator)


def teach_group_by() -> None:
    """Let `groupBy` see routed keys; once is enough, again does nothing."""
    original: Any = ClassicDataFrame.groupBy
    if getattr(original, "sees_routed_keys", False):
        return
    taught: Any = _taught(original)
    taught.sees_routed_keys = True
    ClassicDataFrame.groupBy = taught  # type: ignore[method-assign]
    ClassicDataFrame.groupby = taught


def _taught(original: Callable[..., GroupedData]) -> Callable[..., GroupedData]:
    def groupBy(self: DataFrame, *cols: Any) -> GroupedData:  # noqa: N802
        columns = cols[0] if len(cols) == 1 and isinstance(cols[0], (list, tuple)) else cols
        routed = next((column for column in columns if isinstance(column, RoutedKey)), None)
        if routed is None or not self.isStreaming:
            return original(self, *cols)
        return routed.group(self, columns)

    groupBy.__doc__ = original.__doc__
    return groupBy
