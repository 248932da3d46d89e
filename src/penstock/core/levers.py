"""Levers: all that penstock can turn, as values. A `Move` is one turn, held by a plan; a `Dial` is how a lever stands.

    Slots        a job's weight in sharing the slots, where its operators share a pool
    Tasks        the threads of one operator, where each has its own
    Executors    how many executors the application holds; in a fleet, each application of its own
    Partitions   into how many parts a job's state is cut
    BatchBound   the most rows that one batch of a job takes in; None: as many as there are
    Piece        the most rows that one task of a batch reads; None: as its source says
    Trigger      how often a job's batches begin, in seconds
    Memory       the heap of each executor, in MiB
    Table        where a job's correlated keys live

    >>> Slots("ads", 3, 6).undo
    Slots(job='ads', before=6, after=3, kind='slots')
    >>> Tasks("ads", "map", 3, 6).text, Slots("ads", 3, 6).text, BatchBound("ads", None, 2000).text
    ('map 3 -> 6', 'weight 3 -> 6', 'batch bound none -> 2,000 rows')

Limits, undo, words, stores, pages, approval and verdicts go by these kinds: they are written once. A new lever is a
kind here, a lever in each engine that has it, and a rule in `planning/rules`, in a file named as the kind.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal, Self, TypeAlias, get_args

from penstock.core.known.routing_table import RoutingTable
from penstock.core.units import text_of_seconds

# `penstock.Slots` and so on: whoever adds a kind decides here whether others may build on it.
__all__ = (
    "BatchBound",
    "Dial",
    "Disturbs",
    "Executors",
    "Memory",
    "Move",
    "Partitions",
    "Piece",
    "Shows",
    "Slots",
    "Table",
    "Tasks",
    "Trigger",
    "thread_move",
)

ALL_OPERATORS = "*"  # the one scalable unit of a job whose operators share a pool of slots
WHOLE = "(application)"  # whom a move concerns that turns the whole application; no job can be named so


class _Turn:
    """What all moves have; the fields are each kind's own."""

    __slots__ = ()

    @property
    def undo(self) -> Self:
        """The move that takes this one back; from a first table there is no way back, it stays."""
        move: Any = self
        back: Self = (
            move
            if move.before is None and move.kind == "table"
            else replace(move, before=move.after, after=move.before)
        )
        return back

    @property
    def text(self) -> str:
        """What is turned, and from what to what; of which job goes without saying."""
        move: Any = self
        return _text(move)


class _OfAll(_Turn):
    """A turn of all of a job, or of all of the application."""

    __slots__ = ()

    @property
    def operator(self) -> str:
        """The unit of the job that is turned."""
        return ALL_OPERATORS


@dataclass(frozen=True, slots=True)
class Slots(_OfAll):
    """A job's weight for dividing the slots; if all weights fit into the slots, the number of slots."""

    job: str
    before: int
    after: int
    kind: Literal["slots"] = "slots"


@dataclass(frozen=True, slots=True)
class Tasks(_Turn):
    """The threads of one operator, if each operator has its own."""

    job: str
    operator: str
    before: int
    after: int
    kind: Literal["tasks"] = "tasks"


@dataclass(frozen=True, slots=True)
class Executors(_OfAll):
    """The number of executors of an application: of the governed one, or in a fleet of the one with that name."""

    before: int
    after: int
    job: str = WHOLE
    kind: Literal["executors"] = "executors"


@dataclass(frozen=True, slots=True)
class Partitions(_OfAll):
    """The number of partitions of a job's state."""

    job: str
    before: int
    after: int
    kind: Literal["partitions"] = "partitions"


@dataclass(frozen=True, slots=True)
class BatchBound(_OfAll):
    """The most rows that one batch reads, from all its sources together; without a bound, all that wait."""

    job: str
    before: int | None
    after: int | None
    kind: Literal["bound"] = "bound"


@dataclass(frozen=True, slots=True)
class Piece(_OfAll):
    """The most rows that one task of a batch reads; without it, a task reads what its source gives it.

    Tasks that are shorter hold their slots for less time; the batch stays as it is.
    """

    job: str
    before: int | None
    after: int | None
    kind: Literal["piece"] = "piece"


@dataclass(frozen=True, slots=True)
class Trigger(_OfAll):
    """The time from the start of one batch to the start of the next, in seconds; 0: batches follow one another."""

    job: str
    before: float
    after: float
    kind: Literal["trigger"] = "trigger"


@dataclass(frozen=True, slots=True)
class Memory(_OfAll):
    """The heap of each executor, in MiB."""

    before: int
    after: int
    kind: Literal["memory"] = "memory"

    @property
    def job(self) -> str:
        """Nobody's alone."""
        return WHOLE


@dataclass(frozen=True, slots=True)
class Table(_OfAll):
    """The routing table of one route of a job. An engine carries such a move out as a whole or not at all."""

    job: str
    route: str
    before: RoutingTable | None
    after: RoutingTable
    keys: int  # that move
    kind: Literal["table"] = "table"


ThreadMove: TypeAlias = Slots | Tasks
Move: TypeAlias = Slots | Tasks | Executors | Partitions | BatchBound | Piece | Trigger | Memory | Table
"""A turn of any kind: which lever, from what to what."""
Kind: TypeAlias = Literal["slots", "tasks", "executors", "partitions", "bound", "piece", "trigger", "memory", "table"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def thread_move(job: str, operator: str, before: int, after: int) -> ThreadMove:
    """Threads of an operator, or of all of them where they share a pool.

    >>> thread_move("ads", "map", 3, 6).kind, thread_move("ads", "*", 3, 6).kind
    ('tasks', 'slots')
    """
    return Slots(job, before, after) if operator == ALL_OPERATORS else Tasks(job, operator, before, after)


def figure_text(kind: Kind, value: float | None) -> str:
    """A figure of a lever of that kind, with its unit.

    >>> figure_text("bound", 2000), figure_text("bound", 1), figure_text("trigger", 5.0), figure_text("slots", 3)
    ('2,000 rows', '1 row', '5s', '3')
    """
    how = WORDS[kind]
    unit = how.unit.removesuffix("s") if value == 1 else how.unit
    return how.figure(value) + (f" {unit}" if unit and value is not None else "")


def unit_of(kind: Kind) -> str:
    """What its plain numbers count; empty where its name says it.

    >>> unit_of("trigger"), unit_of("memory"), unit_of("slots")
    ('s', 'MiB', '')
    """
    return "s" if WORDS[kind].seconds else WORDS[kind].unit


def in_fractions(kind: Kind) -> bool:
    """Whether a lever of that kind may stand between two whole numbers.

    >>> in_fractions("trigger"), in_fractions("slots")
    (True, False)
    """
    return WORDS[kind].seconds


class Disturbs(StrEnum):
    """What a turn costs those who run."""

    NOTHING = "nothing"
    QUERY = "its query starts again"  # between two batches; nothing is lost
    APPLICATION = "every query starts again"


class Shows(StrEnum):
    """When a turn shows."""

    NEXT_TASK = "with the next task"
    NEXT_BATCH = "with the next batch"
    WHEN_GIVEN = "when the cluster gives it"
    AFTER_RESTART = "after the restart"


@dataclass(frozen=True, slots=True)
class Dial:
    """One lever as it stands. `now` is what was observed; `asked` what was asked for and has not come yet.

    `most` None: no bound is known. `now` None: none is set (of a batch or a task), or nobody knows. `worth` is the
    utility that is foretold at each value, in rising order, by whoever knows what the lever is worth. `costs` is what
    one of its units takes of what all share: the cores of an executor.
    """

    kind: Kind
    job: str
    now: float | None
    least: float
    most: float | None = None
    asked: float | None = None
    operator: str = ALL_OPERATORS
    disturbs: Disturbs = Disturbs.NOTHING
    shows: Shows = Shows.NEXT_TASK
    by_people: bool = False  # no policy turns it: to do so would change the load, not what is done about it
    worth: tuple[tuple[float, float], ...] = ()
    costs: int = 1
    follows: bool = False  # it is turned as the jobs' slots are, by the engine

    def held(self, value: float | None) -> float | None:
        """What of a wish is within the limits; what is beyond them already is neither grown nor forced back.

        >>> Dial("slots", "ads", now=9, least=1, most=6).held(12), Dial("slots", "ads", now=2, least=1, most=6).held(12)
        (9, 6)
        """
        if value is None:
            return None
        if self.now is None:
            return self._within(value)
        if value > self.now:
            return max(self.now, self._within(value))
        return min(self.now, self._within(value))

    def _within(self, value: float) -> float:
        return max(value, self.least) if self.most is None else min(max(value, self.least), self.most)


def move_of(dial: Dial, value: float | None) -> Move:
    """The move that turns this lever to that value.

    >>> move_of(Dial("bound", "ads", None, 1), 500)
    BatchBound(job='ads', before=None, after=500, kind='bound')
    """
    before, after = _whole(dial.now), _whole(value)
    if dial.kind == "bound":
        return BatchBound(dial.job, before, after)
    if dial.kind == "piece":
        return Piece(dial.job, before, after)
    if dial.kind == "trigger":
        return Trigger(dial.job, float(dial.now or 0.0), float(value or 0.0))
    if dial.kind == "executors":
        # Of an application from what it was promised, come or not: to take that back is a move, too.
        promised = before if dial.asked is None or dial.job == WHOLE else _whole(dial.asked)
        return Executors(promised or 0, after or 0, dial.job)
    if dial.kind == "memory":
        return Memory(before or 0, after or 0)
    if dial.kind == "partitions":
        return Partitions(dial.job, before or 0, after or 0)
    return thread_move(dial.job, dial.operator, before or 0, after or 0)


def dial_of(move: Move, dials: Iterable[Dial]) -> Dial | None:
    """The lever that a move turns, where there is one."""
    wanted = (move.kind, move.job, move.operator)
    return next((dial for dial in dials if (dial.kind, dial.job, dial.operator) == wanted), None)


def _text(move: Move) -> str:
    if isinstance(move, Table):
        return f"route {move.route}: {move.keys:,} keys move"
    if isinstance(move, Tasks):
        return f"{move.operator} {move.before} -> {move.after}"
    how = WORDS[move.kind]
    unit = f" {how.unit}" if how.unit else ""
    return f"{how.name} {how.figure(move.before)} -> {how.figure(move.after)}{unit}"


@dataclass(frozen=True, slots=True)
class LeverWords:
    """What a kind of lever is called, what its figures count, and what `penstock control` says that it does."""

    name: str
    about: str  # with its arguments in capitals
    unit: str = ""
    seconds: bool = False
    of_all: bool = False  # of the whole application: no job is to be named

    def figure(self, value: float | None) -> str:
        """It alone, without the unit.

        >>> WORDS["bound"].figure(2000), WORDS["trigger"].figure(0.25), WORDS["trigger"].figure(0)
        ('2,000', '250ms', 'none')
        """
        if value is None:
            return "none"
        if self.seconds:
            return text_of_seconds(value) if value else "none"  # batches follow one another
        return f"{value:,.0f}"


# Of all kinds but tables, which nobody turns by a figure.
WORDS: Mapping[Kind, LeverWords] = {
    # What is turned, and not what comes of it: that depends on all others' weights.
    "slots": LeverWords("weight", "Set the weight of JOB for dividing the slots."),
    "tasks": LeverWords("tasks", "Set the threads of one OPERATOR of JOB, if each operator has its own."),
    "executors": LeverWords("executors", "Set the number of executors of the application.", of_all=True),
    "partitions": LeverWords("partitions", "Set the number of state partitions of JOB. Its query restarts."),
    "bound": LeverWords("batch bound", "Read at most ROWS in each batch of JOB; `none` removes the bound.", "rows"),
    "piece": LeverWords("rows a task", "Read at most ROWS in each task of JOB; `none`: as its source says.", "rows"),
    "trigger": LeverWords("trigger", "Set the time between batches of JOB, such as 5s.", seconds=True),
    "memory": LeverWords("executor memory", "Set the heap of each executor, such as 512m or 2g.", "MiB", of_all=True),
}


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
