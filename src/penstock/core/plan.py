"""What a controller may do, as values: decisions made of moves, each with its reason and expectation."""

from dataclasses import dataclass, replace
from enum import StrEnum

from penstock.core.known.outlook import JobOutlook
from penstock.core.known.prediction import Foretold, PredictionError
from penstock.core.levers import Move, Slots, Tasks, ThreadMove

AGAIN = "will be checked again"  # what a verdict says that is no good news and not the last one
_AGAIN_BEFORE = "to be looked at again"  # the same in the records of earlier penstocks
_LOST = "not checked again: governing restarted before that"
_TOO_SOON = "the record ends before the next check"
_NEVER_LOOKED = "governing restarted before the result could be measured"
_NEVER_SETTLED = "the run ended too early"
_NEXT_LOOK = 2.5  # times as long after the decision the next look is due, where an earlier penstock did not say


class Reason(StrEnum):
    """Short reasons for events, after the fashion of cluster managers."""

    RECONFIGURED = "Reconfigured"
    REDUCED = "Reduced"
    REVERTED = "Reverted"
    RESCALED = "Rescaled"
    REROUTED = "Rerouted"
    ASKED = "Asked"  # by a person
    ADVISED = "Advised"  # said and not done


@dataclass(frozen=True, slots=True)
class Decision:
    """Whom, what, from what to what, why, and what utility is expected of it.

    `foretold` is the prediction that it was made on, tenant by tenant, also of those that it does not touch.
    """

    reason: Reason
    moves: tuple[Move, ...]
    why: str  # one sentence that a tenant understands
    at_s: float
    utility_before: float
    expected_utility: float | None = None
    foretold: tuple[Foretold, ...] = ()

    @property
    def jobs(self) -> tuple[str, ...]:
        """The jobs it touches, by name; `WHOLE` among them for a turn of the whole application."""
        return tuple(sorted({move.job for move in self.moves}))

    @property
    def thread_moves(self) -> tuple[ThreadMove, ...]:
        """The moves of slots and of operators' threads: what one has, another has not."""
        return tuple(move for move in self.moves if isinstance(move, Slots | Tasks))


NO_CHANGE = 0.005  # of the utility that those concerned could have: less is noise


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
    `place` is that of the decision among those of its instant: of several verdicts on it the last one holds. Without
    a place verdicts on an instant belong to its decisions in their order, one each. Where the decision is looked at
    `again`, that may be until `again_until_s`.
    """

    decided_at_s: float
    judged_at_s: float
    utility_came: float | None
    text: str
    effect: Effect | None = None
    place: int | None = None
    again: bool = False  # the decision is looked at once more: another verdict on it comes
    again_until_s: float | None = None

    def as_of(self, last_s: float, goes_on: bool) -> "Verdict":
        """What it says to a reader of a record that ends then: nobody looks again where nobody is there to do it.

        >>> first = Verdict(0.0, 60.0, 5.0, f"worse; {AGAIN}", Effect.WORSE, again=True)
        >>> first.as_of(90.0, goes_on=True) == first, first.as_of(90.0, goes_on=False).text
        (True, 'worse; the record ends before the next check')
        """
        missed = last_s > self._until_s
        if not self.again or (goes_on and not missed):
            return self
        instead = _LOST if missed else _TOO_SOON
        text = self.text.replace(AGAIN, instead).replace(_AGAIN_BEFORE, instead)
        return replace(self, text=text, again=False, again_until_s=None)

    @property
    def _until_s(self) -> float:
        if self.again_until_s is not None:
            return self.again_until_s
        return self.decided_at_s + _NEXT_LOOK * (self.judged_at_s - self.decided_at_s)


def never_judged(decided_at_s: float, last_s: float, missed: bool) -> Verdict:
    """What a record that ends then says of a decision without a verdict; `missed` where it went on for long after it.

    >>> never_judged(20.0, 40.0, missed=False).text
    'not judged: the run ended too early'
    """
    why = _NEVER_LOOKED if missed else _NEVER_SETTLED
    return Verdict(decided_at_s, last_s, None, f"not judged: {why}", Effect.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a policy wants done this round; `note` says in words why nothing, or nothing more.

    `outlooks` are those of the jobs that it looked at, where it plans ahead. `errors` are how far off its predictions
    have been so far, by tenant: all of them in every cycle, for who looks sees the newest. `shortfall` is the sentence
    that says that no shares meet all intents, what is best then, and what would do; empty while some do. `again_s`
    is how soon the policy wants to be asked again, where the next round would be later.
    """

    decisions: tuple[Decision, ...] = ()
    note: str = ""
    verdicts: tuple[Verdict, ...] = ()
    outlooks: tuple[JobOutlook, ...] = ()
    errors: tuple[PredictionError, ...] = ()
    shortfall: str = ""
    again_s: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One deed for an engine: all moves of one job, to be done whole or not at all."""

    job: str
    moves: tuple[Move, ...]


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
