"""How long executors take to come: learnt from those that were asked for, for whoever foretells what they do."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from penstock.core.levers import Dial

ASSUMED_S = 10.0  # before any was seen: 2 to 15 s on a standalone cluster and on YARN
_KEPT = 0.7  # of the mean before, with each that came


@dataclass(frozen=True, slots=True)
class ExecutorStarts:
    """The mean time from the round that first saw more asked for until they were there; `since_s` of those awaited."""

    mean_s: float = ASSUMED_S
    of: int = 0
    since_s: Mapping[str, float] = field(default_factory=dict)

    def seen(self, dials: Mapping[str, Dial], at_s: float) -> "ExecutorStarts":
        """With what these levers of executors tell, by application; one that is gone tells nothing.

        >>> lever = Dial("executors", "fraud", now=1, least=1, most=4)
        >>> asked = ExecutorStarts().seen({"fraud": replace(lever, asked=3)}, at_s=20.0)
        >>> asked.since_s, asked.seen({"fraud": replace(lever, now=3)}, at_s=26.0).mean_s
        ({'fraud': 20.0}, 6.0)
        """
        awaited = {name for name, dial in dials.items() if (dial.asked or 0.0) > (dial.now or 0.0)}
        found = self
        for name, since_s in self.since_s.items():
            if name in dials and name not in awaited:
                found = found._with(at_s - since_s)
        since = {name: self.since_s.get(name, at_s) for name in sorted(awaited)}
        return found if since == found.since_s else replace(found, since_s=since)

    def _with(self, took_s: float) -> "ExecutorStarts":
        mean_s = took_s if not self.of else _KEPT * self.mean_s + (1.0 - _KEPT) * took_s
        return replace(self, mean_s=mean_s, of=self.of + 1)
