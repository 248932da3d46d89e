"""What happened while the nemesis was at work, and whether the laws held: no clock, no process, no database.

Times are seconds since the epoch, by one clock.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

RECOVERS_WITHIN_S = 180.0
AT_MOST = 3  # intervals from one round to the next, whatever is struck but governing itself
RECOVERED = 0.95  # of the utility that there was before
WELL = 0.9  # of all utility: one that comes back to less than that has not shown anything
IN_A_ROW = 3  # rounds: one alone may tell of what was before
BACK = "utility is back within 3 minutes, in three rounds, with new batches of all"
_SKEW_S = 1.0  # the run's clock goes by itself while a driver lives


@dataclass(frozen=True, slots=True)
class Rows:
    """Of one tenant: how many of each key were sent and confirmed, and the highest count that was read."""

    tenant: str
    sent: Mapping[str, int]
    read: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Held:
    """Somebody was seen to hold the run's lease, in this epoch."""

    at_s: float
    actor: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Cycle:
    """A round as it is recorded, in the order of recording: under which epoch, and the share of all utility.

    One that was `blind` could not look, and tells what was seen before.
    """

    at_s: float
    epoch: int | None
    share: float | None
    steps: int = 0
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """A tenant's batch that was committed, as its checkpoint tells."""

    tenant: str
    begun_s: float
    done_s: float


@dataclass(frozen=True, slots=True)
class Asked:
    """An act that the store has acknowledged, and what is recorded of it.

    `lever` is what it would turn, `taken_at` when a controller took it up; `done_in` are the epochs in which it was
    handed to the engine, once for each time, and `refused` is whether the record says that it was not to be done.
    """

    number: int
    lever: str
    taken_at: float | None = None
    done_in: tuple[int, ...] = ()
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Rerouted:
    """A routing table that was asked for, by its number: which one was in force before, and which one afterwards.

    Zero is the one that lists no key; None is one that nobody asked for, or that no book tells of. `after` is what was
    in force before the next one was asked for, or in the end.
    """

    tenant: str
    asked: int
    before: int | None
    at_s: float
    after: int | None = None

    @property
    def text(self) -> str:
        """Which it was, in words."""
        what = f"{self.tenant}: table {self.asked} was asked for"
        if self.after == self.asked:
            return f"{what} and is in force"
        kept = f"the one before ({self.before}) stayed" if self.after == self.before else f"{self.after} is in force"
        return f"{what}, {kept}"


@dataclass(frozen=True, slots=True)
class Struck:
    """A pair of faults: from when to when something was wrong; `missed` are those that struck nobody."""

    from_s: float
    to_s: float
    text: str
    spares_governing: bool = False  # the driver ran on, and its rounds could be recorded
    missed: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class History:
    """All of it."""

    rows: Sequence[Rows] = ()
    held: Sequence[Held] = ()
    cycles: Sequence[Cycle] = ()
    batches: Sequence[Batch] = ()
    tenants: Sequence[str] = ()  # whose batches were looked at
    acts: Sequence[Asked] = ()
    struck: Sequence[Struck] = ()
    until_s: float = 0.0  # when nobody looked any more, or no rows came
    others: Sequence[str] = field(default_factory=tuple)  # what the nemesis itself saw to be wrong
    unjudged: Sequence[str] = field(default_factory=tuple)  # why nothing can be said of rows
    interval_s: float = 5.0  # of rounds
    tables: Sequence[Rerouted] = ()  # that were asked for


@dataclass(frozen=True, slots=True)
class Law:
    """One law, on how many things it was tried, and each breach of it in words.

    One that is `timed` is kept by a machine that is fast enough, whatever is right.
    """

    name: str
    tried: int
    breaches: tuple[str, ...]
    timed: bool = False


def judged(history: History) -> tuple[Law, ...]:
    """Every law on the history; it is well where none was broken."""
    keys = sum(len({*rows.sent, *rows.read}) for rows in history.rows)
    sent = sum(sum(rows.sent.values()) for rows in history.rows)
    return (
        Law("no row is lost", sent, tuple(lost(history.rows))),
        Law("no row is doubled", keys, tuple(doubled(history.rows))),
        Law("one actor for each epoch of the lease", len(history.held), tuple(actors(history.held))),
        Law("nothing is recorded under an epoch that is over", len(history.cycles), tuple(out_of_turn(history))),
        Law("each acknowledged act is applied once or refused", len(history.acts), tuple(unsettled(history.acts))),
        Law("the table in force is the one asked for or the one before", len(history.tables), tuple(astray(history))),
        Law(BACK, _known(history), tuple(unrecovered(history)), timed=True),
        Law("rounds go on beside what is struck", _spared(history), tuple(held_up(history)), timed=True),
        Law("drivers end as they should", len(history.struck), tuple(history.others)),
        *((Law("rows can be counted", 1, tuple(history.unjudged)),) if history.unjudged else ()),
        *((Law("what is recorded can be read", 1, ("no round was found",)),) if _unread(history) else ()),
    )


def lost(rows: Sequence[Rows]) -> Iterator[str]:
    """Keys of which fewer were read than sent."""
    for one in rows:
        for key, sent in sorted(one.sent.items()):
            if one.read.get(key, 0) < sent:
                yield f"{one.tenant}: key {key} was sent {sent} times, {one.read.get(key, 0)} were counted"


def doubled(rows: Sequence[Rows]) -> Iterator[str]:
    """Keys of which more were read than sent."""
    for one in rows:
        for key, read in sorted(one.read.items()):
            if read > one.sent.get(key, 0):
                yield f"{one.tenant}: key {key} was sent {one.sent.get(key, 0)} times, {read} were counted"


def actors(held: Sequence[Held]) -> Iterator[str]:
    """Epochs that two had, and epochs that went back."""
    of: dict[int, str] = {}
    for one in held:
        if of.setdefault(one.epoch, one.actor) != one.actor:
            yield f"epoch {one.epoch} was {of[one.epoch]}'s and {one.actor}'s"
    for before, after in pairwise(sorted(held, key=lambda one: one.at_s)):
        if after.epoch < before.epoch:
            yield f"epoch {after.epoch} came after epoch {before.epoch}"


def out_of_turn(history: History) -> Iterator[str]:
    """Rounds of an epoch after one of a later epoch, or begun when a later one was there already."""
    newest = 0
    for cycle in history.cycles:
        if cycle.epoch is None:
            yield f"the round at {cycle.at_s:.0f} tells no epoch"
            continue
        if cycle.epoch < newest:
            yield f"a round of epoch {cycle.epoch} was recorded after one of epoch {newest}"
        newest = max(newest, cycle.epoch)
        later = [held.at_s for held in history.held if held.epoch > cycle.epoch]
        if later and cycle.at_s > min(later) + _SKEW_S:
            steps = f", with {cycle.steps} steps" if cycle.steps else ""
            yield f"a round of epoch {cycle.epoch} began {cycle.at_s - min(later):.0f} s after a later one{steps}"


def astray(history: History) -> Iterator[str]:
    """Tables in force that nobody asked for last, and that were not in force before that either."""
    for one in history.tables:
        if one.after is None or one.after not in (one.asked, one.before):
            yield one.text


def settled(tables: Sequence[Rerouted], found: Mapping[str, int | None]) -> tuple[Rerouted, ...]:
    """The tables with what was in force afterwards: before the tenant's next one, or as was found in the end."""
    after, told = dict(found), list[Rerouted]()
    for one in reversed(tables):
        told.append(replace(one, after=after.get(one.tenant)))
        after[one.tenant] = one.before
    return tuple(reversed(told))


def held_up(history: History) -> Iterator[str]:
    """Rounds that came too late while what was struck was neither the driver nor its store, whoever recorded them."""
    most_s = AT_MOST * history.interval_s + _SKEW_S
    rounds = [cycle.at_s for cycle in history.cycles]
    for struck in history.struck:
        if not struck.spares_governing or not rounds:
            continue
        looked_until_s = min(struck.to_s + most_s, history.until_s)
        for before_s, after_s in pairwise([*rounds, max(rounds[-1], looked_until_s)]):
            if before_s < struck.to_s and after_s > struck.from_s and after_s - before_s > most_s:
                yield f"after {struck.text}: {after_s - before_s:.0f} s between two rounds"


def _unread(history: History) -> bool:
    """Laws about rounds that nobody found are no better than broken."""
    return bool(history.struck) and not history.cycles


def _spared(history: History) -> int:
    return sum(struck.spares_governing for struck in history.struck)


def unsettled(acts: Sequence[Asked]) -> Iterator[str]:
    """Acts that nobody took up, that came to nothing without a word, or that one epoch applied twice.

    Of two for one lever that are heard together the later one counts, which is as good as a word. A driver that died
    before it could write down that it had turned a lever leaves that to the next one: to turn it again changes nothing.
    """
    last = {(act.lever, act.taken_at): act.number for act in acts if act.taken_at is not None}
    for act in acts:
        overtaken = act.taken_at is not None and last[act.lever, act.taken_at] != act.number
        twice = [epoch for epoch, times in Counter(act.done_in).items() if times > 1]
        if act.taken_at is None:
            yield f"act {act.number} on {act.lever} was never taken up"
        elif not (act.done_in or act.refused or overtaken):
            yield f"act {act.number} on {act.lever} was taken up, and neither applied nor refused"
        elif twice:
            yield f"act {act.number} on {act.lever} was applied twice in epoch {twice[0]}"


def recovered_s(history: History, struck: Struck) -> float | None:
    """From the end of what was wrong until the utility was back; None where it never was, or was never known.

    It is back with the first of three rounds in a row that have it. Such a round could look, and came after each
    tenant had committed a batch that began when nothing was wrong any more: a driver that is gone leaves figures, too.
    """
    wanted = wanted_share(history, struck)
    fresh_s = fresh_from_s(history, struck)
    if wanted is None or fresh_s is None:
        return None
    row: list[float] = []
    for cycle in history.cycles:
        well = cycle.at_s >= fresh_s and not cycle.blind and cycle.share is not None and cycle.share >= wanted
        row = [*row, cycle.at_s] if well else []
        if len(row) == IN_A_ROW:
            return row[0] - struck.to_s
    return None


def fresh_from_s(history: History, struck: Struck) -> float | None:
    """When the last tenant had committed a batch that began after all that; None as long as one has not."""
    first = {tenant: float("inf") for tenant in history.tenants}
    for batch in history.batches:
        if batch.begun_s >= struck.to_s:
            first[batch.tenant] = min(batch.done_s, first[batch.tenant])
    last_s = max([struck.to_s, *first.values()])
    return None if last_s == float("inf") else last_s


def wanted_share(history: History, struck: Struck) -> float | None:
    """What it has to come back to; None where there was too little before to say anything of that pair.

    What it was before a pair that came too early after another one is too little: it counts as before the first one.
    """
    first_s = min([struck.from_s, *(one.from_s for one in history.struck)])
    before = max(_share(history, first_s), _share(history, struck.from_s))
    return RECOVERED * before if before >= WELL else None


def _share(history: History, before_s: float) -> float:
    """The mean of the last three rounds before that; zero where there were none."""
    found = [cycle.share for cycle in history.cycles if cycle.at_s < before_s and cycle.share is not None][-3:]
    return sum(found) / len(found) if found else 0.0


def _known(history: History) -> int:
    return sum(wanted_share(history, struck) is not None for struck in history.struck)


def unrecovered(history: History) -> Iterator[str]:
    """Pairs after which the utility was not back in time; one whose time was not over is not judged."""
    for struck in history.struck:
        if wanted_share(history, struck) is None:
            continue
        took_s = recovered_s(history, struck)
        if took_s is not None and took_s <= RECOVERS_WITHIN_S:
            continue
        if took_s is None and history.until_s < struck.to_s + RECOVERS_WITHIN_S:
            continue
        yield f"after {struck.text}: " + ("not back" if took_s is None else f"back after {took_s:.0f} s")
