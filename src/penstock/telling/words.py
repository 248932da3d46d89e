"""Figures and changes in the words of a reader."""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import isfinite

from penstock.core.known.prediction import foretold_text
from penstock.core.levers import Move, Slots, Tasks
from penstock.core.run import DecisionRecord, RunInfo

MANY_JOBS = 3  # a decision on more jobs than this is told in sums
MANY_OPERATORS = 4
NO_FIGURES = "no figures yet"
NOT_ALL = "not all figures are there"
_RESTS = ("converged", "everyone", "no other ")  # how what policies say begins that find nothing better


def clock(at_s: float) -> str:
    """Time since the start.

    >>> clock(75.0), clock(93_784.0)
    ('0:01:15', '26:03:04')
    """
    minutes, seconds = divmod(round(at_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}"


def span(length_s: float) -> str:
    """A length of time, as precise as a reader needs it.

    >>> span(40.0), span(95.0), span(8000.0), span(200_000.0)
    ('40 s', '1 min 35 s', '2 h 13 min', '2 d 7 h')
    """
    whole = round(length_s)
    for size, unit, below, smaller in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // below
            return f"{whole // size} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def percent(share: float | None) -> str:
    """A share; never 100 % when something is missing.

    >>> percent(0.876), percent(0.9997), percent(1.0), percent(None)
    ('88 %', '99.9 %', '100 %', '–')
    """
    if share is None:
        return "–"
    if 0.99 <= share < 1.0:
        return f"{min(99.9, share * 100):.1f} %"
    return f"{share * 100:.0f} %"


def tenths(share: float | None) -> str:
    """A small share, such as an error: 0.4 % is not nothing.

    >>> tenths(0.004), tenths(0.031), tenths(0.23), tenths(None)
    ('0.4 %', '3.1 %', '23 %', '–')
    """
    if share is None:
        return "–"
    return f"{share * 100:.1f} %" if share < 0.1 else f"{share * 100:.0f} %"


def number(value: float | None) -> str:
    """A figure with a decimal where it matters.

    What is no figure, as the utility of a run whose tenants once could ask for 1e308, is told as such.

    >>> number(70.0), number(61.24), number(0.25), number(295200.0), number(None), number(float("inf"))
    ('70', '61.2', '0.25', '295,200', '–', 'no figure')
    """
    if value is None:
        return "–"
    if not isfinite(value):
        return "no figure"
    if value == round(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"


def count(amount: int, noun: str) -> str:
    """So many of something.

    >>> count(1, "decision"), count(12, "decision")
    ('1 decision', '12 decisions')
    """
    return f"{amount:,} {noun}" if amount == 1 else f"{amount:,} {noun}s"


def started(info: RunInfo) -> str:
    """When it began, in UTC; simulated time has no date, and of other time it may not be known.

    >>> started(RunInfo("demo", "demo", "fair", "simulator")), started(RunInfo("demo", "demo", "fair", "spark"))
    ('in simulated time', 'start not recorded')
    """
    if info.started_at_s is None:
        return "in simulated time" if info.engine == "simulator" else "start not recorded"
    return f"started {datetime.fromtimestamp(info.started_at_s, UTC):%Y-%m-%d %H:%M} UTC"


def at_rest(note: str) -> bool:
    """Whether a policy's note says that it finds nothing better to turn; that of several policies has several parts.

    >>> [at_rest(note) for note in ("converged", "waiting; everyone has what they asked for", "waiting", "")]
    [True, True, False, False]
    >>> at_rest("ads below target; no other shares or bounds would give 0.1 % more or better")
    True
    """
    return any(part.startswith(_RESTS) for part in note.split("; "))


def note_said(note: str, seen: bool, all_seen: bool = True) -> str:
    """A policy's note, as it may be said of a cycle in which some job had figures (`seen`), or none had.

    Policies come to rest where they find nothing to do; where nobody has figures that is no convergence, and where
    those of some are missing (not `all_seen`) nobody may be said to have what they asked for.

    >>> note_said("waiting; converged", seen=True), note_said("waiting; converged", seen=False)
    ('waiting; converged', 'waiting; no figures yet')
    >>> note_said("converged: everyone has what they asked for", seen=True, all_seen=False)
    'not all figures are there'
    """
    if seen and all_seen:
        return note
    instead = NOT_ALL if seen else NO_FIGURES
    return "; ".join(instead if part.startswith(_RESTS[:2]) else part for part in note.split("; "))


def moves_text(moves: Sequence[Move]) -> str:
    """Whom, and what from what to what.

    >>> moves_text([Tasks("ads", "map", 3, 6), Tasks("ads", "sink", 1, 2)])
    'ads: map 3 -> 6, sink 1 -> 2'
    """
    by_job: dict[str, list[Move]] = {}
    for move in moves:
        by_job.setdefault(move.job, []).append(move)
    if len(by_job) > MANY_JOBS:
        return f"{len(by_job)} jobs: {_in_all(moves)}"
    return "; ".join(f"{job}: {_of_job(found)}" for job, found in by_job.items())


def expectation(record: DecisionRecord) -> str:
    """The utility that was expected, beside what it was, and what was foretold of tenants.

    >>> from penstock.core.plan import Decision, Reason
    >>> expectation(DecisionRecord(Decision(Reason.REDUCED, (), "", 0.0, 55.0, 65.04)))
    'utility 55 -> 65.0'
    """
    decision = record.decision
    before, after = decision.utility_before, decision.expected_utility
    utility = "" if after is None else f"utility {number(before)} -> {number(after)}"
    told = [part for part in (utility, foretold_text(decision.foretold)) if part]
    return "; ".join(told) or "nothing stated"


def what_came(record: DecisionRecord) -> str:
    """What became of a decision, as far as it is known."""
    if record.errors:
        return "not done: " + "; ".join(record.errors)
    if record.verdict is not None:
        return record.verdict.text if record.outcomes else f"not carried out; {record.verdict.text}"
    return "not judged yet" if record.outcomes else "not carried out"


def _of_job(moves: Sequence[Move]) -> str:
    if len(moves) > MANY_OPERATORS:
        return f"{len(moves)} operators, {_in_all(moves)}"
    return ", ".join(move.text for move in moves)


def _in_all(moves: Sequence[Move]) -> str:
    """What threads change hands in sum, and how many other levers are turned."""
    threads = [move for move in moves if isinstance(move, Slots | Tasks)]
    others = len(moves) - len(threads)
    unit = "threads" if any(isinstance(move, Tasks) for move in threads) else "of weight"
    sums = f"{sum(m.before for m in threads)} -> {sum(m.after for m in threads)} {unit} in all" if threads else ""
    turned = count(others, "other turn" if threads else "turn") if others else ""
    return ", ".join(part for part in (sums, turned) if part)
