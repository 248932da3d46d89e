"""What came of each decision: for the tenants that it touched and those that it took from, once it had time to show.

    decided - settle time        decided        half of it later        judged: decided + settle time
           |------- before ---------|                    |------- after -------|

The settle time is a bound. Where figures look back for a short while it is over as soon as enough batches of all whom
the decision concerns have ended since.

Means are compared, not instants: one cycle tells more of its noise than of the decision. Each decision is judged at
its own time, whatever is decided meanwhile; a verdict names what was, so that a reader may doubt it.

What looks worse, or is not known, is looked at again after twice and five times that time: what waited may have been
worked off by then. A step that stays worse was taken back, or is kept for a reason, and the last verdict says which.

A controller that takes a run up goes on with what the record leaves open (`resumed`), where it is not too late for it.

Utilities are compared under one intent only: whoever asks for more at noon has less of it at once, whatever is decided.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from penstock.analysis.cycle_figures import CycleFigures
from penstock.analysis.judging import SaidOfCycle, verdict_on
from penstock.analysis.open_decision import OpenDecision
from penstock.core.cycle import PastCycle
from penstock.core.known.settling import LONGEST_SETTLE_S, settles_s
from penstock.core.plan import Decision, Reason, Verdict
from penstock.core.seen.view import View


def judged_later(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Those of which something comes: advice is not judged, for nothing was done."""
    return tuple(decision for decision in decisions if decision.reason is not Reason.ADVISED)


@dataclass(frozen=True, slots=True)
class OpenDecisions:
    """Decisions whose effect is not known yet, oldest first, and the last cycles to know it from.

    `window_s` is how far figures look back; None: nobody says, and every decision has its whole settle time.
    """

    decisions: tuple[OpenDecision, ...] = ()
    cycles: tuple[CycleFigures, ...] = ()
    window_s: float | None = None

    def judge(
        self,
        view: View,
        taken: Sequence[Decision],
        settles: Callable[[Decision], float] = settles_s,
        note: str = "",
        idle: bool = False,
    ) -> tuple["OpenDecisions", tuple[Verdict, ...]]:
        """Judge what is due, then open what was taken. Decisions of one instant are judged together, in order.

        `note` is what the policy says of this cycle, or why it was not asked where `idle`.
        """
        recent = (past for past in self.cycles if view.at_s - past.at_s < 2 * LONGEST_SETTLE_S)
        cycles = (
            *recent,
            CycleFigures.of(view, watched={one.job for found in self.decisions for one in found.foretold}),
        )
        known = tuple(found.settled(view, cycles, self.window_s) for found in self.decisions)
        due = tuple(found for found in known if view.at_s >= found.due_s)
        needed_s = min(LONGEST_SETTLE_S, max((settles(decision) for decision in taken), default=0.0))
        opened = tuple(OpenDecision.of(found, place, view, cycles, needed_s) for place, found in enumerate(taken))
        verdicts = tuple(verdict_on(one, view, cycles, SaidOfCycle(note, idle)) for one in due)
        again = [more for one, verdict in zip(due, verdicts, strict=True) if (more := one.judged(verdict)) is not None]
        waiting = sorted((*again, *(one for one in known if view.at_s < one.due_s)), key=_in_order)
        still_open = (one.overtaken(opened) for one in waiting)
        return OpenDecisions((*still_open, *opened), cycles, self.window_s), verdicts


def resumed(past: Iterable[PastCycle], now_s: float, window_s: float | None = None) -> OpenDecisions:
    """What the cycles of a run leave open to a controller that goes on with it then."""
    found = OpenDecisions(window_s=window_s)
    for one in past:
        found, _ = found.judge(one.view, judged_later(one.decisions))
    still = tuple(more for one in found.decisions if (more := one.going_on(now_s)) is not None)
    return replace(found, decisions=still)


def _in_order(found: OpenDecision) -> tuple[float, int]:
    return found.decision.at_s, found.place
