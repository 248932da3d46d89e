"""What the API answers of the controller and of people who act on it, as values."""

from dataclasses import dataclass

from penstock.web.shapes import LifeOut


@dataclass(frozen=True, slots=True)
class ProposalOut:
    """A decision that waits for a tenant's yes."""

    number: int
    at_s: float
    text: str
    why: str
    jobs: tuple[str, ...]
    answer: str
    who: str | None


@dataclass(frozen=True, slots=True)
class ActOut:
    """An act of a person that the controller has heard, on the run's clock, in words."""

    at_s: float
    who: str
    text: str
    job: str | None


@dataclass(frozen=True, slots=True)
class AuditOut:
    """An act of a person."""

    at_epoch_s: float
    who: str
    act: str
    detail: str


@dataclass(frozen=True, slots=True)
class ControlOut:
    """How the controller stands, what waits for it, and what was asked of it.

    `life` says more than `live`: whether signs of life keep coming, or the server has not seen another follow the
    newest one yet (`awaited`); of one that is not live, that it ended in order, that no sign came and it did not say
    that it ends (`silent`), or that its clock is `ahead` of the server's, so that its sign proves nothing. `said` is
    that in words, with what to do.
    """

    live: bool
    may_act: bool
    paused_by: str | None
    dry_run: bool
    interval_s: float | None
    seen_at_epoch_s: float | None
    approval: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    proposals: tuple[ProposalOut, ...] = ()
    life: LifeOut = "ended"
    said: str = ""


@dataclass(frozen=True, slots=True)
class AskedOut:
    """A request lies on the controller's desk."""

    number: int
    control: ControlOut
