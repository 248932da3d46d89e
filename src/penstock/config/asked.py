"""What is asked of jobs, as each file asks it: of tenants, of queries that run already, of another engine's jobs."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from penstock.config.fields import OneOrMore
from penstock.config.intents import IntentPart, intent_of, that_hold
from penstock.config.lasting import BudgetPart, ExcludedPart, ExcludedParts, lasting
from penstock.core.asked.intents import Intent


class AskedPart(BaseModel):
    """What is asked of one job, on whatever engine."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    name: Annotated[str, Field(min_length=1, max_length=300)]
    intents: Annotated[tuple[IntentPart, ...], AfterValidator(that_hold), OneOrMore, Field(alias="intent")]
    budget: BudgetPart | None = None
    excluded: ExcludedParts = ()
    approval: bool = False


class _NamedJob(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def intents(self) -> tuple[IntentPart, ...]: ...
    @property
    def budget(self) -> BudgetPart | None: ...
    @property
    def excluded(self) -> Sequence[ExcludedPart]: ...


class _FileOfJobs(Protocol):
    @property
    def jobs(self) -> Sequence[_NamedJob]: ...
    @property
    def excluded(self) -> Sequence[ExcludedPart]: ...


class Asking:
    """A file that asks something of jobs."""

    def asked(self: _FileOfJobs) -> dict[str, Intent]:
        """What is wanted of each job, by name, but for the periods that are excluded for all, or for it alone."""
        asked: dict[str, Intent] = {}
        for part in self.jobs:
            intent = intent_of(part.intents, f"jobs.{part.name}.intent")
            asked[part.name] = lasting(intent, part.budget, (*self.excluded, *part.excluded))
        return asked
