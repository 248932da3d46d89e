"""Whether an agent carries orders out: who was heard often and long without it is not waited for any more.

ordered -> carried out                         it obeys, and the next order is waited for anew
        -> refused, with a reason              it is waited for longer: what hinders it may pass by itself
        -> neither, or refused again and again it obeys nobody, until it carries an order out
"""

from dataclasses import dataclass, replace
from typing import Final, Self

HEARD_REPORTS: Final = 5  # since an order: who is silent may not have heard of it
# An agent takes an order up with its next report; a cluster manager that is away may keep it from asking for longer.
UNHEEDED_S: Final = 60.0
# Who says why is waited for as long as one that is silent is remembered: a cluster manager may be away for minutes.
REFUSED_S: Final = 600.0


@dataclass(frozen=True, slots=True)
class Wait:
    """For something that is to come: since when, and how many reports have come without it."""

    since_s: float
    reports: int = 0

    def another(self) -> "Wait":
        """After one more of them."""
        return replace(self, reports=self.reports + 1)

    def is_over(self, most_s: float, heard_s: float) -> bool:
        """Whether it was waited for longer than that when the last report was heard."""
        return self.reports >= HEARD_REPORTS and heard_s - self.since_s > most_s


@dataclass(frozen=True, slots=True)
class Obedience:
    """What is waited for from an agent: an order `carried_out`, and one that it takes up or refuses (`answered`).

    None: nothing. An order in the place of one that waits begins no new wait.
    """

    carried_out: Wait | None = None
    answered: Wait | None = None

    def ordered(self, now: float) -> Self:
        """After a new order."""
        return replace(self, carried_out=self.carried_out or Wait(now), answered=self.answered or Wait(now))

    def after(self, done: bool, refused: bool) -> Self:
        """After another report, which told of the order carried out, or of why not, or of neither."""
        if done:
            return replace(self, carried_out=None, answered=None)
        answered = None if refused or self.answered is None else self.answered.another()
        return replace(self, carried_out=self.carried_out and self.carried_out.another(), answered=answered)

    def obeys(self, heard_s: float) -> bool:
        """Whether orders to it are worth while; `heard_s` is when it was heard last."""
        return not self.unanswered(heard_s) and not self.refuses(heard_s)

    def unanswered(self, heard_s: float) -> bool:
        """Whether it neither carries orders out nor says why not."""
        return self.answered is not None and self.answered.is_over(UNHEEDED_S, heard_s)

    def refuses(self, heard_s: float) -> bool:
        """Whether it carries none out, whatever it says."""
        return self.carried_out is not None and self.carried_out.is_over(REFUSED_S, heard_s)
