"""What a tenants file asks for anew, from when it is found until it is taken over."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from penstock.core.asked.slot_limits import SlotLimits
from penstock.engines.hand import Hand
from penstock.engines.hands import TENDS_WITHIN_S
from penstock.errors import NothingDoneError

if TYPE_CHECKING:
    from penstock.governing.watching import Renewal  # what it needs takes 5 MiB, and most drivers watch no file


class WantedAnew:
    """Who looks at the file may be waited for no more when it is found; whoever takes it over is another thread."""

    def __init__(self) -> None:
        self._found: deque[Renewal] = deque()
        self._limits: Mapping[str, SlotLimits] | None = None

    def find(self, renewal: "Renewal | None") -> None:
        """Keep what was found until it is taken over."""
        if renewal is not None:
            self._found.append(renewal)

    def taken(self) -> "Iterator[Renewal]":
        """What holds from now on, each once; its limits are to be taken over by `limit`."""
        while self._found:
            renewal = self._found.popleft()
            self._limits = renewal.limits
            yield renewal

    def limit(self, hand: Hand, take_over: Callable[[Mapping[str, SlotLimits]], None]) -> None:
        """Limits that are refused are not tried again; behind a deed that goes on they wait for the next call."""
        limits, self._limits = self._limits, None
        if limits is None:
            return
        try:
            hand.do("taking over limits", partial(take_over, limits), TENDS_WITHIN_S, behind_s=0.0)
        except NothingDoneError:
            self._limits = limits
            raise
