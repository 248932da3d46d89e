"""An engine, a policy, a store and people's requests, each asked through a hand: none holds a round up for long.

What is asked while the call before has not come to an end is refused at once or soon, and the round says so. A call
that nobody waits for any more goes on to its end: a store keeps what it was given, what people asked is heard in the
next round, what a policy decided is dropped.
"""

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Protocol, TypeVar

from penstock.core.asked.budget import Budget, BudgetWindow
from penstock.core.asked.orders import Answer, Control, Orders, Proposal
from penstock.core.cycle import Cycle, PastCycle
from penstock.core.levers import WHOLE
from penstock.core.plan import Decision
from penstock.core.ports import PolicyMemory, Store
from penstock.engines.hand import Awaited, CycleLimits, Hand, Within, as_long
from penstock.errors import PenstockError, told

T = TypeVar("T")

_log = logging.getLogger("penstock")

# Rounds are 10 s apart, and no two more than 30 s, whatever hangs: one interval, a look at the jobs, and the quarter of
# a second in which that is found out; or one interval, what is done between rounds, and a look that waits behind it.
STARTS_WITHIN_S = 4.0  # a start is only asked for; the look at the jobs comes after it
SEES_WITHIN_S = 19.0  # a hundred jobs are seen in one second
TENDS_WITHIN_S = 10.0  # what takes longer goes on, and rounds that see nothing say so
ACTS_WITHIN_S = 19.0  # as a look at the jobs; a step only asks, and a restart goes on beside the rounds
DECIDES_WITHIN_S = 19.0  # as a look at the jobs
_BEHIND_S = 9.0
# What is slow and comes in time all the same adds up: all that is done from the last look between two rounds on has so
# long together, and the later parts of it what is left, but a moment.
ROUND_S = 24.0
_A_MOMENT_S = 2.0
_LATE = "it took longer than a round waits for it"
# A database answers within 3 s or not at all; what is asked of it in a round is some few answers.
KEEPS_WITHIN_S = 15.0
CHECKS_WITHIN_S = 3.0  # what is to be done waits for it
LOOKS_WITHIN_S = 9.0
TELLS_WITHIN_S = 9.0


@dataclass(frozen=True, slots=True)
class HandedStore:
    """Keeps as its store does; behind a call that stands still it waits for nothing."""

    store: Store
    hand: Hand
    left: Callable[[float], float] = as_long

    def append(self, cycle: Cycle) -> None:
        self._do("keeping the round", lambda: self.store.append(cycle))

    def announce(self, cycle: Cycle) -> None:
        self._do("keeping what is about to be done", lambda: self.store.announce(cycle))

    def check_ours(self) -> None:
        self.hand.do("asking whose the run is", self.store.check_ours, self.left(CHECKS_WITHIN_S), behind_s=0.0)

    def last_memory(self, policy: str, memory_type: type[PolicyMemory]) -> PolicyMemory | None:
        return self._do("recalling the policy's memory", lambda: self.store.last_memory(policy, memory_type))

    def past_cycles(self, decided_from_s: float, before_s: float) -> Sequence[PastCycle]:
        return self._do("recalling open decisions", lambda: self.store.past_cycles(decided_from_s, before_s))

    def windows(self, job: str, asked: Budget, at_epoch_s: float) -> Sequence[BudgetWindow]:
        return self._do("recalling an error budget", lambda: self.store.windows(job, asked, at_epoch_s))

    def _do(self, what: str, call: Callable[[], T]) -> T:
        return self.hand.do(what, call, self.left(KEEPS_WITHIN_S), behind_s=0.0)


class NotesDone(Protocol):
    """Has it in the record that something was done; see `Governable`."""

    def __call__(self, text: str, why: str, job: str | None = None, error: str | None = None) -> None:
        """It was done to that job, or to all, unless there is an error."""


def unnoted(text: str, why: str, job: str | None = None, error: str | None = None) -> None:
    """Where nobody keeps a record of it."""


class RoundTime:
    """How long one round has taken so far, and what was done right before it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began_s = clock()

    def begin(self) -> None:
        """A round may follow what is done now."""
        self._began_s = self._clock()

    def left(self, within_s: float) -> float:
        """So long, or what is left of the round."""
        return max(_A_MOMENT_S, min(within_s, ROUND_S - (self._clock() - self._began_s)))


@dataclass(frozen=True, slots=True)
class Acting:
    """Steps carried out by a hand; what comes of them when nobody waits for it any more is noted.

    Meanwhile no others are begun.
    """

    hand: Hand
    note: NotesDone
    left: Callable[[float], float] = as_long

    def do(self, what: str, call: Callable[[], T]) -> T:
        """What came of them, within the time."""
        return self.hand.do(what, call, self.left(ACTS_WITHIN_S), behind_s=0.0, late=self._tell)

    def _tell(self, late: Awaited[T]) -> None:
        outcome: Any
        try:
            outcome = late.result()
        except PenstockError as error:
            self.note("how much was done of a round's steps is not known", _LATE, error=told(error))
            return
        for one in outcome.steps:
            job = None if one.step.job == WHOLE else one.step.job
            self.note(", ".join(move.text for move in one.step.moves), _LATE, job, one.error)


@dataclass(frozen=True, slots=True)
class Late:
    """What a control came to after nobody waited for it any more: no request is lost by that."""

    heard: deque[Orders] = field(default_factory=deque)

    def taken(self) -> Orders:
        """The newest orders, with what was to be done by earlier ones; each is given once."""
        heard = [self.heard.popleft() for _ in range(len(self.heard))]
        newest, turns = heard[-1], tuple(turn for one in heard for turn in one.turns)
        starts = tuple(job for one in heard for job in one.starts)
        return replace(newest, turns=turns, starts=starts)


@dataclass(frozen=True, slots=True)
class HandedControl:
    """Hears and asks as its control does; it shares the hand of the store, whose database it is mostly kept in."""

    control: Control
    hand: Hand
    late: Late
    left: Callable[[float], float] = as_long

    def orders(self, now: float) -> Orders:
        self._do("hearing orders", lambda: self.late.heard.append(self.control.orders(now)))
        return self.late.taken()

    def propose(self, decision: Decision) -> None:
        self._do("asking a tenant", lambda: self.control.propose(decision))

    def settle(self, proposal: Proposal, answer: Answer, now: float) -> None:
        self._do("settling a proposal", lambda: self.control.settle(proposal, answer, now))

    def turned(self, now: float) -> None:
        self._do("noting what was turned", lambda: self.control.turned(now))

    def leave(self) -> None:
        self._do("leaving a last sign", self.control.leave)

    def _do(self, what: str, call: Callable[[], T]) -> T:
        return self.hand.do(what, call, self.left(KEEPS_WITHIN_S), behind_s=0.0)


@dataclass(frozen=True, slots=True)
class Hands:
    """Those of one controller: a policy that stands still keeps nobody from hearing and recording, nor the reverse.

    Nor does who listens to its rounds, or the file that says what is wanted.
    """

    deciding: Hand = field(default_factory=Hand)
    keeping: Hand = field(default_factory=Hand)
    telling: Hand = field(default_factory=Hand)
    looking: Hand = field(default_factory=Hand)
    late: Late = field(default_factory=Late)
    round: RoundTime = field(default_factory=RoundTime)

    @classmethod
    def awaited_by(cls, pause: Callable[[Event, float], bool]) -> "Hands":
        """Whose callers wait so."""
        return cls(Hand(pause=pause), Hand(pause=pause), Hand(pause=pause), Hand(pause=pause))

    def limits(self, engine: Hand | None = None, note: NotesDone = unnoted) -> CycleLimits:
        """Of rounds whose policy is asked through a hand, and their engine through that one, where it may hang.

        `note` is told of steps that were done after nobody waited for them any more.
        """
        left = self.round.left
        deciding = Within(self.deciding, DECIDES_WITHIN_S, _BEHIND_S, left)
        if engine is None:
            return CycleLimits(deciding=deciding)
        starting = Within(engine, STARTS_WITHIN_S, 0.0, left)
        seeing = Within(engine, SEES_WITHIN_S, _BEHIND_S, left)
        return CycleLimits(starting, seeing, deciding, Acting(engine, note, left))

    def store(self, store: Store) -> Store:
        """Asked through a hand."""
        return HandedStore(store, self.keeping, self.round.left)

    def control(self, control: Control) -> Control:
        """Asked through a hand."""
        return HandedControl(control, self.keeping, self.late, self.round.left)

    def tell(self, listen: Callable[[], None]) -> None:
        """Let somebody hear of a round; who has not listened to the one before to its end is left out."""
        self.telling.do("who listens", listen, self.round.left(TELLS_WITHIN_S), behind_s=0.0)

    def look(self, look: Callable[[], None]) -> None:
        """Look at what is wanted, whose file may be on a mount that hangs."""
        self.looking.do("looking at the file of what is wanted", look, LOOKS_WITHIN_S, behind_s=0.0)

    def let_go(self, close: Callable[[], None]) -> None:
        """Close what is remembered in; what stands still keeps nobody from ending."""
        try:
            self.keeping.do("closing the store", close, KEEPS_WITHIN_S, behind_s=0.0)
        except PenstockError as error:
            _log.warning("the run's record was not closed: %s", error)
        finally:
            self.deciding.close()
            self.keeping.close()
            self.telling.close()
            self.looking.close()
