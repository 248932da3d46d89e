"""What tenants were seen to use of their slots, out of the newest record of each, whichever application it was in."""

from collections import deque
from collections.abc import Collection, Sequence

from penstock.core.seen.view import JobView, View
from penstock.planning.drivers import TenantUse, use_of
from penstock.store.archive import Archive

_ROUNDS = 2000  # the newest of a run: five hours and a half at ten seconds


def uses_in(archive: Archive, runs: Collection[str], tenants: Collection[str]) -> tuple[TenantUse, ...]:
    """Of those tenants that runs of these names tell of, the newest first."""
    found: dict[str, TenantUse] = {}
    for info in reversed(archive.runs()):
        if info.name in runs and len(found) < len(tenants):
            views = tuple(deque(archive.views(info.id), _ROUNDS))
            found = {**{use.tenant: use for use in _uses(views, tenants)}, **found}
    return tuple(found[name] for name in sorted(found))


def _uses(views: Sequence[View], tenants: Collection[str]) -> list[TenantUse]:
    seen: dict[str, list[tuple[float, JobView]]] = {}
    for view in views:
        for job in view.jobs:
            if job.name in tenants:
                seen.setdefault(job.name, []).append((view.at_s, job))
    return [use for use in (_use(name, told) for name, told in seen.items()) if use is not None]


def _use(tenant: str, told: Sequence[tuple[float, JobView]]) -> TenantUse | None:
    jobs = [job for _, job in told]
    busy = [slots for slots in map(_busy, jobs) if slots is not None]
    troubled = [job.figures.trouble is not None for job in jobs]
    begun = sum(now and not before for before, now in zip([False, *troubled], troubled, strict=False))
    return use_of(tenant, busy, told[-1][0] - told[0][0], begun)


def _busy(job: JobView) -> float | None:
    """The slots that it kept busy; None where there are no figures of now."""
    told = [operator.threads * operator.capacity for operator in job.figures.operators if operator.capacity is not None]
    return sum(told) if told and job.fresh else None
