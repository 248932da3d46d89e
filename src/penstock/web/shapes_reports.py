"""What the API answers of whole runs: two side by side, one incident, as values."""

from dataclasses import dataclass

from penstock.web.shapes import RunOut, SeriesOut


@dataclass(frozen=True, slots=True)
class CompareSideOut:
    """One of two runs: shares over all of it; `series.at_s` counts from its first cycle."""

    run: RunOut
    length_s: float
    utility_share: float | None  # of what tenants could have
    met_share: float | None  # of the time, mean over tenants
    decisions: int
    helped: int
    series: SeriesOut


@dataclass(frozen=True, slots=True)
class CompareJobOut:
    """One tenant in both runs: what it asked for at the end, its share of its utility, how often it had it all."""

    name: str
    asks_a: str | None
    asks_b: str | None
    utility_a: float | None
    utility_b: float | None
    met_a: float | None
    met_b: float | None


@dataclass(frozen=True, slots=True)
class CompareOut:
    """Two runs side by side, in figures and in sentences."""

    a: CompareSideOut
    b: CompareSideOut
    jobs: tuple[CompareJobOut, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IncidentChapterOut:
    """One heading of an incident report, and what is said below it."""

    name: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IncidentEventOut:
    """Something that happened meanwhile."""

    at_s: float
    text: str


@dataclass(frozen=True, slots=True)
class IncidentOut:
    """One tenant in one part of a run, as a page to pass on: what happened, to whom, why, and what it cost.

    `utility_lost` is a share of what it could have had, `slot_h` the slot-hours that it held, `missed_slot_h` those of
    them while it missed.
    """

    run: str
    name: str
    policy: str
    tenant: str
    intent: str
    from_s: float
    to_s: float
    missed_s: float
    unseen_s: float
    worst_latency_s: float | None
    worst_latency_at_s: float | None
    most_rows: float | None
    utility_lost: float | None
    slot_h: float
    missed_slot_h: float
    chapters: tuple[IncidentChapterOut, ...]
    events: tuple[IncidentEventOut, ...]
