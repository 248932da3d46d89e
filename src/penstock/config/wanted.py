"""What is wanted of queries that somebody else starts: of a tenants file the names, intents and limits, and how.

A whole tenants file does, and so does one that says no more than

jobs:
  - name: fraud                   # the query's name
    intent: {latency: 2s, percentile: 95, utility: 35}
    max_slots: 6

Whoever governs them also reads its policy, settings, interval, window and approval, budgets and excluded periods.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from penstock.config.document import Document
from penstock.config.fields import A_NUMBER, OneOrMore, PolicySettings, PositiveSeconds, SlotCount
from penstock.config.intents import IntentPart, intent_of, that_hold
from penstock.config.lasting import BudgetPart, ExcludedPart, ExcludedParts, lasting
from penstock.config.problems import tried
from penstock.config.relations import MOST_JOBS
from penstock.core.intents import Intent
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.shares import SlotLimits
from penstock.errors import refuse


class AskedPart(BaseModel):
    """What is asked of one job, on whatever engine."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    name: Annotated[str, Field(min_length=1, max_length=300)]
    intents: Annotated[tuple[IntentPart, ...], AfterValidator(that_hold), OneOrMore, Field(alias="intent")]
    budget: BudgetPart | None = None
    excluded: ExcludedParts = ()
    approval: bool = False

    def intent(self, excluded: Sequence[ExcludedPart] = ()) -> Intent:
        """As policies know it."""
        asked = intent_of(self.intents, f"jobs.{self.name}.intent")
        return lasting(asked, self.budget, (*excluded, *self.excluded))


class WantedPart(AskedPart):
    """What is wanted of one query; whatever else a tenants file says of it is another matter."""

    min_slots: Annotated[int, Field(ge=0, le=100_000), A_NUMBER] = 1
    max_slots: SlotCount | None = None

    def job(self) -> Job:
        """As an engine knows it."""
        return Job(self.name, limits=SlotLimits(self.min_slots, self.max_slots))


class WantedFile(BaseModel):
    """What is wanted of all."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    policy: str | None = None
    settings: PolicySettings = {}
    interval: PositiveSeconds = 10.0
    window: PositiveSeconds = 60.0
    excluded: ExcludedParts = ()
    jobs: Annotated[tuple[WantedPart, ...], Field(min_length=1, max_length=MOST_JOBS)]

    def asked(self) -> dict[str, Intent]:
        """What is wanted of each, by name."""
        return {part.name: part.intent(self.excluded) for part in self.jobs}


def wanted_in(document: Document) -> WantedFile:
    """What a document wants, checked."""
    found, errors = tried(WantedFile, document.values, document)
    refuse(errors)
    assert found is not None  # nothing was wrong
    return found
