"""Applications that the fleet's file lists: who of them came, and who is awaited still."""

from collections.abc import Mapping

from penstock.core.asked.coming import ListedApplication, ToCome
from penstock.core.asked.intents import MOST_UTILITY
from penstock.engines.applications.book import Bounds


class Listed:
    """As long as one after the other comes the next one is awaited; `at_s` and `awaits_s` are on one clock."""

    def __init__(self, bounds: Mapping[str, Bounds], at_s: float, awaits_s: float, all_of_them: bool) -> None:
        self._awaited = {name: _as_listed(name, bounds[name]) for name in sorted(bounds)}
        self._names = frozenset(bounds)
        self._awaits_s = awaits_s
        self._until_s = at_s + awaits_s
        self._others = not (all_of_them and bounds)

    def came(self, name: str, at_s: float) -> None:
        """It was heard of; after one that nobody listed others may follow."""
        self._others = self._others or name not in self._names
        if self._awaited.pop(name, None) is not None:
            self._until_s = at_s + self._awaits_s

    def to_come(self, at_s: float) -> ToCome:
        """Those that are awaited."""
        return ToCome(tuple(self._awaited.values()) if at_s < self._until_s else (), self._others)


def _as_listed(name: str, bounds: Bounds) -> ListedApplication:
    utility = None if bounds.utility >= MOST_UTILITY else bounds.utility
    return ListedApplication(name, bounds.least, bounds.most, utility)
