"""What a controller may do, as values: decisions made of changes, each with its reason and expectation."""

from dataclasses import dataclass
from enum import StrEnum

from penstock.core.outlook import JobOutlook
from penstock.core.routes import Reroute


class Reason(StrEnum):
    """Short reasons for events, after the fashion of cluster managers."""

    RECONFIGURED = "Reconfigured"
    REDUCED = "Reduced"
    REVERTED = "Reverted"
    RESCALED = "Rescaled"
    REROUTED = "Rerouted"
    ADVISED = "Advised"  # said and not done


@dataclass(frozen=True, slots=True)
class Change:
    """One operator of one job, from so many threads (or slots) to so many."""

    job: str
    operator: str
    before: int
    after: int

    @property
    def undo(self) -> "Change":
        """The change that takes this one back."""
        return Change(self.job, self.operator, self.after, self.before)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whom, what, from what to what, why, and what utility is expected of it."""

    reason: Reason
    changes: tuple[Change, ...]
    why: str  # one sentence that a tenant understands
    at_s: float
    utility_before: float
    expected_utility: float | None = None
    reroute: Reroute | None = None

    @property
    def jobs(self) -> tuple[str, ...]:
        """The jobs it touches, by name."""
        routed = {self.reroute.job} if self.reroute is not None else set()
        return tuple(sorted({change.job for change in self.changes} | routed))


class Effect(StrEnum):
    """What a decision did to those whom it concerned."""

    BETTER = "better"
    SAME = "no change"
    WORSE = "worse"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a decision, once the utilities of those whom it concerned were quiet again.

    `utility_came` is what all tenants would have together had only those changed: it stands beside the decision's
    `utility_before` and `expected_utility`. None where nobody knows. Verdicts of earlier penstocks have no `effect`.
    """

    decided_at_s: float
    judged_at_s: float
    utility_came: float | None
    text: str
    effect: Effect | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What a policy wants done this round; `note` says in words why nothing, or nothing more.

    `outlooks` are those of the jobs that it looked at, where it plans ahead.
    """

    decisions: tuple[Decision, ...] = ()
    note: str = ""
    verdicts: tuple[Verdict, ...] = ()
    outlooks: tuple[JobOutlook, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One deed for an engine: a decision's changes to one job, to be done whole or not at all."""

    job: str
    changes: tuple[Change, ...]
    reroute: Reroute | None = None


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What came of a step: `error` is None when it was done, else why it was not.

    `undone` says of a step that failed whether what had been done of it was taken back; None: there was nothing.
    """

    step: Step
    error: str | None = None
    undone: bool | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the engine did of a plan."""

    steps: tuple[StepOutcome, ...] = ()

    @property
    def failed(self) -> tuple[StepOutcome, ...]:
        """The steps that were not done."""
        return tuple(step for step in self.steps if step.error is not None)
