"""What is to be done between rounds, out of how the fleet stands: instructions, which an engine carries out. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from penstock.engines.first_batches import FirstBatches, Loosened, TakenBatch, loosened
from penstock.engines.spark.watch.ended_batches import STAGES_TOLD_S
from penstock.engines.spark.watch.events import Now
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.track import Track

LOOKS_FOR_S = 1.0  # around the end of a real-time batch; rows of the next one that are read by then are read again
COMMITS_WITHIN_S = 30.0  # a batch that takes longer is interrupted; it runs again, whole
SLEEPS_AT_MOST_S = 10.0  # longer than its trigger: a start of the query takes about as long


@dataclass(frozen=True, slots=True)
class Start:
    """The job's query is due to be started again."""

    job: str


@dataclass(frozen=True, slots=True)
class GiveTasks:
    """A real-time job gets the tasks that it awaits, at the end of its batch; at once, where that is `late`."""

    job: str
    late: bool


@dataclass(frozen=True, slots=True)
class ForgetTasks:
    """Its query died meanwhile, and comes back as it was."""

    job: str


@dataclass(frozen=True, slots=True)
class KeepBound:
    """Its query may have been started again: the bound that was set while it ran is to be set once more."""

    job: str


@dataclass(frozen=True, slots=True)
class Loosen:
    """Its first batches were small: the next ones may be larger."""

    job: str
    to: Loosened


@dataclass(frozen=True, slots=True)
class Wake:
    """Its query may wait so much too long for its next batch: the clock that triggers go by was set back."""

    job: str
    late_s: float


Instruction: TypeAlias = Start | GiveTasks | ForgetTasks | Wake | KeepBound | Loosen


def todo(fleet: TrackedFleet, now: Now) -> tuple[Instruction, ...]:
    """For each job in its turn."""
    return tuple(one for track in fleet for one in _of(track, now))


def _of(track: Track, now: Now) -> Iterator[Instruction]:
    name, awaited = track.job.name, track.awaited
    if track.restarts:
        return
    if track.starting_s is None and track.attempts.due(now.even_s):
        yield Start(name)
    if awaited is not None and (track.query is None or not track.runs):
        yield ForgetTasks(name)
    elif awaited is not None and now.even_s >= awaited.ends_s - LOOKS_FOR_S:
        yield GiveTasks(name, late=now.even_s > awaited.ends_s + COMMITS_WITHIN_S)
    if track.runs and track.query is not None and track.oversleeps_s > SLEEPS_AT_MOST_S:
        yield Wake(name, track.oversleeps_s)
    yield KeepBound(name)
    first = _begun_with(track)
    if first is not None:
        to = loosened(first, _newest(track, first, now), now.even_s)
        if to is not None:
            yield Loosen(name, to)


def wants_stages(track: Track, now: Now) -> bool:
    """Whether it begins with small batches, and one has ended whose stages say how large the next ones may be."""
    first = _begun_with(track)
    return first is not None and _unheard(track, first, now) is not None


def _begun_with(track: Track) -> FirstBatches | None:
    """The small batches with which its query began; None once these are over, and where it does not run."""
    return track.first if track.begins and track.runs and track.query is not None else None


def _newest(track: Track, first: FirstBatches, now: Now) -> TakenBatch | None:
    """Of its present run, once its stages can be known; where they are not, it had the slots for as long as it took."""
    batch = _unheard(track, first, now)
    if batch is None:
        return None
    work = track.stages.work(batch.run_id, batch.batch_id)
    slot_s = first.slots * (batch.committed_s - batch.started_s) if work is None else work.busy_s
    return TakenBatch(batch.batch_id, sum(source.taken for source in batch.sources), batch.held_back_rows, slot_s)


def _unheard(track: Track, first: FirstBatches, now: Now) -> Batch | None:
    batch = track.batches[-1] if track.batches else None
    if batch is None or batch.run_id != track.run_id or batch.batch_id < first.heard_from:
        return None
    return batch if now.wall_s - batch.committed_s >= STAGES_TOLD_S else None
