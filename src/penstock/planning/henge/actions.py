"""The three actions of Henge as pure functions from what is seen to a decision, or to None."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from penstock.core.asked.intents import MET_WITHIN
from penstock.core.levers import ThreadMove, thread_move
from penstock.core.plan import Decision, Reason
from penstock.core.seen.capacity import is_congested
from penstock.core.seen.figures import ALL_OPERATORS, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.planning.guards.limits import room
from penstock.planning.henge.expect import expected_utility, pool_of, shares_slots, utility_when
from penstock.planning.henge.memory import PastConfiguration
from penstock.planning.henge.pool import WeightedPool
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.words import missed


def candidates(view: View, not_now: Set[str]) -> list[JobView]:
    """Those that miss their SLO, the most valuable first, then the worst off (section 4.3.1).

    A job whose figures are not there yet is not known to miss anything.
    """
    missing = [
        (job, job.utility) for job in view.jobs if job.utility is not None and not job.met and job.name not in not_now
    ]
    return [job for job, utility in sorted(missing, key=lambda known: (-known[0].max_utility, known[1], known[0].name))]


def reconfigure(view: View, queue: Iterable[JobView], settings: HengeSettings) -> tuple[JobView, Decision] | None:
    """More threads for the first of these that can have any."""
    slots = view.slots
    for job in queue:
        decision = _reconfigured(view, job, slots if shares_slots(job) else None, settings)
        if decision is not None:
            return job, decision
    return None


def _reconfigured(view: View, job: JobView, slots: int | None, settings: HengeSettings) -> Decision | None:
    """More threads for each congested operator, in proportion to its congestion; None where none can grow.

    Of a pool of slots it gets more than that where so little is expected to cost the others more than it gains, and
    none where any more is.
    """
    least = view.utility - settings.drop_within * view.max_utility
    for moves in _larger_and_larger(view, job, slots, settings):
        expected = expected_utility(view, moves)
        if expected is None or expected >= least:
            why = f"{missed(job)}; {_busiest(job, moves)}, so it gets more"
            return Decision(Reason.RECONFIGURED, moves, why, view.at_s, view.utility, expected)
    return None


def _larger_and_larger(
    view: View, job: JobView, slots: int | None, settings: HengeSettings
) -> Iterator[tuple[ThreadMove, ...]]:
    """What equation 4 asks for; of a pool also twice that, and so on, up to all that the job may hold."""
    if slots is None:
        moves = _grown(view, job, {op.name: _extra_threads(op, settings) for op in job.figures.operators})
        if moves:
            yield moves
        return
    (unit,) = job.figures.operators
    extra, before = _extra_slots(unit, slots, settings), 0
    while extra and (moves := _grown(view, job, {unit.name: extra}, slots)) and moves[0].after > before:
        yield moves
        extra, before = 2 * extra, moves[0].after


def _grown(view: View, job: JobView, wanted: Mapping[str, int], most: int | None = None) -> tuple[ThreadMove, ...]:
    """As many of the threads wanted as limits and room allow, and `most` of any operator: equation 4 asks for slots."""
    left = room(view, job)
    moves: list[ThreadMove] = []
    for operator in job.figures.operators:
        ceiling = min((limit for limit in (operator.max_threads, most) if limit is not None), default=None)
        growth = wanted[operator.name] if ceiling is None else max(0, ceiling - operator.threads)
        extra = int(min(wanted[operator.name], growth, left))
        if extra > 0:
            left -= extra
            moves.append(thread_move(job.name, operator.name, operator.threads, operator.threads + extra))
    return tuple(moves)


def as_modelled(view: View, jobs: Sequence[JobView]) -> tuple[Decision, ...]:
    """What performance models give these jobs for their arrivals; nothing for one without, or that has that already.

    All are done together, so each expects what comes of all of them, if the models are right.
    """
    found = [(job, moves) for job in jobs if (moves := _to_modelled(view, job))]
    if not found:
        return ()
    together = [move for _, moves in found for move in moves]
    expected = expected_utility(view, together, claimed={job.name for job, _ in found})
    return tuple(
        Decision(
            Reason.RECONFIGURED,
            moves,
            f"{missed(job)}; its performance models give the threads for {job.figures.arrival_rps or 0.0:.4g} rows/s",
            view.at_s,
            view.utility,
            expected,
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
    excess = _excess(operator, settings)
    return 0 if excess is None else max(1, round(excess * settings.threads_per_excess))


def _extra_slots(unit: OperatorFigures, slots: int, settings: HengeSettings) -> int:
    """Equation 4 as a part of the slots that there are, rounded, and at least one."""
    excess = _excess(unit, settings)
    return 0 if excess is None else max(1, round(excess * settings.slots_per_excess * slots))


def _excess(operator: OperatorFigures, settings: HengeSettings) -> float | None:
    """How far its capacity is above the threshold, in thresholds; it is busy all the time at most."""
    if operator.capacity is None or not is_congested(operator.capacity, settings.capacity_threshold):
        return None
    return min(1.0, operator.capacity) / settings.capacity_threshold - 1


def _busiest(job: JobView, moves: Sequence[ThreadMove]) -> str:
    capacity = {operator.name: operator.capacity or 0.0 for operator in job.figures.operators}
    move = max(moves, key=lambda move: (capacity[move.operator], move.operator))
    name = "its share of the slots" if move.operator == "*" else move.operator
    return f"{name} is busy {min(1.0, capacity[move.operator]):.0%} of the time"


def crowded(view: View) -> bool:
    """More runnable threads than cores on most machines (section 4.3.2), or more shares of the slots than slots."""
    slots, shares = view.slots, sum(job.figures.threads for job in view.jobs if shares_slots(job))
    return view.congested or (slots is not None and shares > slots)


def reduce_satisfied(view: View, reduced: Set[str], settings: HengeSettings) -> Decision | None:
    """Take most threads from the un-congested operators of those that are satisfied (section 4.3.2).

    Once only from each. Not so where they share slots: what is taken there they are expected not to miss.
    """
    moves = _cuts_of_shares(view, settings)
    for job in view.jobs:
        if job.met and job.name not in reduced and not shares_slots(job):
            moves += _cuts(job, settings)
    if not moves:
        return None
    return Decision(
        Reason.REDUCED,
        tuple(moves),
        f"{_crowd(view)}; so jobs that meet their SLO, and will with less, give up what they do not need",
        view.at_s,
        view.utility,
        expected_utility(view, moves),
    )


def _crowd(view: View) -> str:
    if view.congested:
        load = sum(machine.congested for machine in view.machines)
        return f"{load} of {len(view.machines)} machines have more runnable threads than cores"
    return f"jobs that miss their SLO cannot get more of the {view.slots} slots while other jobs hold them"


def _cuts(job: JobView, settings: HengeSettings) -> list[ThreadMove]:
    cuts = []
    for operator in job.figures.operators:
        spare = operator.capacity is not None and not is_congested(operator.capacity, settings.capacity_threshold)
        kept = max(1, operator.min_threads, round(operator.threads * (1 - settings.reduction)))
        if spare and not operator.is_source and kept < operator.threads:
            cuts.append(thread_move(job.name, operator.name, operator.threads, kept))
    return cuts


def _cuts_of_shares(view: View, settings: HengeSettings) -> list[ThreadMove]:
    """Down to the least shares with which all who meet their SLO are expected to go on so, and by 80 % at most.

    Even if those who miss theirs take all that they can: what these use tells less than what they need. A share of
    slots is the job's sources, too, and all that it has: what it keeps must do. Nor does its capacity have to say that
    it is idle: a job that was asked for 40 % of its input may be busy all the time.
    """
    missing = {job.name for job in view.jobs if not job.met}
    before = pool_of(view, greedy=missing)
    satisfied = [job for job in view.jobs if job.met and shares_slots(job)]
    if before is None:
        return []
    kept: dict[tuple[str, str], int] = {}
    while True:
        # The less the others have, the more each of its own share is worth: it can spare more, and never again less.
        pool = pool_of(view, kept, greedy=missing) or before
        found = {(job.name, ALL_OPERATORS): _least_share(job, before, pool, settings) for job in satisfied}
        if found == kept:
            break
        kept = found
    threads = {job.name: job.figures.threads for job in satisfied}
    return [
        thread_move(name, unit, threads[name], after) for (name, unit), after in kept.items() if after < threads[name]
    ]


def _least_share(job: JobView, before: WeightedPool, pool: WeightedPool, settings: HengeSettings) -> int:
    (unit,) = job.figures.operators
    now = pool.weights[job.name]
    if unit.capacity is None:
        return now

    def does(threads: int) -> bool:
        expected = utility_when(job, (before.busy(job.name), pool.busy(job.name, threads)))
        return expected is not None and expected >= job.max_utility * (1 - MET_WITHIN)

    least = min(now, max(1, unit.min_threads, round(unit.threads * (1 - settings.reduction))))
    return least + bisect_left(range(least, now), True, key=does)


def best_past(history: tuple[PastConfiguration, ...], within: float) -> int | None:
    """The place in the history with the most utility; of those within noise of it the latest, to move least."""
    best = max((past.utility for past in history if past.utility is not None), default=None)
    if best is None:
        return None
    return max(
        place for place, past in enumerate(history) if past.utility is not None and past.utility >= best - within
    )


def revert(view: View, history: tuple[PastConfiguration, ...], best: int, because: str) -> Decision | None:
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
    why = f"{because}; back to the best configuration so far (utility {utility:.1f})"
    return Decision(Reason.REVERTED, tuple(moves), why, view.at_s, view.utility, utility)
