"""Limits: no decision turns a lever further than it may go. The last word on every plan, a user's own policy's too."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from penstock.core.levers import WHOLE, Dial, Executors, Move, Slots, Table, Tasks, dial_of, move_of
from penstock.core.plan import Decision, Plan
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.view import JobView, View


def room(view: View, job: JobView) -> float:
    """How many more threads this job may be given, by its own limit and the cluster's."""
    left = float("inf")
    if job.figures.max_threads is not None:
        left = job.figures.max_threads - job.figures.threads
    if view.max_threads is not None:
        left = min(left, view.max_threads - sum(other.figures.threads for other in view.jobs))
    return max(0.0, left)


def within_limits(plan: Plan, view: View) -> Plan:
    """The plan, cut down to what the levers that are there allow; the note says which are not there.

    A decision of which nothing is left goes, unless it never had a move: advice is words.
    """
    if not any(decision.moves for decision in plan.decisions):
        return plan
    ledger = _Ledger.of(view)
    kept = [(decision, ledger.limited(decision)) for decision in plan.decisions]
    decisions = tuple(after for before, after in kept if after.moves or not before.moves)
    note = "; ".join(part for part in (plan.note, *ledger.missing) if part)
    return replace(plan, decisions=decisions, note=note)


@dataclass(slots=True)
class _Ledger:
    """Threads as they will stand after each move that is let through."""

    jobs: Mapping[str, JobView]
    of_all: tuple[Dial, ...]  # the levers of the whole application
    per_job: dict[str, int]
    total: int
    max_threads: int | None
    missing: dict[str, None] = field(default_factory=dict)  # levers that are not there, in words, in their order

    @classmethod
    def of(cls, view: View) -> "_Ledger":
        per_job = {job.name: job.figures.threads for job in view.jobs}
        jobs = {job.name: job for job in view.jobs}
        return cls(jobs, view.levers, per_job, sum(per_job.values()), view.max_threads)

    def limited(self, decision: Decision) -> Decision:
        # What is taken away is booked first, so that it can be given to another in the same decision.
        shrinking_first = sorted(decision.moves, key=_grows)
        kept = [self._limited(move) for move in shrinking_first]
        return replace(decision, moves=tuple(move for move in kept if move is not None and move.after != move.before))

    def _limited(self, move: Move) -> Move | None:
        if isinstance(move, Table):
            return move  # what bounds keys is the routing's own, see planning/routing
        dial = self._dial(move)
        if dial is None:
            unit = "" if move.kind != "tasks" else f" of {move.operator!r}"
            self.missing[f"{move.job} has no {move.kind}{unit} to turn"] = None
            return None
        if not isinstance(move, Slots | Tasks):
            return move_of(dial, dial.held(move.after))
        return self._threads(move, dial)

    def _dial(self, move: Move) -> Dial | None:
        if move.job == WHOLE or isinstance(move, Executors):
            return dial_of(move, self.of_all)
        return dial_of(move, self.jobs[move.job].figures.dials) if move.job in self.jobs else None

    def _threads(self, move: Slots | Tasks, dial: Dial) -> Move:
        now = int(dial.now or 0)
        wanted = move.after if move.after <= now else max(now, int(min(move.after, now + self._room(move.job))))
        after = int(dial.held(wanted) or 0)
        self.per_job[move.job] += after - now
        self.total += after - now
        return replace(move, before=now, after=after)

    def _room(self, job: str) -> float:
        figures = self.jobs[job].figures
        left, most = float("inf"), figures.max_threads
        if most is not None and not _limits_weight(figures):
            left = most - self.per_job[job]
        if self.max_threads is not None:
            left = min(left, self.max_threads - self.total)
        return max(0.0, left)


def _limits_weight(figures: JobFigures) -> bool:
    """Whether its unit tells how much weight it may have, which may be more than the slots that this stands for."""
    return shares_pool(figures) and figures.operator(ALL_OPERATORS).max_threads is not None


def _grows(move: Move) -> bool:
    return isinstance(move, Slots | Tasks) and move.after > move.before
