"""Builders: what agents say."""

from collections.abc import Sequence
from typing import Any

from penstock.core.asked.intents import Intent, Latency
from penstock.engines.applications.wire import SaidExecutors, SaidLatency, SaidState, SaidTenant


def tenant(latency_s: float | None = 1.0, target: str = "2s", utility: float = 10.0, **more: Any) -> SaidTenant:
    """One that asks for a latency."""
    latency = None if latency_s is None else SaidLatency(mean_s=latency_s)
    return SaidTenant(intent=Intent(Latency(target, utility=utility)), latency=latency, **{"juice": 1.0, **more})


def state(
    name: str = "fraud",
    now: int = 1,
    wanted: int | None = None,
    worth: Sequence[tuple[int, float]] = (),
    least: int = 1,
    most: int = 8,
    tenants: dict[str, SaidTenant] | None = None,
    **more: Any,
) -> SaidState:
    """An application with one tenant of its name."""
    executors = SaidExecutors(
        now=now,
        wanted=now if wanted is None else wanted,
        least=least,
        most=most,
        cores=more.pop("cores", 1),
        needs=more.pop("needs", 0),
    )
    return SaidState(executors=executors, tenants=tenants or {name: tenant()}, worth=list(worth), **more)
