"""How fast one address may ask: a bucket that fills by itself and empties with every request."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from penstock.web.settings import Rate

KEPT = 10_000  # addresses; those not seen for longest are forgotten first


class RateLimit:
    """One bucket for each address.

    >>> limit = RateLimit(Rate(burst=2, per_s=1.0), clock=iter([0.0, 0.0, 0.0, 1.0]).__next__)
    >>> [limit.wait_s("here") for _ in range(4)]
    [0.0, 0.0, 1.0, 0.0]
    """

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._lock = Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, address: str) -> float:
        """Zero when the request may pass, else how long to wait before the next try."""
        now = self._clock()
        with self._lock:
            held, at_s = self._buckets.pop(address, (float(self._rate.burst), now))
            held = min(float(self._rate.burst), held + (now - at_s) * self._rate.per_s)
            passes = held >= 1.0
            self._buckets[address] = (held - 1.0 if passes else held, now)
            while len(self._buckets) > KEPT:
                self._buckets.popitem(last=False)
        return 0.0 if passes else (1.0 - held) / self._rate.per_s
