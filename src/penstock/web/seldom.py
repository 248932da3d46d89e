"""A log that says the same thing once a minute, however often somebody makes it happen."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

EVERY_S = 60.0
KEPT = 1000  # things said; those not said for longest are forgotten first

ErrorPlace = tuple[str, str, str | None]


class Seldom(logging.Filter):
    """Lets a record through that was not there in the last minute: the same message, or fault in the same place."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._said: OrderedDict[ErrorPlace, tuple[float, int]] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is to be said; one that is then tells how often it was not."""
        what, now = _what(record), self._clock()
        said_s, unsaid = self._said.get(what, (float("-inf"), 0))
        if now - said_s < EVERY_S:
            self._said[what] = (said_s, unsaid + 1)
            return False
        if unsaid:
            record.msg = f"{record.msg} (and {unsaid} times more since)"
        self._said[what] = (now, 0)
        self._said.move_to_end(what)
        while len(self._said) > KEPT:
            self._said.popitem(last=False)
        return True


@contextmanager
def seldom(*names: str) -> Iterator[None]:
    """These loggers repeat themselves once a minute at most while the block lasts."""
    less = Seldom()
    for name in names:
        logging.getLogger(name).addFilter(less)
    try:
        yield
    finally:
        for name in names:
            logging.getLogger(name).removeFilter(less)


def _what(record: logging.LogRecord) -> ErrorPlace:
    """The message before its figures are filled in, and where a fault arose: not by whom and with what."""
    trace = record.exc_info[2] if record.exc_info else None
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = None if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
    return record.name, str(record.msg), where
