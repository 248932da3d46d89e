"""What is wanted of queries that somebody else starts: of a tenants file the names, intents and limits, and how.

A whole tenants file does, and so does one that says no more than

jobs:
  - name: fraud                   # the query's name
    intent: {latency: 2s, percentile: 95, utility: 35}
    max_slots: 6

Whoever governs them also reads its policy, settings, interval, window and approval, budgets and excluded periods.
Where it has a `price` of slots or executors, what tenants cost is told, and what slots that would be enough would.
"""

from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from penstock.config.asked import AskedPart, Asking
from penstock.config.document import Document
from penstock.config.fields import A_NUMBER, PolicySettings, PositiveSeconds, SlotCount
from penstock.config.lasting import ExcludedParts
from penstock.config.pricing import PricePart
from penstock.config.problems import tried
from penstock.config.relations import MOST_JOBS
from penstock.core.asked.slot_limits import SlotLimits
from penstock.errors import refuse


class WantedPart(AskedPart):
    """What is wanted of one query; whatever else a tenants file says of it is another matter."""

    min_slots: Annotated[int, Field(ge=0, le=100_000), A_NUMBER] = 1
    max_slots: SlotCount | None = None

    def limits(self) -> SlotLimits:
        """The slots it may have."""
        return SlotLimits(self.min_slots, self.max_slots)


class WantedFile(Asking, BaseModel):
    """What is wanted of all."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    policy: str | None = None
    settings: PolicySettings = {}
    interval: PositiveSeconds = 10.0
    window: PositiveSeconds = 60.0
    excluded: ExcludedParts = ()
    price: PricePart | None = None
    jobs: Annotated[tuple[WantedPart, ...], Field(min_length=1, max_length=MOST_JOBS)]


def wanted_in(document: Document) -> WantedFile:
    """What a document wants, checked."""
    found, errors = tried(WantedFile, document.values, document)
    refuse(errors)
    assert found is not None  # nothing was wrong
    return found
