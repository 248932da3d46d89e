"""Policies by the name that users write."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from penstock.core.ports import Policy
from penstock.core.units import is_number
from penstock.errors import ConfigError, choose, did_you_mean
from penstock.planning.baselines.ds2 import Ds2, Ds2Settings
from penstock.planning.baselines.fair import Fair
from penstock.planning.baselines.hands_off import HandsOff
from penstock.planning.baselines.reactive import Reactive, ReactiveSettings
from penstock.planning.combined_settings import CombinedSettings
from penstock.planning.henge.policy import Henge
from penstock.planning.henge.settings import HengeSettings
from penstock.planning.installed import PolicyEntry, installed
from penstock.planning.phoebe.settings import PhoebeSettings, TwresSettings
from penstock.planning.routing_settings import RoutingSettings

DEFAULT = "penstock"
_NONE_THERE = "leave it out: there are none"


def _phoebe(settings: Any) -> Policy:
    from penstock.planning.phoebe.policy import Phoebe  # numpy

    return Phoebe(settings)


def _twres(settings: Any) -> Policy:
    from penstock.planning.phoebe.twres import Twres

    return Twres(settings)


def _combined(settings: Any) -> Policy:
    from penstock.planning.combined import Combined

    return Combined(settings)


POLICIES: dict[str, PolicyEntry] = {
    "fifo": PolicyEntry("no shares: the oldest work first, as Spark does by itself", lambda _: HandsOff("fifo")),
    "fair": PolicyEntry("the same share for every job, whatever it needs", lambda _: Fair()),
    "static": PolicyEntry("the configuration that the jobs came with, never changed", lambda _: HandsOff("static")),
    "reactive": PolicyEntry("a horizontal autoscaler for each job, at 35 % CPU", Reactive, ReactiveSettings),
    "ds2": PolicyEntry("each job sized for its input rate from true processing rates", Ds2, Ds2Settings),
    "twres": PolicyEntry(
        "each job sized for the forecast rate; one more when latency is too high", _twres, TwresSettings
    ),
    "phoebe": PolicyEntry("ahead of the load, the least that recovers from failures in time", _phoebe, PhoebeSettings),
    "henge": PolicyEntry("utility of all jobs together: reconfigure, reduce, revert", Henge, HengeSettings),
    "penstock": PolicyEntry(
        "all of it: shares and batch bounds of all jobs together, on costs learnt from their batches",
        _combined,
        CombinedSettings,
    ),
}


def policies() -> Mapping[str, PolicyEntry]:
    """All there are: those that ship, and those of packages that are installed beside penstock."""
    return {**POLICIES, **installed(POLICIES)}


def policy_named(
    name: str, settings: Mapping[str, Any] | None = None, routing: RoutingSettings | None = None
) -> Policy:
    """The policy of that name with these settings; routes beside it. The loop holds its plans to the limits.

    >>> policy_named("henge").name
    'henge'
    """
    entry = _entry(name)
    if entry is None:
        raise ConfigError("policy", name, choose(name, policies()))
    made = entry.make(_settings(name, entry, settings or {}))
    if routing is None:
        return made
    from penstock.planning.combined import with_routes  # numpy

    return with_routes(made, routing)


def takes_profiles(name: str) -> bool:
    """Whether the policy of that name can use what was profiled of jobs: then `profiles` is among its settings."""
    entry = _entry(name)
    kind = None if entry is None else entry.settings
    return kind is not None and any(field.name == "profiles" for field in fields(kind))


def wrong_settings(name: str, given: Mapping[str, Any]) -> list[ConfigError]:
    """All that is wrong with the settings of the policy of that name.

    >>> [error.field for error in wrong_settings("henge", {"reductoin": 0.5, "quiet_rounds": "two"})]
    ['settings.henge.reductoin', 'settings.henge.quiet_rounds']
    """
    kind, place = policies()[name].settings, f"settings.{name}"
    if kind is None:
        return [ConfigError(f"{place}.{key}", value, _NONE_THERE) for key, value in given.items()]
    return _wrong(kind, given, place)


def _entry(name: str) -> PolicyEntry | None:
    """Those that ship are found without a look at what is installed."""
    return POLICIES.get(name) or policies().get(name)


def _wrong(kind: type[Any], given: Mapping[str, Any], place: str) -> list[ConfigError]:
    inner = {field.name: type(field.default) for field in fields(kind)}
    found: list[ConfigError] = []
    for key, value in given.items():
        if key == "profiles":  # a setting that the file fills from its own field
            found.append(ConfigError(f"{place}.{key}", value, "write profiles at the top of the file instead"))
        elif is_dataclass(inner.get(key)) and isinstance(value, Mapping):
            found += _wrong(inner[key], value, f"{place}.{key}")
        else:
            found += _refusal(kind, {key: value}, place)
    return found or _refusal(kind, given, place)  # together they may not do either


def _refusal(kind: type[Any], given: Mapping[str, Any], place: str) -> list[ConfigError]:
    try:
        _built(kind, given, place)
    except ConfigError as error:
        return [error]
    return []


def _settings(name: str, entry: PolicyEntry, given: Mapping[str, Any]) -> Any:
    if entry.settings is None:
        if given:
            raise ConfigError(f"settings.{name}.{min(given)}", given[min(given)], _NONE_THERE)
        return None
    return _built(entry.settings, given, f"settings.{name}")


def _built(kind: type[Any], given: Mapping[str, Any], place: str) -> Any:
    known = {field.name: field for field in fields(kind)}
    values = {}
    for key, value in given.items():
        field = f"{place}.{key}"
        if key not in known:
            raise ConfigError(field, value, f"there is no such setting; {_which(key, known)}")
        inner = type(known[key].default)
        if is_dataclass(inner):
            values[key] = _part(inner, value, field)
        else:
            values[key] = _number(value, field, whole=inner is int) if inner in (int, float) else value
    try:
        return kind(**values)
    except ConfigError as error:
        raise ConfigError(f"{place}.{error.field}", error.value, error.remedy) from None


def _which(key: str, known: Iterable[str]) -> str:
    return did_you_mean(key, known) or f"write one of {', '.join(known)}"


def _part(kind: type[Any], value: Any, field: str) -> Any:
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise ConfigError(field, value, "write its settings with their values")
    return _built(kind, value, field)


def _number(value: Any, field: str, whole: bool) -> Any:
    if not is_number(value):
        raise ConfigError(field, value, "write a number")
    if whole and value != value // 1:
        raise ConfigError(field, value, "write a whole number")
    return value
