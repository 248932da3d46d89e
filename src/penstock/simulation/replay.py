"""Replay: a policy judged on a recorded incident; it sees what was seen then and says what it would do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from penstock.core.plan import Plan
from penstock.core.ports import Policy, PolicyMemory
from penstock.core.seen.view import View
from penstock.planning.guards.limits import within_limits


@dataclass(frozen=True, slots=True)
class Replayed:
    """One recorded cycle, with the plan of the policy that is judged and its memory afterwards."""

    view: View
    plan: Plan
    memory: PolicyMemory


def replay(policy: Policy, views: Iterable[View], govern_from_s: float = 0.0) -> Iterator[Replayed]:
    """The policy's plans for what was seen from `govern_from_s` on.

    Give what the recorded run was governed from: a policy that is asked earlier has other memories.

    The world does not answer: figures after its first differing decision are those of the decisions that
    were taken then, so compare what it does first, and why, and not how it would have ended.
    """
    memory = policy.start()
    for view in views:
        if view.at_s < govern_from_s:
            continue
        plan, memory = policy.decide(view, memory)
        plan = within_limits(plan, view)
        yield Replayed(view, plan, memory)
