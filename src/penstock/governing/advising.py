"""What `penstock coordinate --advise` says of a whole fleet: soon at first, then less often."""

from collections.abc import Callable

from penstock.core.asked.price import Price
from penstock.core.seen.view import View
from penstock.planning.executors.spare import Spare

_FIRST_S = 60.0
_LONGEST_S = 86_400.0


class Advising:
    """Told of every round; says after a minute, then each time that twice as long has passed, and when it is left."""

    def __init__(self, price: Price | None, say: Callable[[str], None]) -> None:
        self._price = price
        self._say = say
        self._spare = Spare()
        self._wait_s = _FIRST_S
        self._told_s: float | None = None

    def __call__(self, view: View) -> None:
        """One round."""
        self._spare = self._spare.after(view)
        told_s = self._spare.began_s if self._told_s is None else self._told_s
        if self._spare.rounds and view.at_s - told_s >= self._wait_s:
            self._told_s, self._wait_s = view.at_s, min(_LONGEST_S, 2.0 * self._wait_s)
            self._tell()

    def __enter__(self) -> "Advising":
        return self

    def __exit__(self, *raised: object) -> None:
        self._tell()

    def _tell(self) -> None:
        self._say(f"advice: {self._spare.text(self._price)}")
