"""The last word of a supervised driver: that it ends in order, and by which exit code.

A tenant's code runs in the driver's process, and may end that at once with any exit code (`os._exit`, a C library).
Only a driver that comes to the end of its command leaves the word, beside the file that its heart writes. It is a
symbolic link to the code: that takes neither room on a full disk nor a descriptor where none is left.
"""

import os
from contextlib import suppress
from pathlib import Path

FAILED_TO_THE_END = 5  # the run's time is over, and its last rounds failed: no driver has any time left


def place_of(heartbeat: Path) -> Path:
    """Where the word is left.

    >>> place_of(Path("/tmp/heartbeat")).name
    'heartbeat.end'
    """
    return heartbeat.with_name(f"{heartbeat.name}.end")


def left(heartbeat: Path) -> int | None:
    """The exit code that was named; None where no word was left."""
    try:
        return int(os.readlink(place_of(heartbeat)))
    except (OSError, ValueError):
        return None


class LastWord:
    """Of this process, once somebody wants it; nobody does of a driver without a supervisor."""

    def __init__(self) -> None:
        self._heartbeat: Path | None = None
        self._process: int | None = None

    def wanted(self, heartbeat: Path) -> None:
        """Beside this file, from now on."""
        self._heartbeat, self._process = heartbeat, os.getpid()

    def leave(self, code: int) -> None:
        """It ends by this code, if it is the very process of which that is wanted, and not a fork of it."""
        heartbeat, self._heartbeat = self._heartbeat, None
        if heartbeat is None or self._process != os.getpid():
            return
        place = place_of(heartbeat)
        with suppress(OSError):  # who clears /tmp takes the folder too
            place.parent.mkdir(0o700, parents=True, exist_ok=True)
        with suppress(OSError):
            place.unlink()
        with suppress(OSError):  # without it the driver is started again, which is over by then, and says so
            place.symlink_to(str(code))


LAST_WORD = LastWord()
