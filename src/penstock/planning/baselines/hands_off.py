"""Policies that leave the running configuration alone: what there is without a controller."""

from dataclasses import dataclass

from penstock.core.plan import Plan
from penstock.core.seen.view import View


@dataclass(frozen=True, slots=True)
class NoMemory:
    """Nothing to remember."""


@dataclass(frozen=True, slots=True)
class HandsOff:
    """`static` (as sized by hand) and `fifo` (as the scheduler does by itself)."""

    name: str

    def start(self) -> NoMemory:
        """Nothing to remember."""
        return NoMemory()

    def decide(self, view: View, memory: NoMemory) -> tuple[Plan, NoMemory]:
        """Do nothing."""
        return Plan(note="this policy never acts"), memory
