"""Limits of a service: bytes per second that are waited for, requests per second that are refused beyond."""

from dataclasses import dataclass


@dataclass(slots=True)
class SendingPace:
    """Hands out times to send at, so that no more than the rate is sent; callers are served in turn.

    >>> pace = SendingPace(bytes_per_s=100.0)
    >>> [pace.send_at(now=0.0, size=50), pace.send_at(now=0.0, size=50), pace.send_at(now=5.0, size=50)]
    [0.0, 0.5, 5.0]
    """

    bytes_per_s: float
    _free_at: float = 0.0

    def send_at(self, now: float, size: int) -> float:
        """When these bytes may go out."""
        at = max(now, self._free_at)
        self._free_at = at + size / self.bytes_per_s
        return at


@dataclass(slots=True)
class RequestBucket:
    """A bucket of requests that fills at the rate, up to a second's worth.

    >>> few = RequestBucket(per_s=2.0)
    >>> [few.take(now) for now in (0.0, 0.0, 0.0, 0.5)]
    [True, True, False, True]
    """

    per_s: float
    _left: float | None = None
    _at: float = 0.0

    def take(self, now: float) -> bool:
        """Whether one more request is within the limit."""
        most = max(1.0, self.per_s)
        left = most if self._left is None else min(most, self._left + (now - self._at) * self.per_s)
        self._at = now
        self._left = left - 1.0 if left >= 1.0 else left
        return left >= 1.0
