"""What the figures of a job are measured against in a snapshot of the whole fleet. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from penstock.core.seen.figures import JobFigures
from penstock.core.seen.shares import slot_share
from penstock.core.seen.trouble import TroubleId, TroubleKind
from penstock.engines.spark.watch.events import Now
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.python_time import UNMEASURED
from penstock.engines.spark.watch.track import Track, Yardstick


@dataclass(frozen=True, slots=True)
class SeenAt:
    """What a snapshot is made at, and of."""

    at_s: float
    now: Now
    slots: int  # that there are
    window_s: float
    settles: bool = False  # whether all figures are those of another number of executors
    python_shares: Mapping[str, float] = field(default_factory=dict)  # by job, as far as measured


def unknown_figures(track: Track, seen: SeenAt, why: str) -> JobFigures:
    """A job of which something cannot be told is one of which nothing is known: the others are governed on."""
    standing = Yardstick(float(track.threads), track.threads, seen.slots, seen.window_s, seen.now.wall_s)
    trouble = f"it cannot be read in this round: {why}"
    which = TroubleId(TroubleKind.UNTOLD, why)
    return replace(Track(track.job, track.threads).figures(standing), trouble=trouble, trouble_id=which)


def standing_of(fleet: TrackedFleet, track: Track, seen: SeenAt, threads: int) -> Yardstick:
    """What its figures are measured against."""
    now = seen.now
    standing = Yardstick(
        share_slots=0.0,
        threads=threads,
        slots=seen.slots,
        window_s=seen.window_s,
        wall_s=now.wall_s,
        at_s=seen.at_s,
        even_s=now.even_s,
        settles=seen.settles,
        python_share=seen.python_shares.get(track.job.name, UNMEASURED),
        jobs=len(fleet),
    )
    if track.tasks:
        left = _left_for(fleet, track, seen.slots)
        return replace(standing, share_slots=float(track.kept_slots), threads=track.threads, slots=left)
    total = sum(other.threads for other in fleet if not other.tasks)
    shared = max(1, seen.slots - sum(fleet.kept_slots().values()))
    return replace(standing, share_slots=slot_share(track.threads, total, shared))


def _left_for(fleet: TrackedFleet, track: Track, slots: int) -> int:
    """The slots that a real-time job may hold for good: micro-batches beside it need one at least."""
    for_batches = 1 if any(not other.tasks for other in fleet) else 0
    return slots - fleet.kept_by_others(track.job.name) - for_batches
