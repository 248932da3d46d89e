"""Without a decision: an earlier instant played on twice with all that was decided then, once without one of it."""

from collections.abc import Mapping, Sequence

import numpy as np

from penstock.core.asked.orders import Wish
from penstock.core.known.counterfactual import Counterfactual, JobWithout, Untold, Without
from penstock.core.levers import ALL_OPERATORS, Kind, Move, Table
from penstock.core.plan import Decision
from penstock.core.run import DecisionRecord
from penstock.core.seen.view import View
from penstock.whatif.answer import play
from penstock.whatif.question import Changes, Future, Past, ShareSeries, Turn

LONGEST_S = 300.0  # after it: what a decision brings later cannot be told from what else happens
LEAST_S = 20.0
PLAYED: tuple[Kind, ...] = (
    "slots",
    "tasks",
    "bound",
    "piece",
    "trigger",
    "partitions",
)  # levers that the simulator has
LEAVES_ALONE = "static"


def span_of(number: int, records: Sequence[DecisionRecord], until_s: float) -> float:
    """How long a decision (its number is from 1) had its way: until one of its levers turned again, or `until_s`.

    It ends as well where something turned that the simulator does not have.
    """
    decision = records[number - 1].decision
    levers = {_lever(move) for move in decision.moves}
    later = [record.decision for record in records[number:] if record.carried_out]
    ends_s = [one.at_s for one in later if levers & set(map(_lever, one.moves)) or _strange(one)]
    return min([decision.at_s + LONGEST_S, until_s, *ends_s]) - decision.at_s


def untellable(number: int, records: Sequence[DecisionRecord], span_s: float) -> Untold | None:
    """Why nothing can be said of a decision; None where it can be tried."""
    record = records[number - 1]
    if not record.carried_out or len(record.errors) == len(record.outcomes):
        return Untold(number, "it was not carried out")
    strange = _strange(record.decision)
    if strange:
        return Untold(number, f"the simulator does not play {' and '.join(strange)}")
    if span_s < LEAST_S:
        return Untold(number, "its levers changed again too soon, or the run ended")
    return None


def without(
    before: View, past: Past, number: int, records: Sequence[DecisionRecord], real: ShareSeries, within_s: float
) -> Counterfactual:
    """Play on from the view that a decision was made on, with it and without it; `past.span_s` long.

    `records` are all of the run: those that were carried out within the span are in both futures at their times.
    """
    decision = records[number - 1].decision
    others = [
        (place, record)
        for place, record in enumerate(records, start=1)
        if record.carried_out and 0.0 <= record.decision.at_s - before.at_s < past.span_s
    ]
    played: dict[bool, Future] = {}
    for kept in (True, False):
        wanted = [record for place, record in others if kept or place != number]
        turns = tuple(turn for record in wanted for turn in _turns(record, before.at_s))
        played[kept] = play(before, past, LEAVES_ALONE, Changes(turns=turns), within_s / 2)
    with_it, left = played[True], played[False]
    if not (with_it.whole and left.whole and with_it.share and left.share and real):
        return Untold(number, "the time to simulate it was over")
    at_s, shares = zip(*real, strict=True)
    really = np.interp(with_it.at_s, at_s, shares)
    return Without(
        number=number,
        span_s=past.span_s,
        really=float(really.mean()),
        with_it=with_it.mean_share or 0.0,
        without=left.mean_share or 0.0,
        off=float(np.abs(really - np.array(with_it.share)).mean()),
        slot_s_saved=_slot_s(left) - _slot_s(with_it),
        jobs=_jobs(decision.jobs, with_it, left),
    )


def _turns(record: DecisionRecord, from_s: float) -> list[Turn]:
    failed = {outcome.step.job for outcome in record.outcomes if outcome.error is not None}
    moves = [move for move in record.decision.moves if move.job not in failed and not isinstance(move, Table)]
    moves.sort(key=lambda move: (move.after or 0) > (move.before or 0))  # what one gives another may take
    return [Turn(record.decision.at_s - from_s, _wish(move)) for move in moves if move.kind in PLAYED]


def _wish(move: Move) -> Wish:
    assert not isinstance(move, Table)
    return Wish(move.kind, move.job, None if move.after is None else float(move.after), move.operator)


def _slot_s(future: Future) -> float:
    """Slot-seconds held by operators that have threads of their own: weights in a pool hold nothing."""
    steps = np.diff(np.array([0.0, *future.at_s]))
    own = [
        [op for job in view.jobs for op in job.figures.operators if op.name != ALL_OPERATORS] for view in future.views
    ]
    held = [sum(operator.threads for operator in operators) for operators in own]
    return float((steps * np.array(held, dtype=float)).sum())


def _jobs(names: Sequence[str], with_it: Future, left: Future) -> tuple[JobWithout, ...]:
    shares: Mapping[str, tuple[float | None, float | None]] = {
        name: (with_it.job_share(name), left.job_share(name)) for name in names
    }
    return tuple(
        JobWithout(name, one, other) for name, (one, other) in shares.items() if one is not None and other is not None
    )


def _strange(decision: Decision) -> list[Kind]:
    return sorted({move.kind for move in decision.moves if move.kind not in PLAYED})


def _lever(move: Move) -> tuple[str, str, str]:
    return move.kind, move.job, move.operator
