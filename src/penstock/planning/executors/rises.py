"""Rises of an application's load that were seen: the first one teaches how high it goes, and that it may come again.

as usual --more than half as much again--> risen --back again--> as usual, and the rise is remembered for an hour
                                           risen --for ten minutes--> as usual: so much comes from now on
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from penstock.core.seen.view import JobView
from penstock.planning.executors.claims import TenantsOf
from penstock.planning.executors.reserve import FEARED, Rises

_RISEN, _BACK = 1.5, 1.25  # times what comes as usual
_LASTS_S = 600.0
_REMEMBERED_S = 3600.0
_MOST = 10  # rises of an application
_FURTHEST = 10.0  # times: what came of next to nothing tells nothing
_LOOKS_BACK_S = 60.0
_SMOOTHED_S = 120.0  # what comes as usual follows what comes within about that time


@dataclass(frozen=True, slots=True)
class Rise:
    """Rows a second at its height, and since when it was: to the second at which it was first seen."""

    began_s: float
    peak_rps: float


@dataclass(frozen=True, slots=True)
class UsualLoad:
    """What comes to an application as usual, a rise that lasts, and those that are over. `at_s` is the last look."""

    at_s: float
    usual_rps: float
    lasts: Rise | None = None
    seen: tuple[Rise, ...] = ()

    def after(self, rate_rps: float, at_s: float) -> "UsualLoad":
        """With what comes then.

        >>> calm = UsualLoad(0.0, 60.0)
        >>> risen = calm.after(270.0, 10.0)
        >>> risen.seen, risen.after(61.0, 70.0).seen
        ((), (Rise(began_s=10.0, peak_rps=270.0),))
        """
        kept = tuple(one for one in self.seen if at_s <= one.began_s + _REMEMBERED_S)
        here = replace(self, at_s=at_s, seen=kept)
        if self.lasts is None:
            if rate_rps > _RISEN * self.usual_rps:
                return replace(here, lasts=Rise(at_s, rate_rps))
            part = min(1.0, (at_s - self.at_s) / _SMOOTHED_S)
            return replace(here, usual_rps=self.usual_rps + part * (rate_rps - self.usual_rps))
        if rate_rps < _BACK * self.usual_rps:
            return replace(here, lasts=None, seen=(*kept, self.lasts)[-_MOST:])
        if at_s >= self.lasts.began_s + _LASTS_S:
            return replace(here, lasts=None, usual_rps=rate_rps)
        return replace(here, lasts=replace(self.lasts, peak_rps=max(rate_rps, self.lasts.peak_rps)))

    @property
    def rises(self) -> Rises:
        """What may come, in times of what comes now: what is feared of anybody, and each rise that was seen once more.

        >>> UsualLoad(0.0, 60.0, seen=(Rise(0.0, 270.0),)).rises[-1]
        (4.5, 1.0)
        >>> UsualLoad(0.0, 60.0, lasts=Rise(9.0, 270.0), seen=(Rise(0.0, 270.0),)).rises[-1]  # it is there already
        (1.0, 1.0)
        """
        now_rps = max(1e-9, self.usual_rps if self.lasts is None else self.lasts.peak_rps)
        return (*FEARED, *((min(_FURTHEST, max(1.0, one.peak_rps / now_rps)), 1.0) for one in self.seen))


def loads_after(before: Mapping[str, UsualLoad], tenants: TenantsOf, at_s: float) -> Mapping[str, UsualLoad]:
    """Those of all applications that are there; what nobody tells changes nothing."""
    found = {name: before[name] for name in before if name in tenants}
    for name, jobs in tenants.items():
        rate_rps = rate_of(jobs)
        if rate_rps is not None:
            found[name] = found[name].after(rate_rps, at_s) if name in found else UsualLoad(at_s, rate_rps)
    return found


def rate_of(jobs: Sequence[JobView]) -> float | None:
    """The rows a second of all its tenants together; None where those of one are not known, or old, or of its start."""
    rates = [job.figures.arrival_rps if job.fresh and not _begins(job) else None for job in jobs]
    return None if not rates or None in rates else sum(rate for rate in rates if rate is not None)


def _begins(job: JobView) -> bool:
    """Whether figures look back to before its query began: what came meanwhile counts as if it came now."""
    return job.figures.up_s is not None and job.figures.up_s < _LOOKS_BACK_S
