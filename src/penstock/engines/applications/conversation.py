"""The agent's side of a conversation with a coordinator: what to report, and which orders to carry out. No input, no
output, no clock: whoever has these asks it.

    report sent -> answer: heard            -> the next one says what changed
                           not heard        -> the next one says all
                   order:  newer, in time, within bounds  -> to be carried out, once
                           older, late, out of bounds     -> refused, and told with the next report
                   an earlier epoch                       -> nothing of it counts: somebody else leads, or the one that
                                                             answers has lost its store; it is told, and can go on above
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from penstock.engines.applications.patches import patch
from penstock.engines.applications.wire import Order, Reply, Report, SaidExecutors, SaidState, Serials, plain_state

EVERY_S = 2.0  # between reports, as long as no coordinator says otherwise


@dataclass(frozen=True, slots=True)
class Conversation:
    """How far it has come.

    `epoch` is the newest that was heard of, `applied` the newest order that was taken up; `over` the epoch in which the
    last answer was given where that is an earlier one, else None.
    """

    application: str
    instance: str
    number: int = 0
    said: Mapping[str, Any] | None = None  # the state that was sent last
    heard: tuple[int, Mapping[str, Any]] | None = None  # the last report that was heard, and its state
    bounds: SaidExecutors | None = None
    epoch: int = 0
    applied: Serials = Serials()
    refused: str = ""
    every_s: float = EVERY_S
    over: int | None = None

    @property
    def trouble(self) -> str:
        """Why no order is obeyed, and what to do about it, for those who look after the application; else empty."""
        if self.over is None:
            return ""
        return (
            f"the coordinator that answers leads in epoch {self.over}, which is over: epoch {self.epoch} was heard of, "
            f"from one with another store, or before its store was lost or restored. It is told so, and leads in a "
            f"later one soon; where this does not end, give all coordinators one store, or start this driver again"
        )

    def reporting(self, state: SaidState, leaving: bool = False) -> tuple[Report, "Conversation"]:
        """The next report."""
        plain, number = plain_state(state), self.number + 1
        base, told = (None, plain) if self.heard is None else (self.heard[0], patch(self.heard[1], plain))
        obeys = 0 if self.over is None else self.epoch
        report = Report(self.application, self.instance, number, told, base, self.applied, self.refused, leaving, obeys)
        return report, replace(self, number=number, said=plain, bounds=state.executors)

    def answered(self, answer: Reply, took_s: float) -> tuple[Order | None, "Conversation"]:
        """What to do about an answer that came `took_s` after the report was sent."""
        if answer.epoch < self.epoch:
            why = f"epoch {answer.epoch} is over, {self.epoch} has begun"
            return None, replace(self, heard=None, refused=why, over=answer.epoch)
        knows = answer.heard == self.number and self.said is not None
        heard = (self.number, self.said or {}) if knows else None
        here = replace(self, heard=heard, epoch=answer.epoch, every_s=answer.every_s, over=None)
        order = answer.order
        if order is None or order.serials <= self.applied:
            return None, replace(here, refused="")
        why = self._refusal(order, answer, took_s)
        if why:
            return None, replace(here, refused=why)
        return order, replace(here, applied=order.serials, refused="")

    def failed(self, order: Order, why: str) -> "Conversation":
        """That order was taken up, and could not be carried out."""
        return replace(self, refused=why) if order.serials == self.applied else self

    def _refusal(self, order: Order, answer: Reply, took_s: float) -> str:
        """Why an order is not carried out; empty where nothing speaks against it."""
        bounds = self.bounds
        if order.serials.epoch != answer.epoch:
            return f"an order of epoch {order.serials.epoch}, where {answer.epoch} leads"
        if took_s > answer.lease_s:
            return f"it came after {took_s:.1f} s: the lease of {answer.lease_s:.1f} s has run out"
        if bounds is not None and not bounds.least <= order.executors <= bounds.most:
            return f"{order.executors} executors are not within {bounds.least} to {bounds.most}"
        return ""
