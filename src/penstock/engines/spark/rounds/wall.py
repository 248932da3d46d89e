"""The wall's clock, by which Spark tells time and begins batches, and that somebody may set."""

from penstock.engines.spark.clocks import Clocks

_SET_S = 2.0  # a clock that is kept right by slewing moves by half a second in a quarter of an hour
_AT_ONCE_S = 0.5  # a look that took longer was interrupted: between its clocks lies time


class WallWatch:
    """Looks now and then whether it still goes with the clock that nobody sets.

    >>> wall = iter([100.0, 110.0, 3720.0])
    >>> even = iter([0.0, 0.0, 10.0, 10.0, 20.0, 20.0])
    >>> watch = WallWatch(Clocks(lambda: next(wall), lambda: next(even)))
    >>> [watch.set_by() for _ in range(3)]
    [0.0, 0.0, 3600.0]
    """

    def __init__(self, clocks: Clocks) -> None:
        self._clocks = clocks
        self._ahead_s: float | None = None

    def set_by(self) -> float:
        """How far it was set since the last look: forward, or back, which is below zero; 0 where nobody set it."""
        before_s = self._clocks.even()
        wall_s = self._clocks.wall()
        even_s = self._clocks.even()
        if even_s - before_s > _AT_ONCE_S:
            return 0.0
        before, self._ahead_s = self._ahead_s, wall_s - even_s
        by_s = 0.0 if before is None else self._ahead_s - before
        return by_s if abs(by_s) > _SET_S else 0.0
