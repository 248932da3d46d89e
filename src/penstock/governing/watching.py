"""A tenants file that is watched while it is run: what changes in it is taken over, or said not to be.

It is read again every half second, and taken once two looks found the same: however the file changes (saved in place
or by a rename, checked out, a link turned to another folder as Kubernetes does), no half of it is believed.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from penstock.config.changes import FileChanges, changes
from penstock.config.checking import CheckOptions, check_tenants
from penstock.config.document import MOST_BYTES
from penstock.config.tenants import TenantsFile
from penstock.core.asked.intents import Intent
from penstock.core.asked.price import Price
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.ports import Policy
from penstock.errors import ConfigError, WrongFileError

_log = logging.getLogger("penstock")
_NOT_YET = b"\0"  # no file of ours begins so


@dataclass(frozen=True, slots=True)
class Renewal:
    """What governing goes by from now on; `said` is what is new in it, in words."""

    intents: Mapping[str, Intent]
    limits: Mapping[str, SlotLimits]
    policy: Policy
    price: Price | None
    priced_anew: bool
    said: tuple[str, ...]


class TenantsWatch:
    """`look` again and again; `running` is what holds, as a file would say it."""

    def __init__(
        self,
        path: Path,
        running: TenantsFile,
        asked: CheckOptions,
        policy_of: Callable[[TenantsFile], Policy],
        say: Callable[[str], None] = _log.warning,
    ) -> None:
        self.running = running
        self._path = path
        self._asked = asked
        self._policy_of = policy_of
        self._say = say
        self._seen: bytes | None = _NOT_YET
        self._judged: bytes | None = _NOT_YET
        self._left: tuple[str, ...] = ()  # of the file that was judged last

    def look(self) -> Renewal | None:
        """What is to be taken over since the last look; what is not is said once."""
        content = self._content()
        still, self._seen = content == self._seen, content
        if not still or content == self._judged:
            return None
        self._judged = content
        try:
            found = changes(self.running, check_tenants(self._path, self._asked))
            return self._renewal(found)
        except ConfigError as error:
            more = f" ({len(error.errors)} mistakes: penstock check)" if isinstance(error, WrongFileError) else ""
            first = error.errors[0] if isinstance(error, WrongFileError) else error
            self._say(f"not taken over: {first}{more}; what was wanted before holds")
            return None

    def _renewal(self, found: FileChanges) -> Renewal | None:
        policy = self._policy_of(found.running)
        for text in found.left:
            if text not in self._left:
                self._say(f"{self._path.name}: not taken over: {text}")
        self._left = found.left
        if not found.taken:
            return None
        before, self.running = self.running, found.running
        for text in found.taken:
            self._say(f"{self._path.name}: taken over: {text}")
        parts = found.running.jobs
        return Renewal(
            intents=found.running.asked(),
            limits={part.name: part.limits() for part in parts},
            policy=policy,
            price=found.running.slot_price(),
            priced_anew=found.running.slot_price() != before.slot_price(),
            said=found.taken,
        )

    def _content(self) -> bytes | None:
        """None where it cannot be read, as between two steps of whoever puts another in its place.

        As far as files are read at all: it may have become a device, or a link to one, that has no end.
        """
        try:
            with self._path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        except OSError:
            return None
