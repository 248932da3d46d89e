"""Intents as they stand in a file."""

from typing import Any

from pydantic import BaseModel, ConfigDict

from penstock.core.intents import Intent, Juice, Latency, Objective, Recovery


class IntentPart(BaseModel):
    """Each target that is given counts, with the same utility and shape."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    latency: float | str | None = None
    percentile: float | None = None
    juice: float | None = None
    recovery: float | str | None = None
    utility: float = 1.0
    shape: str = "knee"
    points: tuple[tuple[float | str, float], ...] = ()
    zero_at: float | str | None = None
    spread: float = 1.0

    def objectives(self) -> list[Objective]:
        """One objective for each target."""
        alike: dict[str, Any] = {"utility": self.utility, "shape": self.shape, "spread": self.spread}
        if self.points:
            alike["points"] = self.points
        if self.zero_at is not None:
            alike["zero_at"] = self.zero_at
        found: list[Objective] = []
        if self.latency is not None:
            found.append(Latency(self.latency, percentile=self.percentile, **alike))
        if self.juice is not None:
            found.append(Juice(self.juice, **alike))
        if self.recovery is not None:
            found.append(Recovery(self.recovery, **alike))
        return found


def intent_of(parts: tuple[IntentPart, ...]) -> Intent:
    """The intent that the parts state together."""
    return Intent(*(objective for part in parts for objective in part.objectives()))
