"""Acting on a running controller: what a page or a program sends, checked, and left on the controller's desk."""

import getpass
import os
import time
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from penstock.config.fields import ShortText
from penstock.config.intents import IntentPart, intent_of
from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Act, Request, Wish
from penstock.core.levers import ALL_OPERATORS, WHOLE, Kind
from penstock.core.seen.life import ControllerLife
from penstock.errors import ConfigError, PenstockError
from penstock.planning.asked import check
from penstock.store.gallery import Gallery
from penstock.store.sql import SqlStore
from penstock.telling.life import life_text

EXAMPLES: list[JsonValue] = [
    {"act": "pause", "who": "ann"},
    {"act": "intent", "job": "fraud", "intents": [{"latency": "1s", "percentile": 95, "utility": 40}]},
    {"act": "turn", "kind": "bound", "job": "fraud", "value": 2000},
    {"act": "approve", "proposal": 3},
    {"act": "start", "job": "fraud"},
]


def this_user() -> str:
    """Whoever runs this; by number where nobody gave that a name, as in containers with a user of their own.

    >>> this_user() != ""
    True
    """
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"


class NotLiveError(PenstockError):
    """Nobody governs the run any more."""


class ActIn(BaseModel):
    """One act. `intent` needs `job` and `intents`, `start` needs `job`; `approve` and `refuse` need `proposal`.

    `turn` needs the `kind` of a lever and a `value`: rows, seconds, MiB or a number (null: a batch without a bound). A
    job's lever needs `job`, that of one operator `operator` too; without a job it is one of the application.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, json_schema_extra={"examples": EXAMPLES}
    )

    act: Act
    job: ShortText | None = None
    intents: Annotated[tuple[IntentPart, ...], Field(max_length=8)] = ()
    proposal: Annotated[int, Field(ge=1, le=2**53)] | None = None
    kind: Kind | None = None
    operator: ShortText = ALL_OPERATORS
    value: Annotated[float, Field(ge=0, le=2**53)] | None = None
    who: Annotated[str, Field(max_length=60)] = ""

    @model_validator(mode="after")
    def _whole(self) -> "ActIn":
        if self.act is Act.INTENT and (self.job is None or not self.intents):
            raise ValueError("say which job and give its intents")
        if self.act in (Act.APPROVE, Act.REFUSE) and self.proposal is None:
            raise ValueError("say which proposal")
        if self.act is Act.START and self.job is None:
            raise ValueError("say which job")
        if self.act is Act.TURN and (self.kind is None or "value" not in self.model_fields_set):
            raise ValueError("say which kind of lever and its value")
        return self


def ask(store: SqlStore, run_id: str, act: ActIn, who: str, life: ControllerLife | None = None) -> int:
    """Leave the request, once it makes sense to the controller that will find it.

    `life` is what whoever watches the controller knows of it; else one look at its last sign of life must do.
    """
    card, now_s = store.desk.card(run_id), time.time()
    sign = None if card is None else card.sign
    found = life or (ControllerLife.ENDED if sign is None else sign.life(now_s))
    if sign is None or not found.governs:
        refused = f"run {run_id!r} has no running controller; only a running one accepts requests"
        raise NotLiveError(f"{refused}. {life_text(found, sign, now_s)}".rstrip(". "))
    intent, job, proposal, turn = None, None, None, None
    if act.act is Act.INTENT:
        job = _known_job(store, run_id, act.job or "")
        intent = intent_of(act.intents, "intents", _intent_now(store, run_id, job))
    if act.act is Act.START:
        job = _stopped_job(store, run_id, act.job or "")
    if act.act in (Act.APPROVE, Act.REFUSE):
        proposal = _open_proposal(store, run_id, act.proposal or 0)
    if act.act is Act.TURN and act.kind is not None:
        turn = Wish(act.kind, act.job or WHOLE, act.value, act.operator)
        job = act.job
        _check(store, run_id, turn)
    return store.desk.ask(run_id, Request(act.act, who, time.time(), job, intent, proposal, turn))


def _check(store: SqlStore, run_id: str, turn: Wish) -> None:
    newest = Gallery(store.database, run_id).newest()
    if newest is None:
        raise ConfigError("run", run_id, "its controller has not looked at its levers yet; ask again after a cycle")
    check(turn, newest.view)


def _known_job(store: SqlStore, run_id: str, job: str) -> str:
    known = store.jobs(run_id)
    if job not in known:
        raise ConfigError("job", job, f"name one of {', '.join(known)}")
    return job


def _stopped_job(store: SqlStore, run_id: str, job: str) -> str:
    """A job of the run that does not run, as far as its controller saw; the engine has the last word."""
    known, newest = _known_job(store, run_id, job), Gallery(store.database, run_id).newest()
    found = [] if newest is None else [one.figures for one in newest.view.jobs if one.name == known]
    if any(figures.up_s is not None for figures in found):
        raise ConfigError("job", known, "it runs: there is nothing to start")
    return known


def _intent_now(store: SqlStore, run_id: str, job: str) -> Intent | None:
    newest = Gallery(store.database, run_id).newest()
    found = [] if newest is None else [view.intent for view in newest.view.jobs if view.name == job]
    return found[0] if found else None


def _open_proposal(store: SqlStore, run_id: str, number: int) -> int:
    waiting = [proposal.number for proposal in store.desk.open_proposals(run_id)]
    if number not in waiting:
        names = ", ".join(map(str, waiting))
        raise ConfigError(
            "proposal", number, f"choose one of those that wait: {names}" if waiting else "none waits now"
        )
    return number
