"""Applications that are not there: what they are to have once they come back."""

from collections.abc import Mapping

from penstock.engines.applications.book import Application
from penstock.engines.applications.wire import Serials


class AbsentApplications:
    """Those that went in this coordinator's time, and those of the one before that were not heard of yet."""

    def __init__(self, opened_s: float, forgotten_s: float) -> None:
        self._opened_s = opened_s
        self._forgotten_s = forgotten_s
        self._gone: dict[str, Application] = {}  # whose drivers may begin anew
        self._before: dict[str, int] = {}  # executors, by applications of whom nothing was heard in this term yet

    def left(self, wanted: Mapping[str, int]) -> None:
        """What these were to have under the coordinator before."""
        self._before = dict(wanted)

    def went(self, one: Application) -> None:
        """It is no longer there."""
        self._gone[one.name] = one

    def forget(self, now: float) -> None:
        """Those that were heard too long ago."""
        self._gone = {name: one for name, one in self._gone.items() if now - one.heard_s <= self._forgotten_s}

    def wanted(self, found: Application, known: Application | None, now: float) -> int | None:
        """What one that joins was to have before; None of one that is new, or that lived on under two coordinators."""
        here = known or self._gone.pop(found.name, None)
        left = self._before.pop(found.name, None)
        if here is not None:
            return here.wanted
        old = now - self._opened_s > self._forgotten_s
        lived_on = found.applied != Serials() or left == found.wanted
        return None if old or lived_on else left
