"""Executors that were lost: since when one was missing, until as many ran again, and at what pace the others went on.

    whole -- one goes that nobody asked to go --> short -- as many run again --> whole again: the loss is told
                                                  |  ^-- another goes: the same loss
                                                  +-- nobody is to come, or comes in time: nothing is told of it

Pure: an engine says who runs, who went, and what ran meanwhile.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from penstock.core.seen.failures import FailureKind

COMES_WITHIN_S = 600.0  # who comes later waited for room on the cluster, or was wanted for something else


@dataclass(frozen=True, slots=True)
class Departed:
    """An executor that went, and whether anybody had asked it to."""

    id: str
    at_s: float
    asked: bool


@dataclass(frozen=True, slots=True)
class _Came:
    id: str
    at_s: float


@dataclass(frozen=True, slots=True)
class Shortage:
    """So many were `lost` of those that ran `before`; it lasts until as many run as are `needed` for that."""

    since_s: float
    before: int
    needed: int
    lost: int = 1
    until_s: float | None = None

    @property
    def lost_share(self) -> float:
        """Of all slots, where executors are alike."""
        return self.lost / self.before


@dataclass(frozen=True, slots=True)
class Crew:
    """The executors of an application as they were last seen, and the last shortage of them."""

    known: Mapping[str, float] | None = None  # when each came, by its id; None: nobody has looked yet
    shortage: Shortage | None = None

    def lacks(self, living: Iterable[str]) -> bool:
        """Whether one that was known is gone."""
        return not (self.known or {}).keys() <= set(living)

    def after(
        self, living: Mapping[str, float], departed: Sequence[Departed], now_s: float, wanted: int | None = None
    ) -> "Crew":
        """After another look: who lives, by when each came, and who departed; `wanted` are to run, where that is known.

        Of one that is gone, and of which nobody tells why, nothing is made.
        """
        if self.known is None:
            return Crew(living)
        crew, left = self, {one.id: one for one in departed}
        gone = [left.get(one, Departed(one, now_s, asked=True)) for one in self.known if one not in living]
        came = [_Came(one, came_s) for one, came_s in living.items() if one not in self.known]
        events: list[Departed | _Came] = [*gone, *came]
        for event in sorted(events, key=lambda one: one.at_s):
            crew = crew._joined(event) if isinstance(event, _Came) else crew._left(event, wanted)
        return crew._still_awaited(now_s, wanted)

    def clock_set(self, by_s: float) -> "Crew":
        """The clock by which executors come and go was set by so much."""
        short = self.shortage
        if short is None:
            return self
        until_s = None if short.until_s is None else short.until_s + by_s
        return replace(self, shortage=replace(short, since_s=short.since_s + by_s, until_s=until_s))

    @property
    def _lasts(self) -> Shortage | None:
        return self.shortage if self.shortage is not None and self.shortage.until_s is None else None

    def _joined(self, one: "_Came") -> "Crew":
        known, short = {**(self.known or {}), one.id: one.at_s}, self._lasts
        if short is None or len(known) < short.needed:
            return replace(self, known=known)
        # By a clock that was set meanwhile it may have come before: how long that took nobody knows then.
        over = replace(short, until_s=one.at_s) if one.at_s > short.since_s else None
        return Crew(known, over)

    def _left(self, one: Departed, wanted: int | None) -> "Crew":
        before = len(self.known or {})
        known, short = {name: at_s for name, at_s in (self.known or {}).items() if name != one.id}, self._lasts
        if one.asked:
            return Crew(known, self.shortage if short is None else replace(short, needed=short.needed - 1))
        if short is not None:
            return Crew(known, replace(short, lost=short.lost + 1))
        # While it still grows, whoever comes next is no successor.
        grows = wanted is not None and before < wanted
        return Crew(known, self.shortage if grows else Shortage(one.at_s, before, needed=before))

    def _still_awaited(self, now_s: float, wanted: int | None) -> "Crew":
        short = self._lasts
        if short is None:
            return self
        too_few = wanted is not None and wanted < short.needed
        return replace(self, shortage=None) if too_few or now_s - short.since_s > COMES_WITHIN_S else self


@dataclass(frozen=True, slots=True)
class Worked:
    """A batch: its rows, and for how long its stages were under way, waiting for slots included."""

    began_s: float
    ended_s: float
    rows: float
    staged_s: float


@dataclass(frozen=True, slots=True)
class LastFailure:
    """A job's, as far as it is known; `downtime_s` is None as long as nobody can say what it costs."""

    lost: FailureKind | None = None
    at_s: float | None = None
    downtime_s: float | None = None
    short_s: float | None = None
    short_of: float | None = None
    slowed: float | None = None


@dataclass(frozen=True, slots=True)
class JobLoss:
    """What a loss means for a job that runs on: `threads` of its own ran there. `slowed` as in `Failure`.

    Until as many executors run again nobody knows how long that takes: `short_s` is None until then, and for good
    where none comes.
    """

    since_s: float
    threads: float
    usual_rps: float | None = None  # while its stages were under way, before
    short_s: float | None = None
    slowed: float | None = None

    @property
    def failure(self) -> LastFailure:
        """What the job's figures tell of it: no downtime, for the others go on; and what it cost once that is known."""
        if self.short_s is None:
            return LastFailure(FailureKind.EXECUTOR, self.since_s)
        return LastFailure(FailureKind.EXECUTOR, self.since_s, 0.0, self.short_s, self.threads, self.slowed)

    def clock_set(self, by_s: float) -> "JobLoss":
        """The clock was set by so much."""
        return replace(self, since_s=self.since_s + by_s)


def with_shortage(
    loss: JobLoss | None, shortage: Shortage, threads: int, ran: Sequence[Worked] | None
) -> JobLoss | None:
    """What a job of so many threads knows of losses, now that this one has come, or is over.

    `ran` are its batches; None where it did not run all the while: then it has another failure to tell of.

    The pace is that of the batches that began and ended while one was missing: the batch that the loss came into is
    partly of before, and partly done again. Their rows in the time in which stages were under way are compared, for
    each executor: what a batch takes beside its stages the loss does not change.
    """
    known = loss if loss is not None and loss.since_s == shortage.since_s else None
    if ran is None:
        return loss if known is None else None
    lost = threads * shortage.lost_share
    if known is None:
        known = JobLoss(shortage.since_s, lost, _rps(one for one in ran if one.ended_s <= shortage.since_s))
    if shortage.until_s is None:
        return replace(known, threads=lost)
    meanwhile = _rps(one for one in ran if one.began_s >= shortage.since_s and one.ended_s <= shortage.until_s)
    usual_rps = (known.usual_rps or 0.0) * (1.0 - shortage.lost_share)  # of those that were left
    slowed = None if meanwhile is None or not usual_rps else min(1.0, meanwhile / usual_rps)
    return replace(known, threads=lost, short_s=shortage.until_s - shortage.since_s, slowed=slowed)


def _rps(batches: Iterable[Worked]) -> float | None:
    found = [one for one in batches if one.rows > 0 and one.staged_s > 0.0]
    return sum(one.rows for one in found) / sum(one.staged_s for one in found) if found else None
