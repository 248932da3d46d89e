"""Where the four systems meet: Henge, Phoebe, provision and routing. The only file that puts them together.

The `penstock` policy is two of them as one mind, with the arbiter:

    jobs that run in batches on slots they share   the arbiter solves shares and bounds of them together, on costs
                                                   learnt from their batches
    of these, with a recovery target               Phoebe foretells; what it would give them is the least they get
    of these, where foretelling stays wrong        Henge searches, as it does for all others
    all others, with a recovery target             Phoebe plans them ahead of the load
    all others                                     Henge searches for the best utility of them together; a job with
                                                   performance models starts that search at the models' answer
    levers with a rule of their own                before all, which see them as they will stand: how many rows a task
                                                   reads, executors' memory
    many applications with executors of their own  these are divided by what each says they are worth to it; all else
                                                   is decided inside, by a policy of its own

The other two go with any policy, a user's own too:

    models of profiled operators (provision)       say beforehand what a job needs: in the view (`advice_of`), and of
                                                   a job that begins
    routes of correlated keys                      decided beside it, in a policy around it (`with_routes`)

In the `penstock` policy each sees the fleet as the others leave it: the threads of one are not there for the other to
give. What is free goes to Phoebe first, for a recovery missed costs a tenant more than a search that takes a round
longer.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from penstock.core.known.job_models import JobModels
from penstock.core.levers import Kind, Piece, Slots, Tasks
from penstock.core.plan import Plan
from penstock.core.ports import Policy
from penstock.core.seen.shares import shares_pool
from penstock.core.seen.topology import Topology
from penstock.core.seen.view import JobView, View
from penstock.planning.arbiter.by_slots import utility_by_slots
from penstock.planning.arbiter.memory import ArbiterMemory
from penstock.planning.arbiter.policy import Arbiter
from penstock.planning.arbiter.settings import ArbiterSettings
from penstock.planning.by_rules import RULES, Rule, RulesMemory, by_rules
from penstock.planning.combined_settings import CombinedSettings
from penstock.planning.executors.claims import is_of_many
from penstock.planning.executors.policy import ExecutorsMemory, ExecutorsPolicy
from penstock.planning.guards.approval import held_still
from penstock.planning.henge.memory import HengeMemory
from penstock.planning.henge.policy import Henge
from penstock.planning.phoebe.memory import PhoebeMemory
from penstock.planning.phoebe.policy import Phoebe
from penstock.planning.provision.advise import advised, modelled_slots, modelled_threads
from penstock.planning.routing_settings import RoutingSettings


@dataclass(frozen=True, slots=True)
class CombinedMemory:
    """What each part remembers. `minima` are the threads that Phoebe asks for, of jobs that the arbiter has in hand."""

    henge: HengeMemory = HengeMemory()
    phoebe: PhoebeMemory = PhoebeMemory()
    rules: RulesMemory = RulesMemory()
    arbiter: ArbiterMemory = ArbiterMemory()
    minima: Mapping[str, int] = field(default_factory=dict)
    executors: ExecutorsMemory = ExecutorsMemory()


@dataclass(frozen=True, slots=True)
class Combined:
    """All jobs together: foretold where their batches tell their costs, searched for where they do not."""

    settings: CombinedSettings = CombinedSettings()
    rules: Mapping[Kind, Rule] = field(default_factory=lambda: RULES)
    name: str = "penstock"

    def start(self) -> CombinedMemory:
        """Nothing was seen yet."""
        return CombinedMemory(self._henge.start(), self._phoebe.start(), arbiter=self._arbiter.start())

    def decide(self, view: View, memory: CombinedMemory) -> tuple[Plan, CombinedMemory]:
        """Levers with rules of their own first, then Phoebe, then the arbiter, then Henge with what is left."""
        if is_of_many(view):
            plan, executors = ExecutorsPolicy(self.settings.executors).decide(view, memory.executors)
            return plan, replace(memory, executors=executors)
        ruled, rules = by_rules(self.rules, view, memory.rules, self.settings)
        left = as_planned(view, ruled)
        solved = self._solved(view, memory.arbiter)
        ahead = part(left, lambda job: job.intent.recovery_s is not None)
        planned, phoebe = self._phoebe.decide(ahead, memory.phoebe) if ahead.jobs else (Plan(), memory.phoebe)
        minima = _with_minima(memory.minima, planned, solved)
        planned = replace(planned, decisions=tuple(d for d in planned.decisions if not solved.issuperset(d.jobs)))
        left = as_planned(left, planned)
        together, arbiter = Plan(), memory.arbiter
        if any(shares_pool(job.figures) for job in view.jobs):
            others = {job.name for job in view.jobs} - solved
            together, arbiter = self._arbiter.decide(held_still(_at_least(left, minima), others), arbiter)
        left = as_planned(left, together)
        searched, henge = Plan(), memory.henge
        rest = part(left, lambda job: job.name not in solved and job.intent.recovery_s is None)
        if rest.jobs:
            searched, henge = self._henge.decide(rest, memory.henge)
        plan = _all(view, (planned, ahead), (together, view), (searched, rest), (ruled, view))
        return plan, CombinedMemory(henge, phoebe, rules, arbiter, minima, memory.executors)

    def by_slots(self, view: View, memory: CombinedMemory, counts: Sequence[int]) -> tuple[float, ...]:
        """The utility of all jobs with so many slots each; empty while nobody can foretell it."""
        return utility_by_slots(view, memory.arbiter, counts)

    def _solved(self, view: View, memory: ArbiterMemory) -> frozenset[str]:
        """The jobs that the arbiter has in hand: those of whose batches anything is known, or soon will be."""
        lost = memory.lost(self.settings.arbiter)
        in_batches = any(job.figures.batches for job in view.jobs)
        return frozenset(
            job.name
            for job in view.jobs
            if shares_pool(job.figures)
            and job.name not in lost
            and (job.figures.batches or memory.knows(job.name) or _begins(job, in_batches, self.settings.arbiter))
        )

    @property
    def _henge(self) -> Henge:
        return Henge(self.settings.henge)

    @property
    def _arbiter(self) -> Arbiter:
        return Arbiter(self.settings.arbiter)

    @property
    def _phoebe(self) -> Phoebe:
        return Phoebe(replace(self.settings.phoebe, profiles=self.settings.profiles))


def with_routes(policy: Policy, routing: RoutingSettings) -> Policy:
    """Any policy, with what is done of routes beside it."""
    from penstock.planning.routing.policy import WithRouting  # METIS

    return WithRouting(policy, routing)


def advice_of(models: Mapping[str, JobModels]) -> Callable[[View], View]:
    """What any policy's view gets beside what is seen: the threads that models give jobs for what they take in."""
    return partial(advised, models=models)


def first_slots(models: JobModels, rate_rps: float | None) -> int | None:
    """What a job on shared slots begins with, for the rate expected at each source; None when nobody can say."""
    if rate_rps is None or models.topology is None:
        return None
    return modelled_slots(models, models.topology, rate_rps)


def first_threads(models: JobModels, topology: Topology, rate_rps: float) -> Mapping[str, int]:
    """What the operators of a job with threads of its own begin with, for that rate at each source."""
    return modelled_threads(models, topology, rate_rps)


def part(view: View, mine: Callable[[JobView], bool]) -> View:
    """The view of some jobs, with the threads that the others leave them."""
    jobs = tuple(job for job in view.jobs if mine(job))
    return replace(
        view,
        jobs=jobs,
        utility=sum(job.utility or 0.0 for job in jobs),
        max_utility=sum(job.max_utility for job in jobs),
        max_threads=None if view.max_threads is None else max(0, view.max_threads - _of_others(view, jobs)),
    )


def _of_others(view: View, jobs: Sequence[JobView]) -> int:
    """The threads of all jobs but these."""
    return sum(job.figures.threads for job in view.jobs) - sum(job.figures.threads for job in jobs)


def _begins(job: JobView, in_batches: bool, settings: ArbiterSettings) -> bool:
    """Whether its first batch is still to come: it has only just started, or others' batches keep its own from ending.

    Where nobody's batches are told of for long, the engine does not tell of batches.
    """
    figures = job.figures
    young = figures.up_s is not None and (in_batches or figures.up_s < settings.patience_s)
    return bool(figures.levers) and young


def _with_minima(before: Mapping[str, int], planned: Plan, solved: Set[str]) -> dict[str, int]:
    """The newest that Phoebe asked for, of each job that the arbiter has in hand."""
    news = {move.job: move.after for decision in planned.decisions for move in decision.thread_moves}
    return {name: least for name, least in {**before, **news}.items() if name in solved}


def _at_least(view: View, minima: Mapping[str, int]) -> View:
    """The view with no less room than those minima, as far as a job's own limit goes."""
    if not minima:
        return view
    return replace(view, jobs=tuple(_from(job, minima.get(job.name, 0)) for job in view.jobs))


def _from(job: JobView, least: int) -> JobView:
    if not least:
        return job
    operators = tuple(
        replace(
            one, min_threads=max(one.min_threads, least if one.max_threads is None else min(least, one.max_threads))
        )
        for one in job.figures.operators
    )
    return replace(job, figures=replace(job.figures, operators=operators))


def as_planned(view: View, plan: Plan) -> View:
    """The view with the threads that a plan gives, and with tasks cut as it says."""
    moves = [move for decision in plan.decisions for move in decision.moves]
    threads = {(move.job, move.operator): move.after for move in moves if isinstance(move, Slots | Tasks)}
    pieces = {move.job: move.after for move in moves if isinstance(move, Piece)}
    turned = {name for name, _ in threads} | set(pieces)
    if not turned:
        return view
    return replace(view, jobs=tuple(_turned(job, threads, pieces) if job.name in turned else job for job in view.jobs))


def _turned(job: JobView, threads: Mapping[tuple[str, str], int], pieces: Mapping[str, int | None]) -> JobView:
    operators = tuple(
        replace(operator, threads=threads.get((job.name, operator.name), operator.threads))
        for operator in job.figures.operators
    )
    dials = tuple(
        replace(dial, now=pieces.get(job.name, dial.now)) if dial.kind == "piece" else dial
        for dial in job.figures.levers
    )
    return replace(job, figures=replace(job.figures, operators=operators, levers=dials))


def _all(view: View, *parts: tuple[Plan, View]) -> Plan:
    """One plan; what each part says of its own jobs' utility becomes what the fleet's will be."""
    decisions = tuple(
        replace(decision, utility_before=view.utility, expected_utility=_of_all(view, decision.expected_utility, of))
        for plan, of in parts
        for decision in plan.decisions
    )
    return Plan(
        decisions,
        note="; ".join(plan.note for plan, _ in parts if plan.note),
        outlooks=tuple(outlook for plan, _ in parts for outlook in plan.outlooks),
        errors=tuple(error for plan, _ in parts for error in plan.errors),
        shortfall="; ".join(plan.shortfall for plan, _ in parts if plan.shortfall),
        again_s=min((plan.again_s for plan, _ in parts if plan.again_s is not None), default=None),
    )


def _of_all(view: View, expected: float | None, of: View) -> float | None:
    return None if expected is None else view.utility - of.utility + expected
