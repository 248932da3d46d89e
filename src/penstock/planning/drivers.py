"""Which tenants can share a driver, and which should not, by what they were seen to use.

A driver costs memory of its own, and an executor is held whole, however little of it is used. Tenants that are small
together fit into one executor: each that joins another saves a driver and an executor. One that was in trouble again
and again stays by itself, for whoever shares its driver goes down with it where the driver does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

_TROUBLES_APART = 2  # once may be anybody's
_FULL = 0.9  # of an executor: who fills it to the brim has no room for a spike
_PERCENTILE = 0.95


@dataclass(frozen=True, slots=True)
class TenantUse:
    """The slots that a tenant kept busy, at the 95th percentile of its record; how often it got into trouble."""

    tenant: str
    slots: float
    over_s: float
    troubles: int = 0


@dataclass(frozen=True, slots=True)
class DriverAdvice:
    """Tenants that can share a driver; `why` they can, or why the one should not."""

    tenants: tuple[str, ...]
    why: str


def use_of(tenant: str, busy: Sequence[float], over_s: float, troubles: int = 0) -> TenantUse | None:
    """Out of slots that were busy, each as often as it was looked; None where nothing was seen.

    >>> use_of("ads", [0.1] * 18 + [0.5] * 2, 200.0)
    TenantUse(tenant='ads', slots=0.5, over_s=200.0, troubles=0)
    """
    if not busy:
        return None
    return TenantUse(tenant, sorted(busy)[min(len(busy) - 1, ceil(_PERCENTILE * len(busy)))], over_s, troubles)


def who_can_share(uses: Iterable[TenantUse], executor_slots: int) -> tuple[DriverAdvice, ...]:
    """Every tenant in one group, largest first: into the first executor that has room for it.

    >>> seen = [TenantUse("fraud", 1.4, 600.0), TenantUse("ads", 0.2, 600.0), TenantUse("bots", 0.3, 600.0)]
    >>> for group in who_can_share(seen, 1):
    ...     print(group.tenants, group.why)
    ('fraud',) it uses 1.4 slots, more than the 1 of an executor leaves room for
    ('bots', 'ads') together they use 0.5 of the 1 slots of an executor: 1 driver and 1 executor fewer
    """
    room = _FULL * executor_slots
    apart, bins = list[DriverAdvice](), list[list[TenantUse]]()
    for use in sorted(uses, key=lambda one: (-one.slots, one.tenant)):
        why = _why_apart(use, executor_slots, room)
        if why is not None:
            apart.append(DriverAdvice((use.tenant,), why))
            continue
        fits = next((bin_ for bin_ in bins if sum(one.slots for one in bin_) + use.slots <= room), None)
        if fits is None:
            bins.append([use])
        else:
            fits.append(use)
    return (*apart, *(_shared(bin_, executor_slots) for bin_ in bins))


def compared(advised: Iterable[DriverAdvice], driver_of: Mapping[str, str]) -> tuple[DriverAdvice, ...]:
    """What is advised and not so yet: tenants that could share a driver and do not, or should not and do.

    >>> wish = [DriverAdvice(("a", "b"), "small"), DriverAdvice(("c",), "in trouble")]
    >>> [one.tenants for one in compared(wish, {"a": "a", "b": "b", "c": "c"})]
    [('a', 'b')]
    >>> [one.tenants for one in compared(wish, {"a": "a", "b": "a", "c": "a"})]
    [('c',)]
    """
    return tuple(one for one in advised if _differs(one, driver_of))


def _differs(sharing: DriverAdvice, driver_of: Mapping[str, str]) -> bool:
    if len(sharing.tenants) > 1:
        return len({driver_of.get(name) for name in sharing.tenants}) > 1
    (tenant,) = sharing.tenants
    return any(driver == driver_of.get(tenant) for name, driver in driver_of.items() if name != tenant)


def _why_apart(use: TenantUse, slots: int, room: float) -> str | None:
    if use.troubles >= _TROUBLES_APART:
        return f"it was in trouble {use.troubles} times in {use.over_s / 60:.0f} min"
    if use.slots > room:
        return f"it uses {use.slots:.1f} slots, more than the {slots} of an executor leaves room for"
    return None


def _shared(uses: Sequence[TenantUse], slots: int) -> DriverAdvice:
    total, fewer = sum(use.slots for use in uses), len(uses) - 1
    if not fewer:
        return DriverAdvice((uses[0].tenant,), f"it uses {total:.1f} slots, so no other job fits into its driver")
    many = "" if fewer == 1 else "s"
    why = f"together they use {total:.1f} of the {slots} slots of an executor"
    return DriverAdvice(
        tuple(use.tenant for use in uses), f"{why}: {fewer} driver{many} and {fewer} executor{many} fewer"
    )
