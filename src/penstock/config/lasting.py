"""How often an intent may be missed, when it holds, and when nothing is asked: as they stand in a file.

budget: {keep: 99%, windows: 5m, over: 28d}               # of a tenant: 99 % of five-minute windows
excluded:                                                  # of a tenant, or of the whole file
  - {from: 2026-12-24 18:00, to: 2026-12-27 06:00, zone: Europe/Berlin, why: the brokers are moved}
intent: {latency: 2s, hours: {from: "06:00", to: "20:00", days: mon-fri, zone: Europe/Berlin}}
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from penstock.config.fields import PositiveSeconds, within
from penstock.core.asked.budget import Budget, share_of
from penstock.core.asked.hours import Excluded, Hours, instant_of
from penstock.core.asked.intents import Intent
from penstock.errors import ConfigError

_SHARE = {
    "anyOf": [{"type": "number", "minimum": 0.5, "maximum": 1}, {"type": "string", "pattern": r"^\s*\d+(\.\d+)?%$"}]
}
_TEXT = {"type": "string"}
_TIME = {"anyOf": [{"type": "string", "pattern": r"^\d{1,2}:\d{2}$"}, {"type": "integer"}]}
_DAYS = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}


def _share(value: object) -> float:
    try:
        return share_of(value, "share")
    except ConfigError as error:
        raise ValueError(error.remedy) from None


def _as_text(value: object) -> str:
    """What YAML reads as an instant or a day, as it was written."""
    return str(value)


KeptShare = Annotated[float, BeforeValidator(_share), WithJsonSchema(_SHARE)]
Instant = Annotated[str, BeforeValidator(_as_text), WithJsonSchema(_TEXT)]
TimeOfDay = Annotated[Any, WithJsonSchema(_TIME)]
Days = Annotated[Any, WithJsonSchema(_DAYS)]


class _Lasting(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class BudgetPart(_Lasting):
    """So many windows are to be good, over so long a time; a window is good where enough of its looks are."""

    keep: KeptShare
    windows: PositiveSeconds = 300.0
    over: PositiveSeconds = 28 * 86_400.0
    each: KeptShare = 1.0

    @model_validator(mode="after")
    def _fits(self) -> "BudgetPart":
        _checked(self.budget)
        return self

    def budget(self) -> Budget:
        """As the house knows it."""
        return Budget.of(self.keep, self.windows, self.over, self.each)


class HoursPart(_Lasting):
    """When a target holds."""

    from_: TimeOfDay = Field("00:00", alias="from")
    to: TimeOfDay = "24:00"
    days: Days = None
    zone: str = "UTC"

    @model_validator(mode="after")
    def _fits(self) -> "HoursPart":
        _checked(self.hours)
        return self

    def hours(self) -> Hours:
        """As the house knows them."""
        return Hours.of(self.from_, self.to, self.days, self.zone)


class ExcludedPart(_Lasting):
    """A period in which nothing is asked, and why."""

    from_: Instant = Field(alias="from")
    to: Instant
    zone: str = "UTC"
    why: Annotated[str, Field(min_length=1, max_length=200)]

    @model_validator(mode="after")
    def _fits(self) -> "ExcludedPart":
        _checked(self.excluded)
        return self

    def excluded(self) -> Excluded:
        """As the house knows it."""
        begins_s, ends_s = instant_of(self.from_, self.zone, "from"), instant_of(self.to, self.zone, "to")
        if begins_s >= ends_s:
            raise ConfigError("to", self.to, "write an instant after that of from")
        return Excluded(begins_s, ends_s, self.why)


MOST_EXCLUDED = 100
ExcludedParts = Annotated[tuple[ExcludedPart, ...], Field(max_length=MOST_EXCLUDED)]


def lasting(intent: Intent, budget: BudgetPart | None, excluded: Iterable[ExcludedPart]) -> Intent:
    """The intent with its budget, and without the periods in which nothing is asked."""
    return intent.lasting(None if budget is None else budget.budget(), [one.excluded() for one in excluded])


def _checked(build: Callable[[], object]) -> None:
    try:
        build()
    except ConfigError as error:
        raise within(error) from None
