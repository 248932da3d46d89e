"""Orders: what people ask of a running controller. The loop reads them at the start of each cycle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from penstock.core.asked.intents import Intent
from penstock.core.levers import ALL_OPERATORS, WHOLE, Kind, figure_text
from penstock.core.plan import Decision


class Act(StrEnum):
    """What can be asked."""

    PAUSE = "pause"  # see, but decide nothing
    RESUME = "resume"
    DRY_RUN = "dry-run"  # decide and say so, but do nothing
    DO = "do"  # no dry run any more
    INTENT = "intent"  # want something else of a job
    TURN = "turn"  # a lever, once
    APPROVE = "approve"
    REFUSE = "refuse"
    START = "start"  # a job that does not run, now rather than when it is due


# What each act says something about until another one says it anew; None: it is done once. A store keeps the newest of
# each, of the same job: each act has to stand here, or no store knows what to keep of it.
HOLDS: Mapping[Act, str | None] = {
    Act.PAUSE: "whether it governs",
    Act.RESUME: "whether it governs",
    Act.DRY_RUN: "whether it acts",
    Act.DO: "whether it acts",
    Act.INTENT: "what a job wants",
    Act.TURN: None,
    Act.APPROVE: None,
    Act.REFUSE: None,
    Act.START: None,
}


@dataclass(frozen=True, slots=True)
class Wish:
    """A lever that is to be turned to a value, in the unit of its kind; None: a batch without a bound.

    >>> Wish("bound", "ads", 2000).text, Wish("tasks", "ads", 6, "map").text, Wish("executors", WHOLE, 4).text
    ('ads: bound 2,000 rows', 'ads: tasks of map 6', 'executors 4')
    """

    kind: Kind
    job: str
    value: float | None
    operator: str = ALL_OPERATORS

    @property
    def text(self) -> str:
        """In the words of `penstock control`."""
        whose = "" if self.job == WHOLE else f"{self.job}: "
        of = "" if self.operator == ALL_OPERATORS else f" of {self.operator}"
        return f"{whose}{self.kind}{of} {figure_text(self.kind, self.value)}"


@dataclass(frozen=True, slots=True)
class Request:
    """One act of a person: who asks for what, when (epoch seconds)."""

    act: Act
    who: str
    at_epoch_s: float
    job: str | None = None
    intent: Intent | None = None
    proposal: int | None = None
    turn: Wish | None = None

    def text(self) -> str:
        """What it is about, in words; empty where the act says it all."""
        if self.intent is not None:
            return f"{self.job}: {self.intent.text()}"
        if self.turn is not None:
            return self.turn.text
        if self.act is Act.START:
            return str(self.job)
        return "" if self.proposal is None else f"proposal {self.proposal}"


class Answer(StrEnum):
    """Where a proposal stands."""

    OPEN = "open"
    APPROVED = "approved"
    REFUSED = "refused"
    DONE = "done"  # approved, and handed to the engine
    EXPIRED = "expired"  # nobody answered in time, or what it was about has changed meanwhile


@dataclass(frozen=True, slots=True)
class Proposal:
    """A decision that is not carried out before its tenant says yes."""

    number: int
    decision: Decision
    answer: Answer = Answer.OPEN
    who: str | None = None  # who answered
    answered_at_s: float | None = None  # on the run's clock


@dataclass(frozen=True, slots=True)
class Orders:
    """All that was asked so far, as it holds now. `dry_run` is None while nobody has said anything about it.

    `held` names the jobs that are to be left as they are: a proposal for them waits, or was refused lately.
    `turns` are the requests to turn a lever that were not heard before, `starts` the jobs that are to be started: each
    is for this cycle only.
    """

    paused_by: str | None = None
    dry_run: bool | None = None
    intents: Mapping[str, Intent] = field(default_factory=dict)
    approved: tuple[Proposal, ...] = ()
    held: frozenset[str] = frozenset()
    turns: tuple[Request, ...] = ()
    starts: tuple[str, ...] = ()


class Control(Protocol):
    """Where the loop hears what people ask, and where it asks them."""

    def orders(self, now: float) -> Orders:
        """What holds from this cycle on."""

    def propose(self, decision: Decision) -> None:
        """Ask whether this may be done."""

    def settle(self, proposal: Proposal, answer: Answer, now: float) -> None:
        """Say what became of an approved proposal: that it is done, after the deed."""

    def turned(self, now: float) -> None:
        """The levers of this cycle were turned and its jobs started, or that was refused."""

    def leave(self) -> None:
        """Governing ends in order: nobody hears from here on."""


@dataclass(frozen=True, slots=True)
class NoControl:
    """Nobody asks anything, and nobody can be asked."""

    def orders(self, now: float) -> Orders:
        return Orders()

    def propose(self, decision: Decision) -> None:
        """Nobody will answer."""

    def settle(self, proposal: Proposal, answer: Answer, now: float) -> None:
        """There are no proposals."""

    def turned(self, now: float) -> None:
        """Nobody asked for any."""

    def leave(self) -> None:
        """Nobody was heard before, either."""
