"""What the API answers of what was simulated: what if, what would help, what a decision brought, as values."""

from dataclasses import dataclass
from typing import Literal

from penstock.web.shapes import SeriesOut


@dataclass(frozen=True, slots=True)
class FutureOut:
    """A simulated future: the share of the maximum utility, `at_s` seconds from the present."""

    policy: str
    series: SeriesOut
    share: float | None
    decisions: int
    whole: bool


@dataclass(frozen=True, slots=True)
class WhatIfJobOut:
    """One tenant: as it really was, as it would go on, and as it would with the changes."""

    name: str
    past_share: float | None
    past_met: float | None
    as_is_share: float | None
    as_is_met: float | None
    changed_share: float | None
    changed_met: float | None
    slots_now: int
    slots_then: int | None
    off: float | None  # how far its mean utility share was off in the trial


@dataclass(frozen=True, slots=True)
class TrialOut:
    """How near the simulator came to the last `span_s`, knowing only what was seen before: shares of the utility.

    `off` is the mean difference, instant by instant; `series.at_s` is negative, up to the present.
    """

    span_s: float
    series: SeriesOut
    share: float | None
    real_share: float
    off: float


@dataclass(frozen=True, slots=True)
class WhatIfOut:
    """The same arrivals twice more, beside what really happened; `past.at_s` is negative, up to the present.

    `trial` says how far the simulator can be trusted here; null where the run is too short for one.
    """

    present_s: float
    span_s: float
    past: SeriesOut
    past_share: float | None
    as_is: FutureOut
    changed: FutureOut
    trial: TrialOut | None
    jobs: tuple[WhatIfJobOut, ...]
    slots: int | None
    took_s: float


@dataclass(frozen=True, slots=True)
class TurnOut:
    """A lever and the value to ask for, as `POST /api/control` and `POST /api/what-if` take it."""

    kind: str
    job: str | None
    operator: str
    value: float | None


@dataclass(frozen=True, slots=True)
class RemedyOut:
    """One change that was tried for a tenant: `met` of the simulated time, and what became of all (`share`).

    `turns`, `slots` and `max_slots` are what to ask a what-if; `ask` is what to ask a controller for, where it can be.
    `dear`: others lose by it, all in all.
    """

    kind: Literal["lever", "limit", "slots"]
    what: str
    price: str
    met: float
    share: float | None
    enough: bool
    dear: bool
    turns: tuple[TurnOut, ...]
    slots: int | None
    max_slots: dict[str, int]
    ask: TurnOut | None


@dataclass(frozen=True, slots=True)
class RemediesOut:
    """What would help a tenant, tried from the cheapest change on, on `span_s` of the last arrivals.

    `met` and `share` are as it is; `keeps` are the targets that it would keep so, objective by objective. `off` is how
    far off its utility was when the simulator was tried. `whole` is false where the time was over before a remedy.
    """

    job: str
    at_s: float
    span_s: float
    met: float | None
    share: float | None
    cheapest: RemedyOut | None
    tried: tuple[RemedyOut, ...]
    keeps: tuple[float, ...] | None
    by_itself: bool
    off: float | None
    whole: bool
    text: str
    took_s: float


@dataclass(frozen=True, slots=True)
class JobWithoutOut:
    """One tenant's share of its maximum utility, simulated with a decision and without it."""

    job: str
    with_it: float
    without: float


@dataclass(frozen=True, slots=True)
class WithoutOut:
    """How it would have gone without one decision, all others as they were: shares of the maximum utility.

    Both ways are simulated over `span_s` from the decision on; `off` is how far what was simulated with it was from
    what really was. Nulls, and in `why` the reason, where it could not be tried; `tells` is false there, and where the
    simulator was too far off.
    """

    number: int
    text: str
    tells: bool
    span_s: float | None = None
    really: float | None = None
    with_it: float | None = None
    without: float | None = None
    gain: float | None = None
    off: float | None = None
    slot_s_saved: float | None = None
    jobs: tuple[JobWithoutOut, ...] = ()
    why: str | None = None


@dataclass(frozen=True, slots=True)
class WorthOut:
    """What the newest decisions brought, each tried by itself; `waits` are those that were not tried yet.

    `gain` is the mean share of the maximum utility over the `span_s` that followed them, `text` all of it in words.
    """

    text: str
    decisions: int
    span_s: float
    gain: float | None
    off: float | None
    slot_h_saved: float
    untold: int
    misled: int
    waits: int
    each: tuple[WithoutOut, ...]
