"""What goes on beside the rounds, until the next one tells of it."""

from collections import deque

_KEPT = 20  # where no round comes for long, the newest


class NotYetTold:
    """Words that any thread adds, and that a round takes.

    >>> untold = NotYetTold()
    >>> untold.add("the pages are gone")
    >>> untold.taken(), untold.taken()
    (('the pages are gone',), ())
    """

    def __init__(self) -> None:
        self._said: deque[str] = deque(maxlen=_KEPT)

    def add(self, text: str) -> None:
        """The next round is to tell of that."""
        self._said.append(text)

    def taken(self) -> tuple[str, ...]:
        """All since it was asked last."""
        return tuple(self._said.popleft() for _ in range(len(self._said)))
