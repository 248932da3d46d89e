"""The fleet as a snapshot: what was seen of jobs and of the application, measured against what they may have. Pure."""

from dataclasses import dataclass, replace

from penstock.core.figures import JobFigures
from penstock.core.key_placement import KeyPlacement
from penstock.core.levers import Dial
from penstock.core.shares import slot_share
from penstock.engines.spark.watch.events import Now
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.track import Track, Yardstick


@dataclass(frozen=True, slots=True)
class SeenAt:
    """What a snapshot is made at, and of."""

    at_s: float
    now: Now
    slots: int  # that there are
    window_s: float
    settles: bool = False  # whether all figures are those of another number of executors


@dataclass(frozen=True, slots=True)
class OfJob:
    """What was read of one job beside its events."""

    threads: int  # that its pool stands for
    dials: tuple[Dial, ...] = ()
    keys: tuple[KeyPlacement, ...] = ()  # of its route


def job_figures(fleet: TrackedFleet, track: Track, seen: SeenAt, read: OfJob) -> JobFigures:
    """The job at this instant."""
    found = track.figures(standing_of(fleet, track, seen, read.threads), read.dials, read.keys)
    return replace(found, settling=True) if seen.settles else found


def unknown_figures(track: Track, seen: SeenAt, why: str) -> JobFigures:
    """A job of which something cannot be told is one of which nothing is known: the others are governed on."""
    standing = Yardstick(float(track.threads), track.threads, seen.slots, seen.window_s, seen.now.wall_s)
    trouble = f"nothing can be told of it this round: {why}"
    return replace(Track(track.job, track.threads).figures(standing), trouble=trouble)


def standing_of(fleet: TrackedFleet, track: Track, seen: SeenAt, threads: int) -> Yardstick:
    """What its figures are measured against."""
    standing = Yardstick(0.0, threads, seen.slots, seen.window_s, seen.now.wall_s, seen.at_s, seen.now.even_s)
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
