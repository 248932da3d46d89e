"""What each scale-out is worth to a job's tenant: the utility of the latency and the recovery expected of it."""

import math

from penstock.core.asked.intents import Juice, Latency, Objective, Recovery
from penstock.core.seen.figures import LatencyFigures
from penstock.core.seen.view import JobView
from penstock.planning.phoebe.outlook import Outlook

_NEVER_S = 3600.0  # a job that falls behind is as late as that, sooner or later


def worth_of(job: JobView, outlook: Outlook | None, most: int) -> list[float]:
    """Expected utility with 1, 2, ... `most` executors; it rises evenly for a job that nothing is known of."""
    if outlook is None:
        return [job.max_utility * scaleout / most for scaleout in range(1, most + 1)]
    return [expected_worth(job, outlook, scaleout) for scaleout in range(1, most + 1)]


def expected_worth(job: JobView, outlook: Outlook, scaleout: int) -> float:
    """Expected utility with that scale-out."""
    ahead = outlook.ahead
    recovery_s = ahead.recovery_s(scaleout)
    weights = [objective.utility for objective in job.intent.objectives]
    shares = [_share(objective, outlook, scaleout, recovery_s) for objective in job.intent.objectives]
    share = sum(w * s for w, s in zip(weights, shares, strict=True)) / sum(weights)
    bound_s = job.intent.recovery_s
    if bound_s is not None and recovery_s > bound_s and not _counts_recovery(job):
        # A target without a utility of its own bounds plans: what misses it is worth less, as behind a knee.
        share *= bound_s / recovery_s if math.isfinite(recovery_s) else 0.0
    return share * job.max_utility


def _share(objective: Objective, outlook: Outlook, scaleout: int, recovery_s: float) -> float:
    if isinstance(objective, Recovery):
        return objective.share_at(recovery_s)
    rate = outlook.ahead.peak(0).rate_rps
    if isinstance(objective, Juice):
        return objective.share_at(1.0 if rate <= 0 else min(1.0, outlook.ahead.model.capacity.at(scaleout) / rate))
    return objective.share_at(_latency_s(objective, outlook, scaleout, rate))


def _latency_s(objective: Latency, outlook: Outlook, scaleout: int, rate_rps: float) -> float:
    """What the model says; without one a job that keeps up is taken to be in time."""
    if not outlook.ahead.keeps_up(scaleout):
        return _NEVER_S
    model = outlook.ahead.model.latency
    if model is None:
        return 0.0
    return LatencyFigures(model.at(scaleout, rate_rps)).mean_s


def _counts_recovery(job: JobView) -> bool:
    return any(isinstance(objective, Recovery) for objective in job.intent.objectives)
