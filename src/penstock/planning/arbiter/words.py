"""Why: the arbiter's decisions in one sentence that a tenant understands."""

import numpy as np

from penstock.core.view import View
from penstock.planning.arbiter.fleet import Fleet
from penstock.planning.arbiter.search import Found
from penstock.planning.words import missed


def why(view: View, fleet: Fleet, found: Found) -> str:
    """Whom it is for, and by what means."""
    gains = found.outcome.settled[0] - found.now.settled[0]
    place = int(np.argmax(gains))
    job = view.job(fleet.names[place])
    means = _means(fleet, found, place)
    if gains[place] <= 0 or not means:
        return "bounds that hold nothing back are taken off, for they would once the load rises"
    return f"{missed(job)}; {means}"


def _means(fleet: Fleet, found: Found, favoured: int) -> str:
    others = np.arange(fleet.size) != favoured
    bounded = [fleet.names[i] for i in np.flatnonzero((found.best.bounds[0] < fleet.bounds) & others)]
    parts = []
    if found.best.weights[0, favoured] > fleet.weights[favoured]:
        parts.append("it gets more of the slots")
    elif bool(np.any((found.best.weights[0] < fleet.weights) & others)):
        parts.append("others get less of the slots")
    if bounded:
        more = f" and {len(bounded) - 3} more" if len(bounded) > 3 else ""
        parts.append(
            f"batches of {', '.join(bounded[:3])}{more} are made smaller, so that cores and slots are free sooner"
        )
    if found.best.bounds[0, favoured] > fleet.bounds[favoured]:
        parts.append("its own batches may be larger")
    return ", and ".join(parts)
