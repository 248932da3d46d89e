"""Policies by the name that users write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from penstock.core.ports import Policy
from penstock.errors import ConfigError
from penstock.planning.baselines.ds2 import Ds2, Ds2Settings
from penstock.planning.baselines.fair import Fair
from penstock.planning.baselines.hands_off import HandsOff
from penstock.planning.baselines.reactive import Reactive, ReactiveSettings
from penstock.planning.combined_settings import CombinedSettings
from penstock.planning.henge.policy import Henge
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.phoebe.settings import PhoebeSettings, TwresSettings

if TYPE_CHECKING:
    from penstock.planning.routing.policy import RoutingSettings

DEFAULT = "penstock"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of `penstock policies`, and how to make the policy from its settings (None: the defaults)."""

    about: str
    make: Callable[[Any], Policy]
    settings: type[Any] | None = None


def _phoebe(settings: Any) -> Policy:
    from penstock.planning.phoebe.policy import Phoebe  # its models take seconds to import

    return Phoebe(settings)


def _twres(settings: Any) -> Policy:
    from penstock.planning.phoebe.twres import Twres

    return Twres(settings)


def _combined(settings: Any) -> Policy:
    from penstock.planning.combined import Combined

    return Combined(settings)


POLICIES: dict[str, Entry] = {
    "fifo": Entry("no shares: the oldest work first, as Spark does by itself", lambda _: HandsOff("fifo")),
    "fair": Entry("the same share for every job, whatever it needs", lambda _: Fair()),
    "static": Entry("the configuration that the jobs came with, never changed", lambda _: HandsOff("static")),
    "reactive": Entry("a horizontal autoscaler for each job, at 35 % CPU", Reactive, ReactiveSettings),
    "ds2": Entry("each job sized for its input rate from true processing rates", Ds2, Ds2Settings),
    "twres": Entry("each job sized for the forecast rate; one more when latency is too high", _twres, TwresSettings),
    "phoebe": Entry("ahead of the load, the least that recovers from failures in time", _phoebe, PhoebeSettings),
    "henge": Entry("utility of all jobs together: reconfigure, reduce, revert", Henge, HengeSettings),
    "penstock": Entry(
        "all of it: shares and batch bounds of all jobs together, on costs learnt from their batches",
        _combined,
        CombinedSettings,
    ),
}


def policy_named(
    name: str, settings: Mapping[str, Any] | None = None, routing: "RoutingSettings | None" = None
) -> Policy:
    """The policy of that name with these settings; routes beside it. The loop holds its plans to the limits.

    >>> policy_named("henge").name
    'henge'
    """
    if name not in POLICIES:
        raise ConfigError("policy", name, f"choose one of {', '.join(POLICIES)}")
    entry = POLICIES[name]
    policy = entry.make(_settings(name, entry, settings or {}))
    if routing is None:
        return policy
    from penstock.planning.routing.policy import WithRouting  # numpy and METIS

    return WithRouting(policy, routing)


def takes_profiles(name: str) -> bool:
    """Whether the policy of that name can use what was profiled of jobs: then `profiles` is among its settings."""
    kind = POLICIES[name].settings if name in POLICIES else None
    return kind is not None and any(field.name == "profiles" for field in fields(kind))


def _settings(name: str, entry: Entry, given: Mapping[str, Any]) -> Any:
    if entry.settings is None:
        if given:
            raise ConfigError(f"settings.{name}.{min(given)}", given[min(given)], "leave it out: there are none")
        return None
    return _built(entry.settings, given, f"settings.{name}")


def _built(kind: type[Any], given: Mapping[str, Any], place: str) -> Any:
    known = {field.name: field for field in fields(kind)}
    values = {}
    for key, value in given.items():
        if key not in known:
            raise ConfigError(f"{place}.{key}", key, f"choose one of {', '.join(known)}")
        inner = type(known[key].default)
        if isinstance(value, str) and inner in (int, float):
            raise ConfigError(f"{place}.{key}", value, "write a number")
        nested = is_dataclass(inner) and isinstance(value, Mapping)
        values[key] = _built(inner, value, f"{place}.{key}") if nested else value
    return kind(**values)
