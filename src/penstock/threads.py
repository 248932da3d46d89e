"""Threads beside whoever starts them, whose end is known for sure."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any


class BesideThread(Thread):
    """Keeps no process alive, and is alive until its work is over, whatever interrupts those who wait for that.

    Up to Python 3.12 a thread counts as ended once Ctrl-C has interrupted a wait for it, and whoever waits again waits
    for nothing: https://github.com/python/cpython/issues/90882
    """

    def __init__(self, target: Callable[..., object], name: str, args: tuple[Any, ...] = ()) -> None:
        super().__init__(target=target, name=name, args=args, daemon=True)
        self._ended = Event()

    def run(self) -> None:
        """The work, in its thread."""
        try:
            super().run()
        finally:
            self._ended.set()

    def is_alive(self) -> bool:
        """From when it is started until its work is over."""
        return self.ident is not None and not self._ended.is_set()

    def join(self, timeout: float | None = None) -> None:
        """Wait until then, or for so many seconds; not at all for one that nobody has started."""
        if self.ident is not None:
            self._ended.wait(timeout)
