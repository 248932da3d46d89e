"""Whom a decision concerns: the tenants that it touched, and those that it took slots from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penstock.analysis.cycle_figures import CycleFigures, mean_utility
from penstock.core.asked.intents import Intent
from penstock.core.plan import Decision
from penstock.core.seen.shares import slot_share
from penstock.core.seen.view import View

_TAKEN_FROM = 0.05  # of a tenant's share of the slots; who loses less cannot tell it from noise


@dataclass(frozen=True, slots=True)
class Concerned:
    """A tenant that a decision touched, or took slots from; `before` is None where it had no figures."""

    name: str
    touched: bool
    intent: Intent
    before: float | None

    @property
    def max_utility(self) -> float:
        """What it could have at most."""
        return self.intent.max_utility


def concerned_by(
    decision: Decision, view: View, cycles: Sequence[CycleFigures], needed_s: float
) -> tuple[Concerned, ...]:
    """With the utilities that they had for so long before it."""
    asked = {job.name: job.stated for job in view.jobs}
    touched = [name for name in decision.jobs if name in asked]
    # What is done to the whole cluster, or to nobody by name, concerns everybody.
    whole = not touched or len(touched) < len(decision.jobs)
    others = sorted(asked.keys() - {*touched}) if whole else _taken_from(decision, view)
    past = [found for found in cycles if decision.at_s - needed_s < found.at_s <= decision.at_s]
    named = frozenset(touched)
    names = (*touched, *others)
    return tuple(Concerned(name, name in named, asked[name], mean_utility(name, asked[name], past)) for name in names)


def _taken_from(decision: Decision, view: View) -> list[str]:
    """The tenants that lose a good part of their share of the slots, when there are fewer than all want together."""
    slots = view.slots
    if slots is None:
        return []
    before = {job.name: job.figures.threads for job in view.jobs}
    after = _threads_after(decision, view)
    had, have = _shares(before, slots), _shares(after, slots)
    least = 1 - _TAKEN_FROM + 1e-9
    return sorted(
        name for name in before if name not in decision.jobs and have[name] <= least * had[name] and had[name]
    )


def _threads_after(decision: Decision, view: View) -> dict[str, int]:
    threads = {job.name: {op.name: op.threads for op in job.figures.operators} for job in view.jobs}
    for move in decision.thread_moves:
        if move.operator in threads.get(move.job, {}):
            threads[move.job][move.operator] = move.after
    return {name: sum(operators.values()) for name, operators in threads.items()}


def _shares(threads: Mapping[str, int], slots: int) -> dict[str, float]:
    """The slots that threads stand for: themselves, scaled down once all together exceed the slots."""
    return {name: slot_share(count, sum(threads.values()), slots) for name, count in threads.items()}
