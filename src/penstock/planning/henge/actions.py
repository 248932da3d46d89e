"""The three actions of Henge as pure functions from what is seen to a decision, or to None."""

from collections.abc import Sequence, Set

from penstock.core.capacity import is_congested
from penstock.core.figures import OperatorFigures
from penstock.core.levers import ThreadMove, thread_move
from penstock.core.plan import Decision, Reason
from penstock.core.view import JobView, View
from penstock.planning.henge.memory import Past
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.limits import room
from penstock.planning.words import missed


def candidates(view: View, not_now: Set[str]) -> list[JobView]:
    """Those that miss their SLO, the most valuable first, then the worst off (section 4.3.1).

    A job whose figures are not there yet is not known to miss anything.
    """
    missing = [
        (job, job.utility) for job in view.jobs if job.utility is not None and not job.met and job.name not in not_now
    ]
    return [job for job, utility in sorted(missing, key=lambda known: (-known[0].max_utility, known[1], known[0].name))]


def reconfigure(view: View, job: JobView, settings: HengeSettings) -> Decision | None:
    """More threads for each congested operator, in proportion to its congestion; None where none can grow."""
    left = room(view, job)
    moves: list[ThreadMove] = []
    for operator in job.figures.operators:
        wanted = _extra_threads(operator, settings)
        ceiling = operator.max_threads if operator.max_threads is not None else operator.threads + wanted
        extra = int(min(wanted, max(0, ceiling - operator.threads), left))
        if extra > 0:
            left -= extra
            moves.append(thread_move(job.name, operator.name, operator.threads, operator.threads + extra))
    if not moves:
        return None
    hoped = view.utility - (job.utility or 0.0) + job.max_utility
    why = f"{missed(job)}; {_busiest(job, moves)}, so it gets more"
    return Decision(Reason.RECONFIGURED, tuple(moves), why, view.at_s, view.utility, min(hoped, view.max_utility))


def as_modelled(view: View, jobs: Sequence[JobView]) -> tuple[Decision, ...]:
    """What performance models give these jobs for their arrivals; nothing for one without, or that has that already.

    All are done together, so each expects what all of them hope for.
    """
    found = [(job, moves) for job in jobs if (moves := _to_modelled(view, job))]
    hoped = view.utility + sum(job.max_utility - (job.utility or 0.0) for job, _ in found)
    return tuple(
        Decision(
            Reason.RECONFIGURED,
            moves,
            f"{missed(job)}; its models say what {job.figures.arrival_rps or 0.0:.4g} rows/s need",
            view.at_s,
            view.utility,
            min(hoped, view.max_utility),
        )
        for job, moves in found
    )


def _to_modelled(view: View, job: JobView) -> tuple[ThreadMove, ...]:
    left = room(view, job)
    moves: list[ThreadMove] = []
    for operator in job.figures.operators:
        after = _allowed(operator, job.modelled_threads.get(operator.name, operator.threads), left)
        if after != operator.threads:
            left -= after - operator.threads
            moves.append(thread_move(job.name, operator.name, operator.threads, after))
    return tuple(moves)


def _allowed(operator: OperatorFigures, wanted: int, left: float) -> int:
    """As many of the threads wanted as its limits and the room left allow; it never loses any to limits."""
    if wanted <= operator.threads:
        return min(operator.threads, max(wanted, operator.min_threads))
    highest = wanted if operator.max_threads is None else min(wanted, operator.max_threads)
    return max(operator.threads, int(min(highest, operator.threads + left)))


def _extra_threads(operator: OperatorFigures, settings: HengeSettings) -> int:
    """Equation 4, rounded, and at least one thread."""
    if operator.capacity is None or not is_congested(operator.capacity, settings.capacity_threshold):
        return 0
    excess = operator.capacity / settings.capacity_threshold - 1
    return max(1, round(excess * settings.threads_per_excess))


def _busiest(job: JobView, moves: list[ThreadMove]) -> str:
    capacity = {operator.name: operator.capacity or 0.0 for operator in job.figures.operators}
    move = max(moves, key=lambda move: (capacity[move.operator], move.operator))
    name = "its share of the slots" if move.operator == "*" else move.operator
    return f"{name} is busy {min(1.0, capacity[move.operator]):.0%} of the time"


def reduce_satisfied(view: View, reduced: Set[str], settings: HengeSettings) -> Decision | None:
    """Take most threads from the un-congested operators of those that are satisfied (section 4.3.2)."""
    moves = [move for job in view.jobs if job.met and job.name not in reduced for move in _cuts(job, settings)]
    if not moves:
        return None
    load = sum(machine.congested for machine in view.machines)
    why = (
        f"{load} of {len(view.machines)} machines have more work than cores; operators of satisfied jobs "
        f"that are busy at most {settings.capacity_threshold:.0%} of the time can spare threads"
    )
    return Decision(Reason.REDUCED, tuple(moves), why, view.at_s, view.utility, view.utility)


def _cuts(job: JobView, settings: HengeSettings) -> list[ThreadMove]:
    cuts = []
    for operator in job.figures.operators:
        spare = operator.capacity is not None and not is_congested(operator.capacity, settings.capacity_threshold)
        kept = max(1, operator.min_threads, round(operator.threads * (1 - settings.reduction)))
        if spare and not operator.is_source and kept < operator.threads:
            cuts.append(thread_move(job.name, operator.name, operator.threads, kept))
    return cuts


def best_past(history: tuple[Past, ...], within: float) -> int | None:
    """The place in the history with the most utility; of those within noise of it the latest, to move least."""
    best = max((past.utility for past in history if past.utility is not None), default=None)
    if best is None:
        return None
    return max(
        place for place, past in enumerate(history) if past.utility is not None and past.utility >= best - within
    )


def revert(view: View, history: tuple[Past, ...], best: int, because: str) -> Decision | None:
    """Undo all that came after `best`; None when nothing did, or when all of it is undone already."""
    target: dict[tuple[str, str], int] = {}
    for past in reversed(history[best + 1 :]):
        target.update({(move.job, move.operator): move.before for move in past.moves})
    moves = [
        thread_move(job.name, operator.name, operator.threads, target[job.name, operator.name])
        for job in view.jobs
        for operator in job.figures.operators
        if target.get((job.name, operator.name), operator.threads) != operator.threads
    ]
    if not moves:
        return None
    utility = history[best].utility
    why = f"{because}; back to the best configuration so far, which gave utility {utility:.1f}"
    return Decision(Reason.REVERTED, tuple(moves), why, view.at_s, view.utility, utility)
