"""Capacity without a profile: what a job would do if it were busy all the time, by scale-out, from its quiet service.

As Daedalus (Pfister et al., 2024) does it: throughput per use of the CPU, kept for each scale-out that the job has had;
others are extrapolated from these by the capacity model.
"""

from collections.abc import Sequence

from penstock.core.seen.evidence import Observation

LEAST_BUSY = 0.05  # below, what a process does beside its rows counts too much


def capacities_served(evidence: Sequence[Observation]) -> tuple[Observation, ...]:
    """For each scale-out that was never seen at its capacity, what its use says that it could do.

    The line through nothing that fits rate by use best: busy stretches count more, where little is hidden.

    >>> seen = [Observation(4, 100.0, at_s=0.0, busy_share=0.2), Observation(4, 210.0, at_s=60.0, busy_share=0.4)]
    >>> capacities_served(seen)
    (Observation(scaleout=4, rate_rps=520.0, latency_s=None, saturated=True, at_s=60.0, busy_share=None),)
    """
    measured = {seen.scaleout for seen in evidence if seen.saturated}
    told = [seen for seen in evidence if (seen.busy_share or 0.0) >= LEAST_BUSY and seen.scaleout not in measured]
    return tuple(
        _capacity([seen for seen in told if seen.scaleout == scaleout])
        for scaleout in sorted({s.scaleout for s in told})
    )


def _capacity(seen: Sequence[Observation]) -> Observation:
    shares = [min(1.0, one.busy_share or 0.0) for one in seen]
    rate_rps = sum(one.rate_rps * share for one, share in zip(seen, shares, strict=True)) / sum(s * s for s in shares)
    newest_s = max((one.at_s for one in seen if one.at_s is not None), default=None)
    return Observation(seen[0].scaleout, round(rate_rps, 2), None, saturated=True, at_s=newest_s)
