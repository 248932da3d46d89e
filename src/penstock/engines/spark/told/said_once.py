"""A trouble that lasts is told when it begins, and not each time that it is met."""

import logging
from collections.abc import Hashable
from dataclasses import dataclass, field

_log = logging.getLogger("penstock.spark")


@dataclass(slots=True)
class SaidOnce:
    """What was said of whom last, until all is well with them."""

    _last: dict[Hashable, str] = field(default_factory=dict)

    def warn(self, who: Hashable, what: str, why: object) -> None:
        """Say what is the matter, unless that is what was said of them last."""
        before, self._last[who] = self._last.get(who), str(why)
        if before != self._last[who]:
            _log.warning("%s: %s", what, why)

    def well(self, who: Hashable) -> None:
        """The next trouble is a new one."""
        self._last.pop(who, None)
