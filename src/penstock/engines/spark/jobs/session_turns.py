"""Turns at a session: a start that sets something of it for its own query has it alone, all others start beside others.

So a start that stands still, as at a store that does not answer, keeps nobody back that sets nothing either.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from penstock.errors import EngineError


class SessionTurns:
    """Of one session.

    >>> turns = SessionTurns()
    >>> with turns.had("ads", alone=True, within_s=0.0), turns.had("ads", alone=False, within_s=0.0):
    ...     "its own start goes on"
    'its own start goes on'
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._beside = 0  # starts that set nothing
        self._alone: int | None = None  # the thread of the one that does

    @contextmanager
    def had(self, who: str, alone: bool, within_s: float | None) -> Iterator[None]:
        """While the block lasts; an EngineError where it is not had in time, for which None waits as long as it takes.

        Whoever has it alone has all further turns that its thread asks for.
        """
        if self._alone == threading.get_ident():
            yield
            return
        self._take(who, alone, within_s)
        try:
            yield
        finally:
            self._give_back(alone)

    def _take(self, who: str, alone: bool, within_s: float | None) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._is_free(alone), within_s):
                raise EngineError(f"{who}: the start of another job has had the session for {within_s:g} s")
            if alone:
                self._alone = threading.get_ident()
            else:
                self._beside += 1

    def _give_back(self, alone: bool) -> None:
        with self._changed:
            if alone:
                self._alone = None
            else:
                self._beside -= 1
            self._changed.notify_all()

    def _is_free(self, alone: bool) -> bool:
        return self._alone is None and not (alone and self._beside)
