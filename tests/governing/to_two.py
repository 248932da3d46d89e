"""A policy whose shares can be told from all that Spark would do by itself."""

import penstock as ps
from penstock.core.levers import Slots
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View

INTENT = ps.Intent(ps.Latency("2s"), ps.Juice(0.9))


class ToTwo:
    """Gives every job two slots, and says so every round."""

    name = "to two"

    def start(self) -> int:
        return 0

    def decide(self, view: View, memory: int) -> tuple[Plan, int]:
        changes = tuple(Slots(job.name, job.figures.threads, 2) for job in view.jobs)
        return Plan((Decision(Reason.REDUCED, changes, "two are enough", view.at_s, view.utility),)), memory + 1
