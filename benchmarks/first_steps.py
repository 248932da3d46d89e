"""The first step of a policy by itself: what a twin's world gives with it, beside the same seed left alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from penstock.core.plan import Plan
from penstock.core.ports import Policy
from penstock.core.seen.view import View
from penstock.planning.registry import policy_named
from penstock.simulation.twins import Fixed, Twin, TwinResult, mean_share, run

WRONG = 0.005  # of the maximum utility: less is lost by chance, as where one batch ends on the other side of a look


@dataclass(frozen=True, slots=True)
class FirstStepMemory:
    """What the policy remembers, and whether it has taken its step."""

    inner: Any
    taken: bool = False


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A policy that is asked for one step and for no more."""

    policy: Policy
    name: str = "first step"

    def start(self) -> FirstStepMemory:
        """No step yet."""
        return FirstStepMemory(self.policy.start())

    def decide(self, view: View, memory: FirstStepMemory) -> tuple[Plan, FirstStepMemory]:
        """What the policy says, until it turns something."""
        if memory.taken:
            return Plan(), memory
        plan, inner = self.policy.decide(view, memory.inner)
        return plan, FirstStepMemory(inner, any(decision.moves for decision in plan.decisions))


def gained(twin: Twin, policy: str, seed: int) -> float | None:
    """What the first step gave of the maximum utility, from then to the end; None where none was taken."""
    taken = run(twin, FirstStep(policy_named(policy)), seed)
    if not taken.decisions:
        return None
    at_s = taken.decisions[0].decision.at_s
    return _share_from(taken, at_s) - _share_from(run(twin, Fixed(), seed), at_s)


def text_of(gains: Iterable[float | None]) -> str:
    """In how many seeds the first step made utility lower, and how much it lost in the worst.

    >>> text_of([0.12, None, -0.02, 0.0]), text_of([0.1, None]), text_of([None])
    ('1 of 3 [-0.020]', '0 of 1', 'none taken')
    """
    taken = [gain for gain in gains if gain is not None]
    if not taken:
        return "none taken"
    wrong = sum(gain < -WRONG for gain in taken)
    return f"{wrong} of {len(taken)}" + (f" [{min(taken):+.3f}]" if wrong else "")


def _share_from(result: TwinResult, at_s: float) -> float:
    return mean_share([view for view in result.views if view.at_s >= at_s])
