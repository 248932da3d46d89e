"""The trial: an earlier instant played on to the present, and how far off it came; what an answer may be worth."""

from collections.abc import Mapping

import numpy as np

from penstock.core.seen.view import View
from penstock.whatif.answer import play
from penstock.whatif.question import Changes, Future, Past, ShareSeries, SimulatorTrial


def tried(
    earlier: View, past: Past, policy: str, real: ShareSeries, real_jobs: Mapping[str, float], within_s: float
) -> SimulatorTrial | None:
    """Play the earlier instant on and compare; None where nothing can be compared.

    `past` holds the arrivals after that instant, and services learnt before it. `real_jobs` are mean shares by job.
    """
    if not earlier.jobs or not real:
        return None
    future = play(earlier, past, policy, Changes(), within_s)
    if not future.whole or not future.share:
        return None
    at_s, shares = zip(*real, strict=True)
    really = np.interp(future.at_s, at_s, shares)
    return SimulatorTrial(
        span_s=past.span_s,
        future=future,
        real_share=float(really.mean()),
        off=float(np.abs(really - np.array(future.share)).mean()),
        jobs_off=_jobs_off(future, real_jobs),
    )


def _jobs_off(future: Future, real: Mapping[str, float]) -> dict[str, float]:
    simulated = {name: future.job_share(name) for name in real}
    return {name: abs(share - real[name]) for name, share in simulated.items() if share is not None}
