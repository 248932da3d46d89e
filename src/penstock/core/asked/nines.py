"""Nines: what a tenant would ask for if its latency target were to hold for one nine more of its rows."""

from copy import copy

from penstock.core.asked.intents import Intent, Latency, fill, restated

NINES = (90.0, 99.0)  # beyond p99 no simulator of ours tells a latency


def next_nine(percentile: float) -> float | None:
    """The percentile with one nine more; None where nobody could say whether it is kept.

    >>> [next_nine(percentile) for percentile in (50, 90, 95, 99)]
    [90.0, 99.0, 99.0, None]
    """
    return next((nine for nine in NINES if nine > percentile), None)


def with_next_nine(intent: Intent) -> Intent | None:
    """The same targets, each percentile of latency at its next nine; None where there is none to raise.

    >>> asked = with_next_nine(Intent(Latency("2s", percentile=95)))
    >>> asked.text() if asked else None
    'p99 latency <= 2s'
    >>> with_next_nine(Intent(Latency("2s"))) is None  # a mean has no nines
    True
    """
    raised = tuple(_raised(one) if isinstance(one, Latency) else one for one in intent.objectives)
    if raised == intent.objectives:
        return None
    return restated(intent, raised, intent.recovery_s)


def _raised(asked: Latency) -> Latency:
    nine = None if asked.percentile is None else next_nine(asked.percentile)
    if nine is None:
        return asked
    found = copy(asked)
    fill(found, percentile=nine)
    return found
