"""Words for whoever listens: one who does not is nobody's end."""

import logging
from collections.abc import Callable

from penstock.errors import told

_log = logging.getLogger("penstock")


def spoken(tell: Callable[[str], None]) -> Callable[[str], None]:
    """As `tell`; words that cannot be written, as on a disk that is full or to a terminal that is gone, end nothing.

    >>> spoken([].remove)("ads ended: exit code 1")
    """

    def say(text: str) -> None:
        try:
            tell(text)
        except (Exception, SystemExit) as error:  # rich makes an exit of a pipe that nobody reads
            _log.warning("nobody could be told: %s (%s)", text, told(error))

    return say
