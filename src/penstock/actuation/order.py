"""Decide the order of deeds: what frees slots goes before what takes them, job by job, names break ties."""

from collections.abc import Iterable

from penstock.core.levers import WHOLE, Executors, Memory, Move, Slots, Table, Tasks
from penstock.core.plan import Plan, Step


def order(plan: Plan) -> tuple[Step, ...]:
    """The plan as steps for an engine; a move that changes nothing is left out.

    Executors come before the shares that need them and go after those that gave them up. Keys move last: a job that
    is about to pause for it has its new share by then. In a fleet, where executors are each application's own, who
    gives some up comes before who gets them.
    """
    moves = [move for decision in plan.decisions for move in decision.moves if move.after != move.before]
    by_job: dict[str, list[Move]] = {}
    for move in moves:
        if not isinstance(move, Table) and move.job != WHOLE:
            by_job.setdefault(move.job, []).append(move)
    steps = [Step(job, tuple(found)) for job, found in by_job.items()]
    alone = [Step(move.job, (move,)) for move in moves if isinstance(move, Table) or move.job == WHOLE]
    return tuple(sorted((*steps, *alone), key=_place))


def _place(step: Step) -> tuple[int, str, str]:
    first = step.moves[0]
    if isinstance(first, Table):
        return 4, step.job, first.route
    if isinstance(first, Executors | Memory):
        grows = first.after > first.before
        if step.job != WHOLE:
            return (2 if grows else 1), step.job, first.kind
        return (0 if grows else 3), step.job, first.kind
    return (2 if _growth(step.moves) > 0 else 1), step.job, ""


def _growth(moves: Iterable[Move]) -> int:
    """The slots, or threads, that they take; a bound or a trigger takes none."""
    return sum(move.after - move.before for move in moves if isinstance(move, Slots | Tasks))
