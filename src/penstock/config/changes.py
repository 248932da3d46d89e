"""What a changed tenants file changes of a run: what is taken over meanwhile, and what waits for another start. Pure.

taken over   intents, budgets, excluded periods, min_slots and max_slots, the price, settings of policies
left         all else: what Spark, a query or the loop was begun with; a job that came or went
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.config.intents import IntentPart
from penstock.config.lasting import ExcludedPart
from penstock.config.pricing import PricePart
from penstock.config.tenants import TenantPart, TenantsFile
from penstock.core.asked.price import Price
from penstock.core.units import text_of_seconds

_OF_JOB = ("intents", "budget", "excluded", "min_slots", "max_slots")
_SECONDS = ("interval", "window", "routing_window", "routing_memory", "trigger", "real_time")
_TURNED = {  # what a job begins with, and the lever that turns it meanwhile
    "slots": "slots",
    "max_rows_per_batch": "bound",
    "trigger": "trigger",
    "partitions": "partitions",
}


@dataclass(frozen=True, slots=True)
class FileChanges:
    """What holds from now on, and in words what is new in it and what of the file is not."""

    running: TenantsFile
    taken: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def changes(running: TenantsFile, wanted: TenantsFile) -> FileChanges:
    """What becomes of a run when its file says something else."""
    new = {part.name: part for part in wanted.jobs}
    jobs = tuple(_taken_over(part, new.get(part.name, part)) for part in running.jobs)
    price = wanted.price if _can_be_told(wanted.price, running) else running.price
    taken = {"settings": wanted.settings, "price": price, "excluded": wanted.excluded, "jobs": jobs}
    after = running.model_copy(update=taken)
    return FileChanges(after, tuple(_taken(running, after)), tuple(_left(after, wanted)))


def _taken_over(part: TenantPart, wanted: TenantPart) -> TenantPart:
    return part.model_copy(update={name: getattr(wanted, name) for name in _OF_JOB})


def _taken(before: TenantsFile, after: TenantsFile) -> Iterator[str]:
    for old, new in zip(before.jobs, after.jobs, strict=True):
        if old.intents != new.intents:
            yield f"{old.name}: intent {_asks(old)} -> {_asks(new)}"
        if old.budget != new.budget:
            yield f"{old.name}: budget {_budgeted(old)} -> {_budgeted(new)}"
        if old.excluded != new.excluded:
            yield f"{old.name}: excluded {_excluded(old.excluded)} -> {_excluded(new.excluded)}"
        for name in ("min_slots", "max_slots"):
            if getattr(old, name) != getattr(new, name):
                yield f"{old.name}: {name} {_text(getattr(old, name))} -> {_text(getattr(new, name))}"
    if before.excluded != after.excluded:
        yield f"excluded for all: {_excluded(before.excluded)} -> {_excluded(after.excluded)}"
    for policy in sorted({*before.settings, *after.settings}):
        if before.settings.get(policy) != after.settings.get(policy):
            yield f"settings of {policy}: {_settings(before, policy)} -> {_settings(after, policy)}"
    if before.price != after.price:
        yield f"price {_priced(before.slot_price())} -> {_priced(after.slot_price())}, for the whole run"


def _left(running: TenantsFile, wanted: TenantsFile) -> Iterator[str]:
    """Of what holds from now on the file differs there."""
    for name in TenantsFile.model_fields:
        if name != "jobs" and getattr(running, name) != getattr(wanted, name):
            yield _goes_on(name, getattr(running, name), getattr(wanted, name))
    here, there = ({part.name: part for part in file.jobs} for file in (running, wanted))
    yield from (f"{name} is new: it starts when the run is started again" for name in there if name not in here)
    yield from (
        f"{name} is gone from the file: its query runs on until this run ends" for name in _without(here, there)
    )
    for name, part in here.items():
        yield from _left_of(part, there.get(name, part))


def _left_of(part: TenantPart, wanted: TenantPart) -> Iterator[str]:
    for name in TenantPart.model_fields:
        old, new = getattr(part, name), getattr(wanted, name)
        if name in _OF_JOB or old == new:
            continue
        lever = _TURNED.get(name)
        now = "" if lever is None or new is None else f"; now: penstock control {lever} {part.name} {_named(name, new)}"
        yield f"{part.name}: {_goes_on(name, old, new)}{now}"


def _without(here: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[str]:
    return (name for name in here if name not in there)


def _can_be_told(price: PricePart | None, running: TenantsFile) -> bool:
    """An executor's price is a slot's only where the run itself was told how many slots an executor has."""
    return price is None or price.slot_hour is not None or running.executor_slots > 0


def _goes_on(name: str, old: Any, new: Any) -> str:
    if isinstance(old, dict) and isinstance(new, dict):  # values of `conf` and `params` may be secrets
        changed = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        return f"{name} ({', '.join(changed)}) takes effect after a restart: this run continues with what it began with"
    before, after = _named(name, old), _named(name, new)
    return f"{name} {before} -> {after} takes effect after a restart: this run continues with {before}"


def _named(name: str, value: Any) -> str:
    return text_of_seconds(value) if name in _SECONDS and value is not None else _text(value)


def _text(value: Any) -> str:
    if isinstance(value, PricePart):
        return "an executor's" if value.slot_hour is None else _text(value.slot_hour)
    if value is None:
        return "none"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _asks(part: TenantPart) -> str:
    """As it was written, so that another utility or shape is seen, too."""
    written = [{**one.model_dump(exclude_unset=True), **_hours(one)} for one in part.intents]
    return " and ".join(", ".join(f"{name} {_text(value)}" for name, value in one.items()) for one in written)


def _hours(part: IntentPart) -> dict[str, str]:
    return {} if part.hours is None else {"hours": part.hours.hours().text()}


def _budgeted(part: TenantPart) -> str:
    return "none" if part.budget is None else part.budget.budget().text()


def _excluded(parts: Sequence[ExcludedPart]) -> str:
    return ", ".join(f"{one.from_} to {one.to} ({one.why})" for one in parts) or "none"


def _settings(file: TenantsFile, policy: str) -> str:
    given = file.settings.get(policy)
    return "none" if not given else _text(given)


def _priced(price: Price | None) -> str:
    return "none" if price is None else price.text(price.slot_hour)
