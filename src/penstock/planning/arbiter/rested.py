"""At rest: the last search found nothing nearly worth a turn, and nothing has changed since that would make it so.

The search is what a round costs. A tenant that misses what it asked for, and that nothing would help, is no reason to
search for the same again at each round.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from penstock.core.seen.view import View
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arrivals import same_arrivals

AGAIN_AFTER_S = 10.0  # what is learnt of costs may have come to more by then
_NEARLY = 0.5  # of what is worth a turn: from there on every round is looked at
_SAME_ARRIVALS = 0.1


@dataclass(frozen=True, slots=True)
class Rested:
    """What the last search saw, and what was said of it."""

    at_s: float
    note: str
    utility: float
    missing: tuple[str, ...]
    levers: tuple[float, ...]
    arrivals_rps: Mapping[str, float]

    def holds(self, view: View, fleet: Fleet, arrivals_rps: Mapping[str, float], worth_a_turn: float) -> bool:
        """Whether a search would find nothing again, for all that can be told without one."""
        return (
            view.at_s - self.at_s < AGAIN_AFTER_S
            and view.utility > self.utility - _NEARLY * worth_a_turn
            and _missing(view) == self.missing
            and _levers(fleet) == self.levers
            and same_arrivals(self.arrivals_rps, arrivals_rps, _SAME_ARRIVALS)
        )


def rested(
    view: View, fleet: Fleet, arrivals_rps: Mapping[str, float], note: str, gain: float, worth_a_turn: float
) -> Rested | None:
    """What is to be remembered of a search that found so little; of one that found nearly enough, nothing."""
    if gain > _NEARLY * worth_a_turn:
        return None
    return Rested(view.at_s, note, view.utility, _missing(view), _levers(fleet), arrivals_rps)


def _missing(view: View) -> tuple[str, ...]:
    return tuple(job.name for job in view.jobs if not job.met)


def _levers(fleet: Fleet) -> tuple[float, ...]:
    levers = (fleet.weights, fleet.bounds, fleet.trigger_s, fleet.parts)
    return tuple(value for lever in levers for value in lever.tolist())
