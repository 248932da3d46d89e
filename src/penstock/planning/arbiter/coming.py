"""What is about to arrive: the arrivals of each job are remembered, and one job a round is looked ahead for.

A forecast counts only where the same way of foretelling was clearly better on the job's own past than to take what
arrives now for what will; so constant and erratic loads are left to the futures that are thought of anyway.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf

from penstock.analysis.forecast.chosen import BestOnPast
from penstock.core.known.forecast import Series
from penstock.planning.rates import RateHistory

STEP_S = 10.0
KEPT = 180  # steps: half an hour
LEAST = 12  # steps: with fewer there is no back-test that says anything
LOOKED_AGAIN_S = 30.0
STANDS_S = 60.0  # as long as it was looked ahead, and a little
STEPS = 4  # ahead: the arbiter's horizon
BETTER_BY = 0.8  # of the naive error


@dataclass(frozen=True, slots=True)
class Coming:
    """One job: its history, when it was last looked ahead for, and the highest rate that was foretold then."""

    rates: RateHistory = RateHistory()
    looked_s: float = -inf
    rps: float | None = None

    def at(self, at_s: float) -> float | None:
        """What is foretold, as long as that stands."""
        return self.rps if at_s - self.looked_s <= STANDS_S else None


def remembered(known: Mapping[str, Coming], arrivals: Mapping[str, float], at_s: float) -> dict[str, Coming]:
    """With what arrives now, of the jobs that are there; the one that was looked at longest ago is looked at anew."""
    nothing = Coming()
    found = {name: _with_rate(known.get(name, nothing), rate, at_s) for name, rate in arrivals.items()}
    due = [name for name, one in found.items() if _is_due(one, at_s)]
    if due:
        oldest = min(due, key=lambda name: found[name].looked_s)
        found[oldest] = replace(found[oldest], looked_s=at_s, rps=_foretold(found[oldest].rates))
    return found


def _with_rate(one: Coming, rate_rps: float, at_s: float) -> Coming:
    return Coming(one.rates.with_rate(rate_rps, at_s, STEP_S, KEPT), one.looked_s, one.rps)


def _is_due(one: Coming, at_s: float) -> bool:
    return len(one.rates.values) >= LEAST and at_s - one.looked_s >= LOOKED_AGAIN_S


def _foretold(rates: RateHistory) -> float | None:
    forecast = BestOnPast().forecast(Series(STEP_S, rates.values), STEPS)
    trusted = forecast.error is not None and forecast.error <= BETTER_BY
    return max(forecast.mean) if trusted else None
