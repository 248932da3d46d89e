"""What happens, taken in: a fleet and a stimulus give the fleet after it. Pure.

Started      somebody's query of a job's name began      -> the job runs it
Batch        one was committed                           -> figures grow; what was down is up
Idled        nothing is to be done                       -> rows no longer arrive
Terminated   a query ended                               -> what died waits for its next start
Running      the engine's own start came about           -> the job runs it, in its pool
Failed       it did not                                  -> it waits for its next start, or is given up
Adopted, Met a query was found                           -> the job has a handle on it
StageRead, FilesWait, Arrived                            -> figures
ExecutorsSeen one is lost, or as many run again          -> who ran on knows what that meant for it
"""

from dataclasses import replace
from functools import singledispatch

from penstock.engines.spark.jobs.restarts import Commit
from penstock.engines.spark.watch.arrivals import ArrivedBy
from penstock.engines.spark.watch.ended_batches import STAGES_TOLD_S
from penstock.engines.spark.watch.events import (
    Adopted,
    Arrived,
    ExecutorsSeen,
    Failed,
    FilesWait,
    Idled,
    Met,
    Now,
    Running,
    StageRead,
    Started,
    Stimulus,
    Terminated,
)
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.progress import Batch, epoch_s
from penstock.engines.spark.watch.remedies import with_remedy
from penstock.engines.spark.watch.series import since
from penstock.engines.spark.watch.track import Track
from penstock.errors import first_line

_STEPS_BACK_S = 1.0  # what a clock that is kept right takes back at most


@singledispatch
def taken(stimulus: Stimulus, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    """The fleet after that."""
    raise TypeError(f"{stimulus!r} is none of the above")


@taken.register
def _started(event: Started, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    """Somebody's query of a job's name; one that began before the job's own is over, or about to be.

    So is the one that runs an unfinished batch to its end while a state is moved.
    """
    track, began_s = fleet.tracks.get(event.name or ""), epoch_s(event.timestamp)
    if track is None or event.run_id in fleet.runs or began_s < (track.started_s or 0.0):
        return fleet
    return fleet.with_track(replace(track.begun(event.run_id, began_s), pooled=True))


@taken.register
def _committed(batch: Batch, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    """Batches that are older than the fleet keeps them are forgotten."""
    track = fleet.of_run(batch.run_id)
    if track is None:
        return fleet
    before = track.batches
    if before and batch.batch_id <= before[-1].batch_id:
        before = ()  # another checkpoint: its rows are counted from zero
    if before and batch.committed_s < before[-1].committed_s - _STEPS_BACK_S:
        before = ()  # the clock was set back: spans between these and later ones are none
    first_of_run = not before or before[-1].run_id != batch.run_id
    kept = (*before, batch)
    commit = Commit(batch.committed_s, batch.rows, batch.committed_s - batch.started_s)
    # What the run before still told settles nothing, nor a real-time run's first batch: of rows that waited for it.
    settles = batch.run_id == track.run_id and not (track.tasks and first_of_run)
    after = replace(
        track,
        batches=since(kept, [one.committed_s for one in kept], batch.committed_s - fleet.keep_s),
        attempts=track.attempts.committed(commit),
        idle_since_s=None,
        settling=track.settling and not settles,
    )
    return fleet.with_track(after)


@taken.register
def _idled(event: Idled, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    track = fleet.of_run(event.run_id)
    if track is None:
        return fleet
    return fleet.with_track(replace(track, idle_since_s=epoch_s(event.timestamp), settling=False))


@taken.register
def _terminated(event: Terminated, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    """Once: it may have been found out by asking, before Spark told of it."""
    track = fleet.of_run(event.run_id)
    if track is None or track.run_id != event.run_id or track.ended is not None:
        return fleet
    if event.error is None:
        return fleet.with_track(replace(track, ended="its query was stopped"))
    why = with_remedy(first_line(event.error))
    ended = replace(track, ended=f"its query failed: {why}")
    return fleet.with_track(ended if track.job.function is None else _failed_by(ended, why, now))


@taken.register
def _adopted(found: Adopted, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    track = fleet.tracks.get(found.query.name or "")
    if track is None:
        return fleet
    begun = track.begun(found.query.runId, now.wall_s)
    return fleet.with_track(replace(begun, query=found.query, pooled=found.pooled))


@taken.register
def _running(start: Running, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    """Of one that has died already its end may have been told before."""
    before = fleet.named(start.job)
    track = replace(before, settling=before.run_id is not None).begun(start.query.runId, now.wall_s)
    if track.ended is not None:
        return fleet.with_track(track)
    attempts = track.attempts.started(now.even_s)
    return fleet.with_track(replace(track, query=start.query, pooled=True, attempts=attempts))


@taken.register
def _failed(start: Failed, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    return fleet.with_track(_failed_by(fleet.named(start.job), start.error, now))


@taken.register
def _met(found: Met, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    track = fleet.of_run(found.query.runId)
    if track is None or track.run_id != found.query.runId:
        return fleet
    return fleet.with_track(replace(track, query=found.query))


@taken.register
def _files_wait(found: FilesWait, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    return fleet.with_track(fleet.named(found.job).with_rows_held_back(found.files))


@taken.register
def _stage_read(read: StageRead, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    """Its pool says whether shares reach the query; not that of a run before."""
    track = fleet.of_run(read.reading.run_id)
    if track is None:
        return fleet
    pooled = read.reading.pool == track.job.name or not track.job.own_pool
    pooled = pooled if read.reading.run_id == track.run_id else track.pooled
    stages = track.stages.and_also(read.reading, now.wall_s, read.name)
    return fleet.with_track(replace(track, stages=stages, pooled=pooled))


@taken.register
def _arrived(found: Arrived, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    track = fleet.named(found.job)
    arrivals = track.arrivals.and_also(ArrivedBy(now.wall_s, found.rows), fleet.keep_s)
    return fleet.with_track(replace(track, arrivals=arrivals))


@taken.register
def _executors_seen(seen: ExecutorsSeen, fleet: TrackedFleet, now: Now) -> TrackedFleet:
    """One that has only just come is taken up when all is known of the batches that ended before."""
    before, known, heard_s = fleet.crew.shortage, fleet.crew.known or {}, now.wall_s - STAGES_TOLD_S
    living = {one: came_s for one, came_s in seen.living.items() if one in known or came_s <= heard_s}
    crew = fleet.crew.after(living, seen.departed, now.wall_s, seen.wanted)
    if crew.shortage is not None and crew.shortage != before:
        for track in fleet:
            fleet = fleet.with_track(track.short_of(crew.shortage))
    return replace(fleet, crew=crew)


def _failed_by(track: Track, why: str, now: Now) -> Track:
    return replace(track, attempts=track.attempts.failed(why, now.even_s, track.job.restart, now.wall_s))
