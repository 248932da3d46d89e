"""Builders of the ordinary: a test states only what matters to it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from penstock.core.asked.budget import Budget, Burn, SpentBudget
from penstock.core.asked.intents import Intent, Latency, scaled
from penstock.core.plan import Plan
from penstock.core.ports import Policy, PolicyMemory
from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures
from penstock.core.seen.topology import Topology
from penstock.core.seen.view import JobView, View
from penstock.planning.guards.limits import within_limits


def operator(name: str = "work", threads: int = 4, capacity: float | None = 0.5, **more: object) -> OperatorFigures:
    """An operator, congested unless told otherwise."""
    return OperatorFigures(name, threads, capacity, **more)  # type: ignore[arg-type]


def job(
    name: str,
    utility: float,
    max_utility: float = 10.0,
    operators: Sequence[OperatorFigures] | None = None,
    fresh: bool = True,
    **more: object,
) -> JobView:
    """A job with a latency intent; it meets it when its utility is its maximum."""
    figures = JobFigures(
        name=name,
        operators=tuple(operators or (operator(),)),
        age_s=0.0 if fresh else 60.0,
        latency=LatencyFigures(1.0),
        **more,  # type: ignore[arg-type]
    )
    intent = Intent(Latency("1s", utility=max_utility))
    return JobView(figures, intent, utility, utility >= max_utility, fresh)


def pressed(one: JobView, bad: int) -> JobView:
    """The same with an error budget of ten bad windows, so many of them gone and six times as fast as they may."""
    spent = SpentBudget(Budget.of("99%"), allowed=10.0, good=500, bad=bad, unknown=0, burns=(Burn(3600.0, 6.0),))
    utility = None if one.utility is None else one.utility * spent.urgency
    return replace(one, spent=spent, intent=scaled(one.intent, spent.urgency), utility=utility)


def view(
    at_s: float, jobs: Sequence[JobView], load: float = 1.0, cores: int = 4, max_threads: int | None = None
) -> View:
    """The fleet on two machines of that load."""
    machines = tuple(MachineFigures(f"m{n}", cores, load) for n in (1, 2))
    utility = sum(j.utility or 0.0 for j in jobs)
    return View(at_s, tuple(jobs), machines, utility, sum(j.max_utility for j in jobs), max_threads)


def topology() -> Topology:
    """Source, work, sink."""
    return Topology({"source": ["work"], "work": ["sink"]})


def rounds(
    policy: Policy, views: Sequence[View], memory: PolicyMemory | None = None
) -> tuple[list[Plan], PolicyMemory]:
    """The plans of a policy that sees these views one after the other, as the loop lets them through."""
    memory = policy.start() if memory is None else memory
    plans = []
    for seen in views:
        plan, memory = policy.decide(seen, memory)
        plans.append(within_limits(plan, seen))
    return plans, memory


def threads_after(view_: View, plan: Plan) -> Mapping[tuple[str, str], int]:
    """What every operator has once the plan is carried out."""
    threads = {(j.name, op.name): op.threads for j in view_.jobs for op in j.figures.operators}
    for decision in plan.decisions:
        for move in decision.thread_moves:
            threads[move.job, move.operator] = move.after
    return threads
