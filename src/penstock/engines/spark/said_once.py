"""A trouble that lasts is told when it begins, and not each time that it is met."""

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(slots=True)
class SaidOnce:
    """What was said of whom last, until all is well with them.

    >>> said = SaidOnce()
    >>> [said.is_new("broker", text) for text in ("it is away", "it is away", "it wants a password")]
    [True, False, True]
    >>> said.well("broker"); said.is_new("broker", "it wants a password")
    True
    """

    _last: dict[Hashable, str] = field(default_factory=dict)

    def is_new(self, who: Hashable, text: str) -> bool:
        """Whether it is to be said, as it is then."""
        before, self._last[who] = self._last.get(who), text
        return before != text

    def well(self, who: Hashable) -> None:
        """The next trouble is a new one."""
        self._last.pop(who, None)
