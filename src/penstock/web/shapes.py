"""What the API answers, as values: FastAPI makes JSON and the OpenAPI description of them. Absent is null."""

from dataclasses import dataclass
from typing import Literal

StateOut = Literal["missing", "blind", "stale", "starting", "fine", "resting"]  # as core.seen.states has them
TroubleOut = Literal[  # as core.seen.trouble has them
    "not running",
    "given up",
    "stopped",
    "ended",
    "absent",
    "slow start",
    "outside its pool",
    "no rows",
    "untold",
    "restarting",
    "other",
]
LifeOut = Literal["live", "awaited", "ended", "silent", "ahead"]  # as core.seen.life has them
CameOut = Literal["better", "no change", "worse", "not judged yet", "not judged", "not done", "not carried out"]


@dataclass(frozen=True, slots=True)
class HealthOut:
    """That this server is well, and which it is."""

    status: Literal["up", "ready"]
    version: str


@dataclass(frozen=True, slots=True)
class RunOut:
    """A recorded run. `started_at` is epoch seconds, null in simulated time; `live` while its controller shows life.

    `cycles` are those that are kept, from `first_s` to `last_s` of the run's clock; null while there is none.
    """

    id: str
    name: str
    policy: str
    engine: str
    master: str
    started_at: float | None
    live: bool
    cycles: int = 0
    first_s: float | None = None
    last_s: float | None = None


@dataclass(frozen=True, slots=True)
class TargetOut:
    """One thing that a tenant asks for, beside what it has. `share` is that of its utility."""

    kind: Literal["latency", "juice", "recovery"]
    text: str
    target: float
    percentile: float | None
    now: float | None
    met: bool | None
    utility: float


@dataclass(frozen=True, slots=True)
class ChangeOut:
    """One turn of a lever, `text` in words; a routing table has no figures before and after."""

    kind: str
    job: str
    operator: str
    before: float | None
    after: float | None
    text: str


@dataclass(frozen=True, slots=True)
class DecisionOut:
    """A decision: what, why, what was expected, what came of it. `number` counts from 1 in its run."""

    number: int
    at_s: float
    reason: str
    jobs: tuple[str, ...]
    changes: tuple[ChangeOut, ...]
    text: str
    why: str
    foretold: str  # in words, of those tenants whose lot changes; empty where nothing was foretold
    utility_before: float
    expected_utility: float | None
    came: CameOut
    verdict: str | None
    utility_came: float | None
    judged_at_s: float | None
    errors: tuple[str, ...]
    again: bool = False  # it is looked at once more: `came` may become another


@dataclass(frozen=True, slots=True)
class LeverOut:
    """A lever as it stands, in figures of its `unit` and in words; `most` is null where no bound is known.

    Ask for it with its `kind`, `job` and `operator`, see `POST /api/control`.
    """

    kind: str
    job: str
    operator: str
    name: str
    unit: str
    now: float | None
    asked: float | None
    least: float
    most: float | None
    now_text: str
    asked_text: str | None
    limits: str
    disturbs: str
    shows: str


@dataclass(frozen=True, slots=True)
class SeriesOut:
    """Figures over time; number i of each column belongs to `at_s[i]`."""

    at_s: tuple[float, ...]
    values: dict[str, tuple[float | None, ...]]


@dataclass(frozen=True, slots=True)
class DecisionsOut:
    """Some decisions of a run, newest first, of so many that match."""

    total: int
    reasons: tuple[str, ...]
    jobs: tuple[str, ...]
    decisions: tuple[DecisionOut, ...]


@dataclass(frozen=True, slots=True)
class SessionOut:
    """Who looks: `none` must give a token first."""

    role: Literal["none", "read", "operate"]
    tokens_required: bool
    version: str


@dataclass(frozen=True, slots=True)
class PolicyOut:
    """A policy that can be asked for."""

    name: str
    about: str
