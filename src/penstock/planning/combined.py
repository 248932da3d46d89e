"""The `penstock` policy: the four systems as one. The only file that knows all of them.

    jobs that state a recovery target   Phoebe plans them ahead of the load
    all others                          Henge searches for the best utility of them together; a job with
                                        performance models starts that search at the models' answer
    routes of correlated keys           beside both, wrapped around in the registry
    memory of the executors             after both: it concerns all jobs alike, and no thread of any

Each sees the fleet as the other leaves it: the threads of one are not there for the other to give. What is free
goes to Phoebe first, for a recovery missed costs a tenant more than a search that takes a round longer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from penstock.core.plan import Plan
from penstock.core.view import JobView, View
from penstock.planning.combined_settings import CombinedSettings
from penstock.planning.henge.memory import HengeMemory
from penstock.planning.henge.policy import Henge
from penstock.planning.memory import ShortMemory, more_memory
from penstock.planning.phoebe.memory import PhoebeMemory
from penstock.planning.phoebe.policy import Phoebe


@dataclass(frozen=True, slots=True)
class CombinedMemory:
    """What each part remembers."""

    henge: HengeMemory = HengeMemory()
    phoebe: PhoebeMemory = PhoebeMemory()
    short: ShortMemory = ShortMemory()


@dataclass(frozen=True, slots=True)
class Combined:
    """Ahead of the load where a recovery target asks for it, by utility everywhere else."""

    settings: CombinedSettings = CombinedSettings()
    name: str = "penstock"

    def start(self) -> CombinedMemory:
        """Nothing was seen yet."""
        return CombinedMemory(self._henge.start(), self._phoebe.start())

    def decide(self, view: View, memory: CombinedMemory) -> tuple[Plan, CombinedMemory]:
        """Phoebe first, then Henge with what is left, then the memory that both need."""
        ahead = part(view, planned_ahead=True)
        planned, phoebe = self._phoebe.decide(ahead, memory.phoebe) if ahead.jobs else (Plan(), memory.phoebe)
        searched, henge = Plan(), memory.henge
        rest = part(as_planned(view, planned), planned_ahead=False)
        if rest.jobs:
            searched, henge = self._henge.decide(rest, memory.henge)
        more, short = more_memory(view, memory.short, self.settings.memory)
        plan = _both(view, (planned, ahead), (searched, rest), (Plan(more), view))
        return plan, CombinedMemory(henge, phoebe, short)

    @property
    def _henge(self) -> Henge:
        return Henge(self.settings.henge)

    @property
    def _phoebe(self) -> Phoebe:
        return Phoebe(replace(self.settings.phoebe, profiles=self.settings.profiles))


def part(view: View, planned_ahead: bool) -> View:
    """The view of the jobs that are, or are not, planned ahead, with the threads that the others leave them."""
    mine = tuple(job for job in view.jobs if (job.intent.recovery_s is not None) == planned_ahead)
    others = sum(job.figures.threads for job in view.jobs) - sum(job.figures.threads for job in mine)
    return replace(
        view,
        jobs=mine,
        utility=sum(job.utility or 0.0 for job in mine),
        max_utility=sum(job.max_utility for job in mine),
        max_threads=None if view.max_threads is None else max(0, view.max_threads - others),
    )


def as_planned(view: View, plan: Plan) -> View:
    """The view with the threads that a plan gives."""
    given = {(move.job, move.operator): move.after for d in plan.decisions for move in d.thread_moves}
    return replace(view, jobs=tuple(_with_threads(job, given) for job in view.jobs))


def _with_threads(job: JobView, given: Mapping[tuple[str, str], int]) -> JobView:
    operators = tuple(
        replace(operator, threads=given.get((job.name, operator.name), operator.threads))
        for operator in job.figures.operators
    )
    return replace(job, figures=replace(job.figures, operators=operators))


def _both(view: View, *parts: tuple[Plan, View]) -> Plan:
    """One plan; what each part says of its own jobs' utility becomes what the fleet's will be."""
    decisions = tuple(
        replace(decision, utility_before=view.utility, expected_utility=_of_all(view, decision.expected_utility, of))
        for plan, of in parts
        for decision in plan.decisions
    )
    note = "; ".join(plan.note for plan, _ in parts if plan.note)
    return Plan(decisions, note, outlooks=tuple(outlook for plan, _ in parts for outlook in plan.outlooks))


def _of_all(view: View, expected: float | None, of: View) -> float | None:
    return None if expected is None else view.utility - of.utility + expected
