"""The outlook: what a policy that plans ahead expects of a job; it travels with the plan, and pages show it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from penstock.core.known.forecast import Forecast
from penstock.core.seen.failures import FailureKind


@dataclass(frozen=True, slots=True)
class RecoveryForetold:
    """How long the job would take to be back to normal if that were lost now, as its like usually cost.

    Nine in ten lie from `low_s` to `high_s`, by how far off the `of` predictions of that kind were that came before;
    None while these are too few.
    """

    lost: FailureKind
    seconds: float
    low_s: float | None = None
    high_s: float | None = None
    of: int = 0


@dataclass(frozen=True, slots=True)
class JobOutlook:
    """What was worked out for one job at `at_s`; nobody should be told of it after `until_s`.

    `recoveries_s` holds (scale-out, seconds until it would be back to normal after a failure), for what the job
    had then and what it was to have. Without a forecast they are for the rate that arrived then.

    >>> JobOutlook("ads", 0.0, 600.0, None, ((4, 171.0), (5, 140.0))).recovery_s(5)
    140.0
    """

    job: str
    at_s: float
    until_s: float
    forecast: Forecast | None = None
    recoveries_s: tuple[tuple[int, float], ...] = ()
    by_kind: tuple[RecoveryForetold, ...] = ()  # with what it is to have

    def recovery_s(self, scaleout: int) -> float | None:
        """How long recovery would take with that scale-out, where it was worked out."""
        return dict(self.recoveries_s).get(scaleout)


def standing(known: Mapping[str, JobOutlook], news: Iterable[JobOutlook], at_s: float) -> dict[str, JobOutlook]:
    """The newest outlook of each job, without those that are over by `at_s`."""
    newest = {**known, **{outlook.job: outlook for outlook in news}}
    return {job: outlook for job, outlook in newest.items() if outlook.until_s >= at_s}
