"""The windows of one route, one after the other: the pairs that met, hop by hop, and the rows that each server got.

What came before a window fades, pairs and rows alike, so that a table may be even over the time that is remembered.
"""

from collections.abc import Mapping, Sequence

from penstock.core.seen.pairs import PairCounts
from penstock.core.seen.routes import Links
from penstock.correlation.history import PairHistory
from penstock.correlation.sampling import SampledWindow


class PairWindows:
    """Whoever counts pairs adds them, and closes a window when its time is over.

    >>> windows = PairWindows([("left", "right")], half_life_s=600.0)
    >>> for rows in (8, 2):
    ...     windows.add([PairCounts.exact({("a", "x"): rows})])
    ...     windows.close(600.0)
    ...     windows.carry({"left": [0.0, rows]})
    >>> windows.newest["left", "right"].rows, windows.basis["left", "right"].rows, windows.got
    (2.0, 6.0, {'left': (0.0, 6.0)})
    """

    def __init__(self, links: Sequence[tuple[str, str]], half_life_s: float) -> None:
        self._links, self._half_life_s = tuple(links), half_life_s
        self._histories = {link: PairHistory(half_life_s) for link in self._links}
        self._hops: list[SampledWindow] = []
        self._fades = 0.0
        self.got: Mapping[str, tuple[float, ...]] = {}  # rows by operator and server, what came before fading

    def add(self, hops: Sequence[PairCounts]) -> None:
        """What a batch tells, hop by hop."""
        self._hops = self._hops or [SampledWindow() for _ in self._links]
        for hop, pairs in zip(self._hops, hops, strict=True):
            hop.add(pairs)

    def drop(self) -> None:
        """What was counted in the open window is void."""
        self._hops = []

    def close(self, length_s: float) -> None:
        """The window ended, after so much time."""
        hops = self._hops or [SampledWindow() for _ in self._links]
        for link, hop in zip(self._links, hops, strict=True):
            self._histories[link] = self._histories[link].closed(hop.closed(), length_s)
        self._fades = 0.5 ** (length_s / self._half_life_s) if self._half_life_s else 0.0
        self._hops = []

    def carry(self, rows: Mapping[str, Sequence[float]]) -> None:
        """Where the rows of the window that was closed last went, by operator."""
        self.got = {operator: self._faded(self.got.get(operator, ()), found) for operator, found in rows.items()}

    def _faded(self, before: Sequence[float], rows: Sequence[float]) -> tuple[float, ...]:
        """Among another number of servers, what was before tells nothing."""
        old = before if len(before) == len(rows) else [0.0] * len(rows)
        return tuple(earlier * self._fades + new for earlier, new in zip(old, rows, strict=True))

    @property
    def newest(self) -> Links:
        """The window that was closed last."""
        return {link: history.newest for link, history in self._histories.items()}

    @property
    def basis(self) -> Links:
        """That, and the fading ones before."""
        return {link: history.basis for link, history in self._histories.items()}

    @property
    def newest_before(self) -> Links:
        """`newest` a window ago."""
        return {link: history.newest_before for link, history in self._histories.items()}

    @property
    def basis_before(self) -> Links:
        """`basis` a window ago."""
        return {link: history.basis_before for link, history in self._histories.items()}
