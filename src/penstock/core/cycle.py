"""One turn of the loop, as it is remembered."""

from dataclasses import dataclass
from typing import Any

from penstock.core.plan import Decision, Outcome, Plan
from penstock.core.seen.view import View

GOVERNING_ENDED = "governing ended: "  # how the last cycle of a controller begins that ended by itself


@dataclass(frozen=True, slots=True)
class Cycle:
    """What was seen, what was decided, what came of it, and the policy's memory afterwards.

    `error` says in words what went wrong in the loop itself, and what happens next.
    """

    at_s: float
    policy: str
    view: View
    plan: Plan
    outcome: Outcome
    memory: Any  # a frozen dataclass of the policy's own, see ports.Memory
    error: str | None = None

    @property
    def note(self) -> str:
        """What is said of the whole cycle."""
        return noted_of(self.error, self.plan.note)


@dataclass(frozen=True, slots=True)
class PastCycle:
    """A cycle of which the record tells what was seen and decided, as whoever judges decisions needs it."""

    view: View
    decisions: tuple[Decision, ...] = ()


def noted_of(error: str | None, note: str) -> str:
    """What went wrong, if anything, before why the policy did nothing.

    >>> noted_of("observing failed: no answer", ""), noted_of(None, "converged")
    ('observing failed: no answer', 'converged')
    """
    return "; ".join(text for text in (error, note) if text)
