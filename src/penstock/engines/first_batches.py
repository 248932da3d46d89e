"""The first batches of a query that has much to work off: a small one, then larger ones, until nothing is held back.

Before its first batch nobody knows what its rows take, and one batch of all that waited could keep every slot busy for
minutes, in which nothing can be given to anybody. Pure.
"""

from dataclasses import dataclass, replace

FIRST_ROWS = 1_000  # for each slot; a row that waits for something takes up to 20 ms, and most take a thousandth of it
FIRST_FILES = 1  # for each slot
FITS_S = 4.0  # of all slots, for one batch: others who are in a hurry wait for those that its tasks hold
LONG_S = 10.0  # what holds them for longer gets fewer rows
_UNHEARD_S = 120.0  # without word of a batch that left rows: a query that nobody hears of shall not stay held back
_MOST_TIMES, _LEAST_TIMES = 16.0, 0.1  # as many rows, from one batch to the next
_QUICK_TIMES = 2.0  # at least, after a batch that was not long: what does not grow with its rows may be most of it
_CALM = 3  # batches in a row beyond which nothing waited: they need no bound
_FULL = 0.9  # of the bound: files and partitions are taken whole


@dataclass(frozen=True, slots=True)
class SmallBatch:
    """The most rows that it holds; None where files are counted, whose rows nobody knows yet.

    A run begins with what an earlier one had planned: `number` is that of the first batch after it.
    """

    rows: int | None
    number: int = 0


@dataclass(frozen=True, slots=True)
class FirstBatches:
    """The bound on the batches of one run; `rows` None: one of so many files."""

    run_id: str
    until_s: float  # on a clock that nobody sets; later with each batch that leaves rows
    slots: int  # of the application
    rows: int | None = None
    within_from: int = 0  # the first batch that is within the bound for sure
    heard_from: int = 0  # the first batch of which nothing was said yet
    calm: int = 0  # batches in a row beyond which no rows waited
    grew: bool = False  # whether rows waited for any

    @classmethod
    def of(cls, run_id: str, small: SmallBatch, even_s: float, slots: int) -> "FirstBatches":
        """They begin now."""
        return cls(run_id, even_s + _UNHEARD_S, slots, small.rows, small.number, small.number)


@dataclass(frozen=True, slots=True)
class TakenBatch:
    """A batch that has ended: the rows that it took of all sources, and those it left; None where no source says.

    `slot_s` is the time that its tasks had slots, all together. Where others share them a batch takes longer than that,
    whatever its rows; smaller ones would only begin more often.
    """

    number: int
    taken: float
    left: float | None
    slot_s: float


@dataclass(frozen=True, slots=True)
class Loosened:
    """How they go on, and why; None: they are over, and the query's options hold."""

    first: FirstBatches | None
    why: str


def loosened(first: FirstBatches, newest: TakenBatch | None, even_s: float) -> Loosened | None:
    """What the run's newest batch says of the next ones; None while nothing is new."""
    if newest is None or newest.number < first.heard_from:
        return Loosened(None, "nothing is heard of rows that wait") if even_s >= first.until_s else None
    first = replace(first, heard_from=newest.number + 1)
    if _leaves_any(first, newest):
        rows = max(1, round(newest.taken * _times(newest.slot_s / first.slots, newest.left or 0.0, newest.taken)))
        held = replace(first, until_s=even_s + _UNHEARD_S, rows=rows, calm=0, grew=True)
        return Loosened(held, "rows wait beyond it")
    if newest.number < first.within_from and newest.left is None:
        return None
    if first.calm + 1 < _CALM:  # rows may come while the first one, on cold code, is under way
        return Loosened(replace(first, calm=first.calm + 1), "no rows wait beyond it")
    return Loosened(None, "no rows wait beyond them")


def _leaves_any(first: FirstBatches, batch: TakenBatch) -> bool:
    if batch.taken <= 0:
        return False
    if batch.left is not None:
        return batch.left > 0
    return first.rows is None or batch.taken >= _FULL * first.rows


def _times(held_s: float, left: float, taken: float) -> float:
    """How many times as many rows the next batch may have, after one that had all slots for so long.

    >>> [_times(held_s, 1e9, 4_000) for held_s in (0.1, 1.0, 3.0, 5.0, 8.0, 40.0)]
    [16.0, 4.0, 2.0, 1.0, 1.0, 0.25]

    What is left is taken at once where that is not long: in several batches it would take longer for all.

    >>> _times(3.0, 12_000, 4_000)
    3.3333333333333335
    """
    if held_s > LONG_S:
        return max(_LEAST_TIMES, LONG_S / held_s)
    at_once = LONG_S / max(held_s, 1e-3)
    if left <= at_once * taken:
        return min(_MOST_TIMES, at_once)
    if held_s > FITS_S:
        return 1.0
    return max(_QUICK_TIMES, min(_MOST_TIMES, FITS_S / max(held_s, 1e-3)))
