"""Where a driver's session waits before its query begins: until all sessions of the fleet are there.

On YARN each session has a master, which takes a core. An application that gets as many executors as it likes leaves
none to the master of one that begins later, and what is measured then is who came first.
"""

import time
from collections.abc import Iterable
from pathlib import Path

_LOOKS_EVERY_S = 0.2


class Gate:
    """Below a place that the drivers and who starts them share; `name` is a driver's."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def wait(self, name: str) -> None:
        """This driver's session is there; go on once its query may begin."""
        self._came(name).touch()
        while not self._open(name).exists():
            time.sleep(_LOOKS_EVERY_S)

    def here(self, names: Iterable[str]) -> bool:
        """Whether all their sessions are."""
        return all(self._came(name).exists() for name in names)

    def let(self, names: Iterable[str]) -> None:
        """Their queries begin."""
        for name in names:
            self._open(name).touch()

    def _came(self, name: str) -> Path:
        return self._place / f"{name}.session"

    def _open(self, name: str) -> Path:
        return self._place / f"{name}.begins"
