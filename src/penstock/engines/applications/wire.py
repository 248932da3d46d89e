"""What agents and coordinator say to one another: reports, answers, orders; as JSON, versioned, strictly read.

    agent        -> {"penstock": 1, "application": "fraud", "instance": "5f…", "number": 7, "base": 6, "state": {…}}
    coordinator  -> {"penstock": 1, "epoch": 3, "heard": 7, "order": {"epoch": 3, "number": 12, "executors": 4, …}, …}

A report holds the whole state, or with a `base` what changed since the report of that number (see `patches`). Whatever
does not fit is refused whole with a sentence that says where: half a report is none.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
)

from penstock.core.asked.intent_plain import intent_of_plain, plain_intent
from penstock.core.asked.intents import Intent
from penstock.core.seen.trouble import TroubleKind
from penstock.errors import PenstockError, in_a_line

VERSION = 1
MOST_BYTES = 4 * 2**20  # of one report: 10,000 tenants, said for the first time
_MOST_SAID = 500  # characters of what is said in words
_MOST_INTENT = 65_536  # characters: one of many hours has 2,000, and each counts in every round
_KEPT_INTENT = 4_096  # longer ones are read each time: 20,000 of the longest would take more than a gibibyte
NAME = r"^[A-Za-z0-9_.\-/]{1,200}$"


class WireError(PenstockError):
    """What came does not fit; the message says where."""


class _Said(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


WireName = Annotated[str, Field(pattern=NAME)]
Count = Annotated[int, Field(ge=0, le=100_000)]
Serial = Annotated[int, Field(ge=0, le=2**53)]
# JSON does not tell 2 from 2.0, and pydantic takes either for a float. A report has 60 of them: a validator of our own
# around each, with bounds outside of it, was a third of the time that reading one took.
NotNegative = Annotated[float, Field(ge=0.0, le=1e18)]
# What another program says is told in the records, and in terminals: it may not look like a line of ours there.
SaidLine = Annotated[str, Field(max_length=_MOST_SAID), AfterValidator(lambda text: in_a_line(text)[:_MOST_SAID])]
SaidKind = Annotated[TroubleKind, Field(strict=False)]  # of a message it is a text
Percentile = Annotated[float, Field(gt=0.0, le=100.0)]


def _intent(value: Any) -> Any:
    if isinstance(value, Intent):
        return value
    try:
        return _read_intent(value)
    except PenstockError as error:
        raise ValueError(str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"no intent ({type(error).__name__}: {error})") from None


def _read_intent(text: str) -> Intent:
    if len(text) > _MOST_INTENT:
        raise WireError(f"it holds {_MOST_INTENT:,} characters at most, not {len(text):,}")
    return intent_of_plain(json.loads(text)) if len(text) > _KEPT_INTENT else _kept_intent(text)


@lru_cache(maxsize=20_000)
def _kept_intent(text: str) -> Intent:
    """Those of 10,000 tenants come with every report, and hardly ever change: to read them was a fifth of its time."""
    return intent_of_plain(json.loads(text))


def _intent_text(intent: Intent) -> str:
    """Within an intent nothing may be left out, and nulls have a meaning: it travels as text."""
    return json.dumps(plain_intent(intent), separators=(",", ":"))


StatedIntent = Annotated[Any, BeforeValidator(_intent), PlainSerializer(_intent_text, return_type=str)]


class SaidLatency(_Said):
    """As `LatencyFigures`."""

    mean_s: NotNegative
    quantiles: Annotated[list[tuple[Percentile, NotNegative]], Field(max_length=20)] = []
    estimated: bool = False


class SaidTenant(_Said):
    """What is known of one tenant; `age_s` is how old that was when the state was made."""

    intent: StatedIntent
    age_s: NotNegative = 0.0
    latency: SaidLatency | None = None
    juice: Annotated[float, Field(ge=0.0, le=1e6)] | None = None
    arrival_rps: NotNegative | None = None
    processed_rps: NotNegative | None = None
    backlog_rows: NotNegative | None = None
    busy: NotNegative | None = None
    settling: bool = False
    up_s: NotNegative | None = None
    trouble: SaidLine | None = None
    trouble_kind: SaidKind | None = None
    trouble_cause: SaidLine = ""


class SaidExecutors(_Said):
    """The executors of an application: how many there are and are wanted, and the bounds that its agent keeps.

    `needs` are those that its state needs, of which some may have died: fewer than `least` no order may ask for, fewer
    than `needs` only one that gives up what does not come.
    """

    now: Count
    wanted: Count
    least: Count = 1
    most: Count
    needs: Count = 0
    cores: Annotated[int, Field(ge=1, le=1000)] = 1
    memory_mib: Annotated[int, Field(ge=1, le=2**30)] | None = None


class SaidState(_Said):
    """All that an agent says of its application. `worth`: what so many executors would give, in utility.

    `seen` counts the rounds in which it looked: figures that did not change since may be new all the same.
    """

    executors: SaidExecutors
    tenants: Annotated[dict[WireName, SaidTenant], Field(max_length=10_000)]
    worth: Annotated[list[tuple[Count, NotNegative]], Field(max_length=200)] = []
    cluster_id: Annotated[str, Field(max_length=200)] = ""  # by which the cluster manager knows it
    seen: Serial = 0


@dataclass(frozen=True, slots=True, order=True)
class Serials:
    """Which order it is: those of a later epoch are later, whatever their number."""

    epoch: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class Order:
    """So many executors an application may hold from now on; `why` is for people."""

    serials: Serials
    executors: int
    why: str = ""


class _SaidOrder(_Said):
    epoch: Serial
    number: Serial
    executors: Count
    why: Annotated[str, Field(max_length=2000)] = ""

    def order(self) -> Order:
        return Order(Serials(self.epoch, self.number), self.executors, self.why)


@dataclass(frozen=True, slots=True)
class Report:
    """What an agent sends. `applied` is the newest order that it carried out, `refused` why it did not the last one.

    `state` is whole, or with a `base` what changed since the report of that number. `obeys` is the epoch of the newest
    coordinator that was heard, where the last answer was one's of an earlier epoch; else 0, which is not sent. `whose`
    does not travel: the token by which it came, as the pattern of the applications that this is for.
    """

    application: str
    instance: str
    number: int
    state: Mapping[str, Any]
    base: int | None = None
    applied: Serials = Serials()
    refused: str = ""
    leaving: bool = False
    obeys: int = 0
    whose: str = ""


class _SaidReport(_Said):
    penstock: Serial
    application: WireName
    instance: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.\-]{1,64}$")]
    number: Serial
    state: dict[str, Any]
    base: Serial | None = None
    applied: tuple[Serial, Serial] = (0, 0)
    refused: SaidLine = ""
    leaving: bool = False
    obeys: Serial = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What the coordinator says to a report.

    `heard` is the report's number; None: the whole state is wanted. `lease_s` is how long an order of this answer may
    still be carried out, reckoned from when the report was sent; `every_s` when to report next.
    """

    epoch: int
    heard: int | None
    every_s: float
    lease_s: float
    order: Order | None = None


class _SaidAnswer(_Said):
    penstock: Serial
    epoch: Serial
    heard: Serial | None = None
    every_s: Annotated[float, Field(gt=0.0, le=3600.0)]
    lease_s: Annotated[float, Field(gt=0.0, le=3600.0)]
    order: _SaidOrder | None = None


S = TypeVar("S", bound=_Said)


def encode_report(report: Report) -> bytes:
    """The report as it travels."""
    said: dict[str, Any] = {
        "penstock": VERSION,
        "application": report.application,
        "instance": report.instance,
        "number": report.number,
        "state": report.state,
    }
    if report.base is not None:
        said["base"] = report.base
    if report.applied != Serials():
        said["applied"] = [report.applied.epoch, report.applied.number]
    if report.refused:
        said["refused"] = report.refused[:_MOST_SAID]
    if report.leaving:
        said["leaving"] = True
    if report.obeys:
        said["obeys"] = report.obeys
    return _written(said)


def read_report(raw: bytes) -> Report:
    """The report; a WireError where it is none. Its state is looked into by `read_state`, once it is whole."""
    found = _read(raw, _SaidReport)
    return Report(
        found.application,
        found.instance,
        found.number,
        found.state,
        found.base,
        Serials(*found.applied),
        found.refused,
        found.leaving,
        found.obeys,
    )


def encode_answer(answer: Reply) -> bytes:
    """The answer as it travels."""
    said: dict[str, Any] = {
        "penstock": VERSION,
        "epoch": answer.epoch,
        "every_s": answer.every_s,
        "lease_s": answer.lease_s,
    }
    if answer.heard is not None:
        said["heard"] = answer.heard
    if answer.order is not None:
        order = answer.order
        told = {"epoch": order.serials.epoch, "number": order.serials.number, "executors": order.executors}
        said["order"] = {**told, "why": order.why[:2000]}
    return _written(said)


def read_answer(raw: bytes) -> Reply:
    """The answer; a WireError where it is none."""
    found = _read(raw, _SaidAnswer)
    order = None if found.order is None else found.order.order()
    return Reply(found.epoch, found.heard, found.every_s, found.lease_s, order)


def plain_state(state: SaidState) -> dict[str, Any]:
    """The state in values that JSON knows, without what is not known or is as it mostly is."""
    found: dict[str, Any] = state.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return found


def read_state(state: Mapping[str, Any]) -> tuple[SaidState, int]:
    """The state, whole, and how many bytes that is; a WireError where it is none, or more than may be said at once."""
    try:
        raw = _written(state)
    except ValueError as error:  # JSON of Python's has words for what is no number
        raise WireError(f"state: {error}") from None
    if len(raw) > MOST_BYTES:
        raise WireError(f"state: with what changed it holds {len(raw):,} bytes, and {MOST_BYTES:,} at most")
    try:
        return SaidState.model_validate_json(raw), len(raw)
    except ValidationError as error:
        raise _refusal("state", error) from None


def _read(raw: bytes, kind: type[S]) -> S:
    if len(raw) > MOST_BYTES:
        raise WireError(f"a message holds {MOST_BYTES:,} bytes at most, this one {len(raw):,}")
    try:
        found = kind.model_validate_json(raw)
    except ValidationError as error:
        _check_version(raw)
        raise _refusal("message", error) from None
    if found.penstock != VERSION:  # type: ignore[attr-defined]  # of both kinds
        raise _other_version(found.penstock)  # type: ignore[attr-defined]
    return found


def _check_version(raw: bytes) -> None:
    """Of a message of another version is said that it is one, whatever else it has."""
    try:
        version = json.loads(raw)["penstock"]
    except (ValueError, TypeError, KeyError, RecursionError):  # not even JSON
        return
    if version != VERSION:
        raise _other_version(version)


def _other_version(version: object) -> WireError:
    return WireError(f"this penstock speaks version {VERSION} of the fleet's messages, not {str(version)[:20]}")


def _refusal(what: str, error: ValidationError) -> WireError:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part)[:80] for part in first["loc"])
    return WireError(f"{where or what}: {first['msg']}")


def _written(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
