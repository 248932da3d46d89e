"""The desk: where people leave requests for a controller, in the store, whichever process each of them is in."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, TypeVar

import sqlalchemy as sa

from penstock.core.asked.orders import Act, Answer, Proposal, Request, Wish
from penstock.core.plan import Decision
from penstock.errors import WrongCellError, shown, told
from penstock.store import tables
from penstock.store.archive import check_told
from penstock.store.by_cycle import FoundRow
from penstock.store.cards import Card as Card
from penstock.store.cards import card_of, card_row
from penstock.store.cells import LATEST_S, instant_in, number_within
from penstock.store.codec import decode, encode
from penstock.store.columns import columns_of, is_there
from penstock.store.database import Database
from penstock.store.desk_tables import controllers, proposals, requests
from penstock.store.intent_codec import decode_intent, encode_intent
from penstock.store.read_runs import run_number

T = TypeVar("T")

SETTLED = (Answer.REFUSED, Answer.DONE, Answer.EXPIRED)


@dataclass(frozen=True, slots=True)
class Filed:
    """A request as it lies on the desk. `taken_at_s` is None until the controller has taken it up."""

    number: int
    request: Request
    taken_at_s: float | None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A row that waits and holds what no penstock of ours would have written, and why it cannot be read."""

    what: Literal["request", "proposal"]
    number: int
    why: str

    def text(self) -> str:
        """In words, for the log."""
        return f"{self.what} {self.number} cannot be read and is passed over: {self.why}"


class Desk:
    """Requests, proposals and cards of all runs of a database.

    A controller's own is fenced: `check` raises in the transaction in which it would write, once another one has its
    run. People ask without: they may ask of any run.
    """

    def __init__(self, database: Database, check: Callable[[sa.Connection], None] = lambda connection: None) -> None:
        self._database = database
        self._check = check
        self._there = False

    def ask(self, run_id: str, request: Request) -> int:
        """Leave a request; the act is in the audit log from this moment on."""
        detail = request.text()
        check_told(who=request.who, **{"what is asked": detail})
        with self._database.writing() as connection:
            run = run_number(connection, run_id)
            audit = {"at_epoch_s": request.at_epoch_s, "who": request.who, "act": request.act.value}
            connection.execute(tables.audit.insert().values(run=run, detail=detail, **audit))
            intent = None if request.intent is None else encode_intent(request.intent)
            row = {"run": run, "job": request.job, "intent": intent, "proposal": request.proposal, **audit}
            if request.turn is not None:  # only then: a controller of an older penstock has no such column
                row["turn"] = encode(request.turn)
            return int(connection.execute(requests.insert().values(row).returning(requests.c.id)).scalar_one())

    def filed(self, run_id: str, after: int | None = None) -> tuple[Filed, ...]:
        """The requests of a run with numbers above `after`, or all of them, oldest first."""
        later = () if after is None else (requests.c.id > after,)  # another program may have given any number
        return _readable(_filed, self._rows(run_id, requests, *later))

    def waiting(self, run_id: str) -> tuple[Filed, ...]:
        """The requests that no controller has taken up, oldest first."""
        return _readable(_filed, self._rows(run_id, requests, requests.c.taken_at_s.is_(None)))

    def take(self, numbers: Sequence[int], at_s: float) -> None:
        """The controller has taken these requests up."""
        if numbers:
            with self._fenced() as connection:
                connection.execute(requests.update().where(requests.c.id.in_(numbers)).values(taken_at_s=at_s))

    def propose(self, run_id: str, decision: Decision) -> None:
        """Ask people about a decision."""
        row = {"at_s": decision.at_s, "decision": encode(decision), "answer": Answer.OPEN.value}
        with self._fenced() as connection:
            connection.execute(proposals.insert().values(run=run_number(connection, run_id), **row))

    def proposals(self, run_id: str) -> tuple[Proposal, ...]:
        """Everything that people were asked in a run, oldest first."""
        return _readable(_proposal, self._rows(run_id, proposals))

    def standing_proposals(self, run_id: str, refused_from_s: float) -> tuple[Proposal, ...]:
        """Those that were not settled, and those that were refused from then on, oldest first.

        A run has asked for years perhaps: what is read in each round is no more for that.
        """
        answer = proposals.c.answer
        lately = sa.and_(answer == Answer.REFUSED.value, proposals.c.answered_at_s >= refused_from_s)
        stands = sa.or_(answer.not_in([settled.value for settled in SETTLED]), lately)
        return _readable(_proposal, self._rows(run_id, proposals, stands))

    def open_proposals(self, run_id: str) -> tuple[Proposal, ...]:
        """Those that nobody has answered, oldest first."""
        return _readable(_proposal, self._rows(run_id, proposals, proposals.c.answer == Answer.OPEN.value))

    def unreadable(self, run_id: str) -> tuple[Unreadable, ...]:
        """What waits and cannot be read; `filed` and `proposals` are without it."""
        waiting = self._rows(run_id, requests, requests.c.taken_at_s.is_(None))
        asked = self._rows(run_id, proposals, proposals.c.answer.not_in([answer.value for answer in SETTLED]))
        return (*_faults("request", _filed, waiting), *_faults("proposal", _proposal, asked))

    def set_aside(self, found: Unreadable, at_s: float) -> None:
        """It waits no more, and whoever governs next does not find it again."""
        if found.what == "request":
            self.take([found.number], at_s)
        else:
            self.settle(found.number, Answer.EXPIRED, None, at_s)

    def settle(self, number: int, answer: Answer, who: str | None, at_s: float) -> None:
        """Note where a proposal stands."""
        values = {"answer": answer.value, "who": who, "answered_at_s": at_s}
        with self._fenced() as connection:
            connection.execute(proposals.update().where(proposals.c.id == number).values(values))

    def leave_card(self, run_id: str, card: Card) -> None:
        """The controller lives, and this is how it stands."""
        values = card_row(card)
        with self._fenced() as connection:
            run = run_number(connection, run_id)
            if connection.execute(controllers.update().where(controllers.c.run == run).values(values)).rowcount == 0:
                connection.execute(controllers.insert().values(run=run, **values))

    def card(self, run_id: str) -> Card | None:
        """The newest sign of life of the run's controller; None when it never left one, or not one of ours."""
        return next(iter(_readable(card_of, self._rows(run_id, controllers))), None)

    @contextmanager
    def _fenced(self) -> Iterator[sa.Connection]:
        with self._database.writing() as connection:
            self._check(connection)
            yield connection

    def _rows(self, run_id: str, table: sa.Table, *beyond: sa.ColumnElement[bool]) -> Sequence[FoundRow]:
        with self._database.reading(run_id) as connection:
            # A store that was written before there was a desk may be on a disk that cannot be written.
            self._there = self._there or is_there(connection, table)
            if not self._there:
                return ()
            run = run_number(connection, run_id)
            wanted = sa.select(*columns_of(connection, table)).where(table.c.run == run, *beyond)
            return connection.execute(wanted.order_by(*table.primary_key.columns)).mappings().all()


def _readable(read: Callable[[FoundRow], T], found: Iterable[FoundRow]) -> tuple[T, ...]:
    return tuple(value for row in found if not isinstance(value := _read(read, row), Exception))


def _faults(
    what: Literal["request", "proposal"], read: Callable[[FoundRow], object], found: Iterable[FoundRow]
) -> Iterator[Unreadable]:
    for row in found:
        if isinstance(fault := _read(read, row), Exception):
            yield Unreadable(what, row["id"], told(fault))


def _read(read: Callable[[FoundRow], T], row: FoundRow) -> T | Exception:
    """A row is somebody else's word: whatever is wrong with it, it is wrong with this row only."""
    try:
        return read(row)
    except Exception as fault:
        return fault


def readable_request(row: FoundRow) -> bool:
    """Whether a controller hears it, rather than passes it over."""
    return not isinstance(_read(_request, row), Exception)


def _filed(row: FoundRow) -> Filed:
    return Filed(row["id"], _request(row), row["taken_at_s"])


def _request(row: FoundRow) -> Request:
    act = Act(row["act"])
    intent = None if row["intent"] is None else decode_intent(row["intent"])
    turn: Wish | None = None if row["turn"] is None else decode(row["turn"], Wish)
    proposal = None if row["proposal"] is None else int(row["proposal"])
    if turn is not None and turn.value is not None and not isfinite(turn.value):
        raise WrongCellError(f"a lever cannot be turned to {turn.value}")
    needed = {Act.INTENT: intent, Act.TURN: turn, Act.APPROVE: proposal, Act.REFUSE: proposal, Act.START: row["job"]}
    if needed.get(act, act) is None or (act is Act.INTENT and row["job"] is None):
        raise WrongCellError(f"the act {act.value} lacks what it is about")
    return Request(act, str(row["who"]), float(row["at_epoch_s"]), row["job"], intent, proposal, turn)


def _proposal(row: FoundRow) -> Proposal:
    decision: Any = decode(row["decision"], Decision)
    if number_within(decision.at_s, 0.0, LATEST_S) is None:  # it would wait for an answer for ever
        raise WrongCellError(f"a decision at {shown(decision.at_s)} s")
    return Proposal(row["id"], decision, Answer(row["answer"]), row["who"], instant_in(row, "answered_at_s"))
