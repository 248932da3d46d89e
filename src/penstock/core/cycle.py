"""One turn of the loop, as it is remembered."""

from dataclasses import dataclass
from typing import Any

from penstock.core.plan import Outcome, Plan
from penstock.core.view import View


@dataclass(frozen=True, slots=True)
class Cycle:
    """What was seen, what was decided, what came of it, and the policy's memory afterwards."""

    at_s: float
    policy: str
    view: View
    plan: Plan
    outcome: Outcome
    memory: Any  # a frozen dataclass of the policy's own, see ports.Memory
