"""Approval: some tenants want to be asked first. What needs a yes is split off a plan, pure as all planning."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from penstock.core.asked.orders import Answer, Proposal
from penstock.core.levers import Dial, Memory, Move, Table, dial_of
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import JobView, View
from penstock.planning.asked import LeverKey, levers_of


@dataclass(frozen=True, slots=True)
class Split:
    """A plan without what must be asked first, and what must be."""

    plan: Plan
    asked: tuple[Decision, ...]


def held_still(view: View, held: Collection[str]) -> View:
    """The view with no room, up or down, for the jobs that are held: a policy turns to others."""
    if not held:
        return view
    jobs = tuple(_still(job) if job.name in held else job for job in view.jobs)
    return replace(view, jobs=jobs, levers=tuple(_pinned(one) if one.job in held else one for one in view.levers))


def split(plan: Plan, approval: Collection[str], held: Collection[str]) -> Split:
    """What a plan may do at once, and what its tenants are to be asked; what touches a held job is dropped.

    About what a person asked for nobody is asked again. A policy goes on as after a step that the engine refused: its
    memory says that it has tried.
    """
    own = [d for d in plan.decisions if d.reason is not Reason.ASKED]
    free = tuple(d for d in plan.decisions if d.reason is Reason.ASKED or not _touched(d, {*approval, *held}))
    asked = tuple(d for d in own if _touched(d, approval) and not _touched(d, held))
    if not asked:
        return Split(replace(plan, decisions=free), asked)
    whom = ", ".join(sorted({job for decision in asked for job in _touched(decision, approval)}))
    note = f"{whom} must approve first" + (f"; {plan.note}" if plan.note else "")
    return Split(replace(plan, decisions=free, note=note), asked)


def _touched(decision: Decision, jobs: Collection[str]) -> set[str]:
    """Which of these it touches; what starts every query again touches all of them."""
    whole = any(isinstance(move, Memory) for move in decision.moves)
    return set(jobs) if whole else set(decision.jobs) & set(jobs)


def renewed(
    approved: Sequence[Proposal], view: View, asked: Collection[LeverKey] = ()
) -> tuple[tuple[Proposal, Answer, Decision | None], ...]:
    """What becomes of each approved proposal, and what of it is left to do, as a decision of now.

    It expires where its jobs are no longer as they were. What stands already as it was to be is not turned again: a
    driver that died in between has done it. `asked` are the levers that a person has asked to be turned otherwise
    meanwhile.
    """
    open_now = [proposal for proposal in approved if proposal.answer is Answer.APPROVED]
    return tuple((proposal, *_renewed(proposal, view, asked)) for proposal in open_now)


def _renewed(proposal: Proposal, view: View, asked: Collection[LeverKey]) -> tuple[Answer, Decision | None]:
    decision = proposal.decision
    left = tuple(move for move in decision.moves if not _stands(move, view, move.after))
    if levers_of([decision]) & set(asked) or any(not _stands(move, view, move.before) for move in left):
        return Answer.EXPIRED, None
    if not left:
        return Answer.DONE, None
    gain = None if decision.expected_utility is None else decision.expected_utility - decision.utility_before
    return Answer.DONE, replace(
        decision,
        moves=left,
        at_s=view.at_s,
        why=f"{decision.why}; approved by {proposal.who}",
        utility_before=view.utility,
        expected_utility=None if gain is None else view.utility + gain,
    )


def _stands(move: Move, view: View, at: object) -> bool:
    """Whether what it turns stands there now: at its `before` or at its `after`."""
    if isinstance(move, Table):
        tables = [route.table for route in view.routes if (route.job, route.route) == (move.job, move.route)]
        return all(table == at for table in tables) and (bool(tables) or at == move.before)
    dial = dial_of(move, view.dials)
    return dial is not None and dial.now == at


def _still(job: JobView) -> JobView:
    figures = job.figures
    operators = tuple(replace(op, min_threads=op.threads, max_threads=op.threads) for op in figures.operators)
    levers = tuple(_pinned(dial) for dial in figures.levers)
    return replace(job, figures=replace(figures, operators=operators, max_threads=figures.threads, levers=levers))


def _pinned(dial: Dial) -> Dial:
    return replace(dial, least=dial.now or dial.least, most=dial.now)
