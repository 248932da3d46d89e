"""The controller's side of the desk: requests folded into the orders that hold now."""

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Act, Answer, Orders, Proposal, Request
from penstock.core.plan import Decision
from penstock.core.safe_text import visible
from penstock.errors import ConfigError, TakenOverError
from penstock.store.archive import StoreError
from penstock.store.desk import Card, Desk, Filed, Unreadable

ANSWER_WITHIN_S = 600.0  # an older proposal is about another time
REFUSED_FOR_S = 600.0  # so long a tenant that said no is left alone
RETRY_S = 10.0  # a database that stands still holds a round up for seconds: not every round asks it again

_DEEDS = (Act.TURN, Act.START)  # noted once they are done: what else is asked holds from its round on

UNHEARD = (StoreError, ConfigError)  # the store is down, or the run is gone from it; whoever was taken over is told

_log = logging.getLogger("penstock")


@dataclass(frozen=True, slots=True)
class Standing:
    """How a controller was started: what its card says unless somebody asks for something else."""

    interval_s: float = 10.0
    dry_run: bool = False
    approval: frozenset[str] = frozenset()


@dataclass(slots=True)
class DeskControl:
    """Fills the Control port from the desk. The last orders hold while it cannot be read."""

    desk: Desk
    run_id: str
    standing: Standing = Standing()
    epoch: Callable[[], float] = time.time
    _handed: list[Filed] = field(default_factory=list)  # turns and starts that are not on record as done
    _done: list[Proposal] = field(default_factory=list)  # while nothing could be noted
    _last: int | None = None  # the newest request that was heard
    _orders: Orders = field(default_factory=Orders)
    _down: bool = False
    _retry_at_s: float = 0.0
    _unreadable: set[Unreadable] = field(default_factory=set)

    def arrive(self) -> None:
        """A first sign of life, before the first cycle: the run is not over, it has only just begun."""
        try:
            left = self.desk.card(self.run_id)
            card = (
                self._card(0.0) if left is None else replace(left, seen_at_epoch_s=self.epoch(), ended_at_epoch_s=0.0)
            )
            self.desk.leave_card(self.run_id, card)
        except UNHEARD as error:
            self._warn(error)

    def leave(self) -> None:
        """A last sign: it ends in order, so that nobody takes it for killed. Whose run is another's leaves none."""
        try:
            left, now = self.desk.card(self.run_id), self.epoch()
            if left is not None:
                self.desk.leave_card(self.run_id, replace(left, seen_at_epoch_s=now, ended_at_epoch_s=now))
        except (*UNHEARD, TakenOverError) as error:
            _log.info("no last sign was left: %s", error)

    def orders(self, now: float) -> Orders:
        """Take up what was asked since the last cycle, and leave a sign of life."""
        self._orders = replace(self._orders, approved=(), turns=(), starts=())  # they were for the last cycle
        if self._down and now < self._retry_at_s:
            return self._orders
        try:
            self._orders = self._heard(now)
            self.desk.leave_card(self.run_id, self._card(now))  # refused once another controller has the run
            self._down = False
        except UNHEARD as error:
            self._warn(error)
            self._retry_at_s = now + RETRY_S
            # It may be another file that comes back, whose numbers begin anew; to hear twice is as once.
            self._last = None
        return self._orders

    def propose(self, decision: Decision) -> None:
        try:
            self.desk.propose(self.run_id, decision)
        except UNHEARD as error:
            self._warn(error)

    def settle(self, proposal: Proposal, answer: Answer, now: float) -> None:
        try:
            self.desk.settle(proposal.number, answer, proposal.who, now)
        except UNHEARD as error:
            self._warn(error)
            if answer is Answer.DONE:  # what is given up is handed again, and given up again
                self._done.append(proposal)

    def turned(self, now: float) -> None:
        """The turns and starts of this cycle were done, or refused, and wait no more.

        Not before: those of a controller that dies in between are done by the next one. Twice is as once, for a lever
        is turned to a value, and a job that runs is not started.
        """
        try:
            self.desk.take([found.number for found in self._handed], now)
            self._handed.clear()
        except UNHEARD as error:  # the next cycle tries again
            self._warn(error)

    def _heard(self, now: float) -> Orders:
        self._pass_over(now)
        filed = self.desk.filed(self.run_id, self._last)
        self._answer(filed, now)
        proposals = self._not_done(self.desk.standing_proposals(self.run_id, now - REFUSED_FOR_S), now)
        proposals = self._not_too_old(proposals, now)
        orders = folded(self._orders, (found.request for found in filed))
        waiting = [found for found in filed if found.taken_at_s is None]
        # A controller that was started again hears all that holds once more, and does nothing twice: what it handed
        # before an outage is in the file as it was, unless another file has come back.
        handed = [found for found in self._handed if self._last is not None or found in waiting]
        deeds = [found for found in waiting if found.request.act in _DEEDS and found not in handed]
        noted = [*handed, *(found for found in waiting if found.request.act not in _DEEDS)]
        self.desk.take([found.number for found in noted], now)
        self._handed = deeds
        self._last = max((found.number for found in filed), default=self._last)
        approved = tuple(proposal for proposal in proposals if proposal.answer is Answer.APPROVED)
        asked = tuple(found.request for found in deeds if found.request.act is Act.TURN)
        starts = tuple(found.request.job for found in deeds if found.request.act is Act.START and found.request.job)
        return replace(orders, approved=approved, held=_held(proposals, now), turns=asked, starts=starts)

    def _pass_over(self, now: float) -> None:
        """What cannot be read is told once, by this controller or by one before it."""
        for found in self.desk.unreadable(self.run_id):
            if found not in self._unreadable:
                self._unreadable.add(found)
                _log.warning("%s", visible(found.text()))
            self.desk.set_aside(found, now)

    def _answer(self, filed: Iterable[Filed], now: float) -> None:
        open_now = {proposal.number for proposal in self.desk.open_proposals(self.run_id)}
        answers = {Act.APPROVE: Answer.APPROVED, Act.REFUSE: Answer.REFUSED}
        for found in filed:
            request = found.request
            if found.taken_at_s is None and request.act in answers and request.proposal in open_now:
                self.desk.settle(request.proposal, answers[request.act], request.who, now)
                open_now.discard(request.proposal)

    def _not_done(self, proposals: Iterable[Proposal], now: float) -> list[Proposal]:
        """Those that are to be handed: what was done and could not be noted is noted now, in the file as it was."""
        kept: list[Proposal] = []
        for proposal in proposals:
            if proposal in self._done:
                self.desk.settle(proposal.number, Answer.DONE, proposal.who, now)
                continue
            kept.append(proposal)
        self._done.clear()
        return kept

    def _not_too_old(self, proposals: Iterable[Proposal], now: float) -> list[Proposal]:
        kept: list[Proposal] = []
        for proposal in proposals:
            if proposal.answer is Answer.OPEN and now - proposal.decision.at_s > ANSWER_WITHIN_S:
                self.desk.settle(proposal.number, Answer.EXPIRED, None, now)
                continue
            kept.append(proposal)
        return kept

    def _card(self, now: float) -> Card:
        orders, standing = self._orders, self.standing
        dry_run = standing.dry_run if orders.dry_run is None else orders.dry_run
        approval = tuple(sorted(standing.approval))
        return Card(self.epoch(), now, standing.interval_s, orders.paused_by, dry_run, approval)

    def _warn(self, error: StoreError | ConfigError) -> None:
        if not self._down:
            _log.warning("%s; requests are not read meanwhile", error)
        self._down = True


def folded(orders: Orders, requests: Iterable[Request]) -> Orders:
    """The orders after these requests, in their order.

    >>> paused = folded(Orders(), [Request(Act.PAUSE, "ann", 0.0)])
    >>> paused.paused_by, folded(paused, [Request(Act.RESUME, "bob", 1.0)]).paused_by
    ('ann', None)
    """
    for request in requests:
        if request.act is Act.PAUSE:
            orders = replace(orders, paused_by=request.who)
        elif request.act is Act.RESUME:
            orders = replace(orders, paused_by=None)
        elif request.act in (Act.DRY_RUN, Act.DO):
            orders = replace(orders, dry_run=request.act is Act.DRY_RUN)
        elif request.job is not None and request.intent is not None:
            intents: dict[str, Intent] = {**orders.intents, request.job: request.intent}
            orders = replace(orders, intents=intents)
    return orders


def _held(proposals: Iterable[Proposal], now: float) -> frozenset[str]:
    return frozenset(job for p in proposals if _holds(p, now) for job in p.decision.jobs)


def _holds(proposal: Proposal, now: float) -> bool:
    if proposal.answer in (Answer.OPEN, Answer.APPROVED):
        return True
    answered_s = proposal.answered_at_s
    return proposal.answer is Answer.REFUSED and answered_s is not None and now - answered_s < REFUSED_FOR_S
