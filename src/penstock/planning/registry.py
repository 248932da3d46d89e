"""Policies by the name that users write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from penstock.core.ports import Policy
from penstock.errors import ConfigError
from penstock.planning.baselines.ds2 import Ds2, Ds2Settings
from penstock.planning.baselines.fair import Fair
from penstock.planning.baselines.hands_off import HandsOff
from penstock.planning.baselines.reactive import Reactive, ReactiveSettings
from penstock.planning.henge.policy import Henge
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.limits import WithLimits
from penstock.planning.routing.policy import RoutingSettings, WithRouting

DEFAULT = "henge"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of `penstock policies`, and how to make the policy from its settings (None: the defaults)."""

    about: str
    make: Callable[[Any], Policy]
    settings: type[Any] | None = None


POLICIES: dict[str, Entry] = {
    "fifo": Entry("no shares: the oldest work first, as Spark does by itself", lambda _: HandsOff("fifo")),
    "fair": Entry("the same share for every job, whatever it needs", lambda _: Fair()),
    "static": Entry("the configuration that the jobs came with, never changed", lambda _: HandsOff("static")),
    "reactive": Entry("a horizontal autoscaler for each job, at 35 % CPU", Reactive, ReactiveSettings),
    "ds2": Entry("each job sized for its input rate from true processing rates", Ds2, Ds2Settings),
    "henge": Entry("utility of all jobs together: reconfigure, reduce, revert", Henge, HengeSettings),
}


def policy_named(
    name: str, settings: Mapping[str, Any] | None = None, routing: RoutingSettings | None = None
) -> Policy:
    """The policy of that name with these settings, held to the limits of jobs and cluster; routes beside it.

    >>> policy_named("henge").name
    'henge'
    """
    if name not in POLICIES:
        raise ConfigError("policy", name, f"choose one of {', '.join(POLICIES)}")
    entry = POLICIES[name]
    policy = WithLimits(entry.make(_settings(name, entry, settings or {})))
    return policy if routing is None else WithRouting(policy, routing)


def _settings(name: str, entry: Entry, given: Mapping[str, Any]) -> Any:
    known = [field.name for field in fields(entry.settings)] if entry.settings is not None else []
    for key in given:
        if key not in known:
            raise ConfigError(f"settings.{name}.{key}", key, f"choose one of {', '.join(known) or 'none'}")
    return entry.settings(**given) if entry.settings is not None else None
