"""Executors of a simulated fleet as a busy machine has them: JVMs that start share its cores, and who goes takes long.

On two cores that eight drivers share an executor was there 6 to 30 s after it was asked for, and one whose application
was in a long batch went up to 35 s after it was told to (standalone cluster, 2026-11-26).
"""

from dataclasses import dataclass, field

STARTS_S = 6.0  # of a JVM that starts alone
GOES_WITHIN_S = 35.0  # once it was told to: until its batch has ended, or it is ended


@dataclass
class Machine:
    """What all of a fleet start their JVMs on; one with nothing to share starts each in the same time."""

    cores: float | None = None
    goes_within_s: float = 0.0
    _until_s: list[float] = field(default_factory=list)

    def starts_s(self, at_s: float) -> float:
        """How long one more takes that starts then, beside all that do."""
        self._until_s = [until_s for until_s in self._until_s if until_s > at_s]
        beside = len(self._until_s)
        takes_s = STARTS_S if self.cores is None else STARTS_S * max(1.0, (beside + 1) / self.cores)
        self._until_s.append(at_s + takes_s)
        return takes_s


@dataclass
class Holding:
    """The executors of one application: those that work, on their way, and told to go, each until when."""

    machine: Machine
    there: int = 1
    wanted: int = 1
    coming: list[float] = field(default_factory=list)
    going: list[float] = field(default_factory=list)

    @property
    def held(self) -> int:
        """As the cluster manager counts them: granted, and not gone."""
        return self.there + len(self.coming) + len(self.going)

    @property
    def lacks(self) -> int:
        """Those that it asked the cluster manager for and was not granted yet."""
        return self.wanted - self.there - len(self.coming)

    def hold(self, wanted: int, at_s: float) -> None:
        """So many from now on; one that was told to go takes up no more work, and is not taken back."""
        self.wanted = wanted
        while self.there + len(self.coming) > wanted:
            if self.coming:
                self.coming.pop()
            else:
                self.there -= 1
                self.going.append(at_s + self.machine.goes_within_s)

    def grant(self, executors: int, at_s: float) -> None:
        """The cluster manager has so many for it, which start."""
        for _ in range(min(executors, self.lacks)):
            self.coming.append(at_s + self.machine.starts_s(at_s))

    def at(self, at_s: float, in_batch: bool) -> None:
        """Who was on the way has come, and who has nothing to end is gone."""
        self.there += sum(come_s <= at_s for come_s in self.coming)
        self.coming = [come_s for come_s in self.coming if come_s > at_s]
        self.going = [gone_s for gone_s in self.going if in_batch and gone_s > at_s]
