"""The recorded past as a what-if needs it: arrivals second by second, what batches cost, and what really came."""

import itertools

import numpy as np

from penstock.core.documents import mean
from penstock.core.seen.view import View
from penstock.store.gallery import Gallery
from penstock.store.thinning import Columns, Stretch
from penstock.whatif.answer import without_trouble
from penstock.whatif.calibration import is_micro_batch
from penstock.whatif.question import Past, SimulatorTrial
from penstock.whatif.service import Service, learnt
from penstock.whatif.trial import tried

LOOKS = 20  # cycles that are looked at to learn what batches cost
LEAST_TRIED_S = 20.0


def past_of(gallery: Gallery, view: View, stretch: Stretch, learnt_in: Stretch) -> Past:
    """The arrivals of a stretch for the jobs of a view, and what was learnt in another."""
    span_s = (stretch.to_s or 0.0) - (stretch.from_s or 0.0)
    services = _services(gallery, learnt_in) if is_micro_batch(view) else {}
    return Past(span_s, _arrivals(gallery, view, stretch), _interval_s(gallery, stretch), services)


def trial_of(gallery: Gallery, stretch: Stretch, policy: str, within_s: float) -> SimulatorTrial | None:
    """The second half of a stretch played on from its middle, knowing only its first half; None where it is short."""
    first_s, to_s = max(stretch.from_s or 0.0, gallery.length().first_s or 0.0), stretch.to_s or 0.0
    middle = gallery.newest((first_s + to_s) / 2)
    if middle is None or to_s - middle.view.at_s < LEAST_TRIED_S:
        return None
    earlier = without_trouble(middle.view)
    before, after = Stretch(first_s, earlier.at_s), Stretch(earlier.at_s, to_s, points=600)
    totals = gallery.totals(after)
    pairs = zip(totals.at_s, shares_of(totals), strict=True)
    real = [(at_s - earlier.at_s, share) for at_s, share in pairs if share is not None]
    by_job = {name: mean(columns.values["share"]) for name, columns in gallery.jobs(after).items()}
    known = {name: share for name, share in by_job.items() if share is not None}
    return tried(earlier, past_of(gallery, earlier, after, learnt_in=before), policy, real, known, within_s)


def shares_of(columns: Columns) -> tuple[float | None, ...]:
    """Total utility as a share of its maximum."""
    pairs = zip(columns.values["utility"], columns.values["max_utility"], strict=True)
    return tuple(utility / most if utility is not None and most else None for utility, most in pairs)


def _services(gallery: Gallery, stretch: Stretch) -> dict[str, Service]:
    """Learnt from cycles spread evenly over the stretch."""
    moments = np.linspace(stretch.from_s or 0.0, stretch.to_s or 0.0, LOOKS)
    found = {seen.cycle: seen.view for at_s in moments if (seen := gallery.newest(float(at_s))) is not None}
    views = list(found.values())
    return learnt(views, views[-1].slots or 1) if views else {}


def _arrivals(gallery: Gallery, view: View, stretch: Stretch) -> dict[str, list[float]]:
    """Rows that arrived in each second of the stretch; where a job has no past, what arrives now."""
    found: dict[str, list[float]] = {}
    seconds = np.arange(int((stretch.to_s or 0.0) - (stretch.from_s or 0.0)) + 1)
    for job in view.jobs:
        columns = gallery.job(stretch, job.name)
        known = [] if columns is None else _known(columns, "arrival_rps")
        if known:
            at_s, rates = zip(*known, strict=True)
            found[job.name] = np.interp(seconds + (stretch.from_s or 0.0), at_s, rates).tolist()
        else:
            found[job.name] = [job.figures.arrival_rps or 0.0] * len(seconds)
    return found


def _known(columns: Columns, name: str) -> list[tuple[float, float]]:
    pairs = zip(columns.at_s, columns.values[name], strict=True)
    return [(at_s, value) for at_s, value in pairs if value is not None]


def _interval_s(gallery: Gallery, stretch: Stretch) -> float:
    at_s = gallery.totals(stretch).at_s
    gaps = sorted(later - now for now, later in itertools.pairwise(at_s))
    return max(1.0, round(gaps[len(gaps) // 2], 1)) if gaps else 10.0
