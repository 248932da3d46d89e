"""How far off the claims of an application are: what was foretold of its moves, beside what came of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from penstock.core.seen.view import JobView, View
from penstock.planning.arrivals import same_rate
from penstock.planning.executors.claims import Claim, tenants_of

_COMPARED_AFTER_S = 60.0  # figures look back for up to a minute
_SAME_ARRIVALS = 0.25  # of the larger: beyond it, another utility came of another load
_KEPT = 0.8  # of the mean error before, with each comparison
_ASSUMED_OF = 2  # what is assumed before anything came counts as so many comparisons
# An application that is left alone because its claims were wrong shows nothing new: what is so old counts no more.
_FORGOTTEN_AFTER_S = 1800.0


@dataclass(frozen=True, slots=True)
class ExpectedUtility:
    """What was foretold of an application with so many executors, while so many rows arrived, in the worth stated.

    `back_s` is how long it was to take to come back to its target: before that nothing shows of it.
    """

    at_s: float
    executors: int
    utility: float
    arrival_rps: float | None
    back_s: float = 0.0

    def due(self, at_s: float) -> bool:
        """Whether what came can be told by now."""
        return at_s >= self.at_s + self.back_s + _COMPARED_AFTER_S


@dataclass(frozen=True, slots=True)
class ClaimError:
    """The mean distance of what was foretold from what came, as a share of the most, over `of` comparisons."""

    share: float
    of: int
    at_s: float


def expected(
    view: View, moved: Sequence[Claim], target: Mapping[str, int], back_s: Mapping[str, float]
) -> dict[str, ExpectedUtility]:
    """What is foretold of those that move, to be compared later; `back_s` of those that are late."""
    tenants = tenants_of(view, (claim.name for claim in moved if claim.worth))
    return {
        claim.name: ExpectedUtility(
            view.at_s,
            target[claim.name],
            claim.utility(target[claim.name]) / claim.times,
            _arrivals(tenants[claim.name]),
            back_s.get(claim.name, 0.0),
        )
        for claim in moved
        if claim.worth
    }


def compared(
    view: View, claims: Sequence[Claim], foretold: Mapping[str, ExpectedUtility], errors: Mapping[str, ClaimError]
) -> dict[str, ClaimError]:
    """The errors with what came of the moves that are due, without those of long ago."""
    found = {name: error for name, error in errors.items() if view.at_s < error.at_s + _FORGOTTEN_AFTER_S}
    awaited = {dial.job for dial in view.levers if dial.asked is not None}  # not all of it came yet
    told = {name for name, one in foretold.items() if one.due(view.at_s)} - awaited
    due = [claim for claim in claims if claim.name in told]
    tenants = tenants_of(view, (claim.name for claim in due))
    for claim in due:
        off = _off(claim, foretold[claim.name], tenants[claim.name])
        if off is not None:
            found[claim.name] = _with(found.get(claim.name), off, view.at_s)
    return found


def of_another_load(foretold: ExpectedUtility | None, tenants: Iterable[JobView]) -> bool:
    """Whether another load comes to them by now than what that was foretold for."""
    now_rps = _arrivals(tenants)
    if foretold is None or foretold.arrival_rps is None or now_rps is None:
        return False
    return not same_rate(foretold.arrival_rps, now_rps, _SAME_ARRIVALS)


def reckoned_with(error: ClaimError | None, assumed: float) -> float:
    """By which share of an application's utility its claims may be off.

    >>> reckoned_with(None, 0.04), round(reckoned_with(ClaimError(0.4, 1, 0.0), 0.04), 2)
    (0.04, 0.16)
    """
    if error is None:
        return assumed
    return (error.share * error.of + assumed * _ASSUMED_OF) / (error.of + _ASSUMED_OF)


def _off(claim: Claim, foretold: ExpectedUtility, tenants: Sequence[JobView]) -> float | None:
    """None where it tells nothing: other executors came, another load, or figures are missing."""
    utilities = [job.utility / job.urgency for job in tenants if job.fresh and job.utility is not None]
    if claim.now != foretold.executors or not claim.most_utility or not utilities or len(utilities) < len(tenants):
        return None
    if _arrivals(tenants) is None or foretold.arrival_rps is None:
        return None
    if of_another_load(foretold, tenants):
        return None
    return min(1.0, claim.times * abs(sum(utilities) - foretold.utility) / claim.most_utility)


def _with(before: ClaimError | None, off: float, at_s: float) -> ClaimError:
    if before is None:
        return ClaimError(off, 1, at_s)
    return ClaimError(_KEPT * before.share + (1.0 - _KEPT) * off, before.of + 1, at_s)


def _arrivals(tenants: Iterable[JobView]) -> float | None:
    """The rows a second of all together; None where those of one are not known."""
    rates = [job.figures.arrival_rps for job in tenants]
    return None if None in rates else sum(rate for rate in rates if rate is not None)
