"""Intents as they stand in a file."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from penstock.config.fields import Amount, PositiveSeconds, within
from penstock.config.lasting import HoursPart
from penstock.core.asked.intents import Intent, Juice, Latency, Objective, Recovery, shaped
from penstock.errors import ConfigError


class IntentPart(BaseModel):
    """Each target that is given counts, with the same utility and shape.

    Beside latency or juice a recovery target bounds plans; alone it is an objective with a utility of its own.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)

    latency: PositiveSeconds | None = None
    percentile: Amount | None = None
    juice: Amount | None = None
    recovery: PositiveSeconds | None = None
    certainty: Amount | None = None
    utility: Amount = 1.0
    shape: str = "knee"
    points: tuple[tuple[float | str, float], ...] = ()
    zero_at: float | str | None = None
    spread: Amount = 1.0
    hours: HoursPart | None = None

    def objectives(self) -> list[Objective]:
        """One objective for each target."""
        alike: dict[str, Any] = {"utility": self.utility, "shape": self.shape, "spread": self.spread}
        if self.hours is not None:
            alike["hours"] = self.hours.hours()
        if self.points:
            alike["points"] = self.points
        if self.zero_at is not None:
            alike["zero_at"] = self.zero_at
        found: list[Objective] = []
        if self.latency is not None:
            found.append(Latency(self.latency, percentile=self.percentile, **alike))
        if self.juice is not None:
            found.append(Juice(self.juice, **alike))
        if self.recovery is not None and not found:
            found.append(Recovery(self.recovery, **alike))
        return found


def intent_of(parts: tuple[IntentPart, ...], field: str, before: Intent | None = None) -> Intent:
    """The intent that the parts state together; `field` is their place in the file, for errors.

    A part that names no shape keeps the one that its target had in the intent before.
    """
    try:
        objectives = [_kept(objective, part, before) for part in parts for objective in part.objectives()]
        bound = next((part.recovery for part in parts if part.recovery is not None), None)
        certainty = next((part.certainty for part in parts if part.certainty is not None), None)
        return Intent(*objectives, recovery=bound, certainty=certainty)
    except ConfigError as error:
        raise ConfigError(f"{field}.{error.field}", error.value, error.remedy) from None


def that_hold(parts: tuple[IntentPart, ...]) -> tuple[IntentPart, ...]:
    """The parts, for fields of files; an error where they state no intent together."""
    try:
        intent_of(parts, "intent")
    except ConfigError as error:
        raise within(ConfigError(error.field.removeprefix("intent."), error.value, error.remedy)) from None
    return parts


def _kept(objective: Objective, part: IntentPart, before: Intent | None) -> Objective:
    if before is None or "shape" in part.model_fields_set:
        return objective
    known = before.resting if before.rests else before.objectives
    alike = (one for one in known if _about(one) == _about(objective))
    return next((shaped(objective, one.shape) for one in alike), objective)


def _about(objective: Objective) -> tuple[type, float | None]:
    return type(objective), objective.percentile if isinstance(objective, Latency) else None
