"""What happens, taken in: a fleet and a stimulus give the fleet after it. Pure.

Started      somebody's query of a job's name began      -> the job runs it
Progressed   a batch was committed                       -> figures grow; what was down is up
Idled        nothing is to be done                       -> rows no longer arrive
Terminated   a query ended                               -> what died waits for its next start
Running      the engine's own start came about           -> the job runs it, in its pool
Failed       it did not                                  -> it waits for its next start, or is given up
Adopted, Met a query was found                           -> the job has a handle on it
StageRead, FilesWait, Arrived                            -> figures
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from penstock.engines.spark.watch.arrivals import ArrivedBy
from penstock.engines.spark.watch.events import (
    Adopted,
    Arrived,
    Failed,
    FilesWait,
    Idled,
    Met,
    Now,
    Progressed,
    Running,
    StageRead,
    Started,
    Stimulus,
    Terminated,
)
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.progress import epoch_s, parse_batch
from penstock.engines.spark.watch.track import Track
from penstock.errors import first_line


def taken(fleet: TrackedFleet, stimuli: Iterable[Stimulus], now: Now) -> TrackedFleet:
    """The fleet after all of them, in their order."""
    for stimulus in stimuli:
        track = _HANDLERS[type(stimulus)](fleet, stimulus, now)
        fleet = fleet if track is None else fleet.with_track(track)
    return fleet


def _started(fleet: TrackedFleet, event: Started, now: Now) -> Track | None:
    """Somebody's query of a job's name; one that began before the job's own is over, or about to be.

    So is the one that runs an unfinished batch to its end while a state is moved.
    """
    track, began_s = fleet.tracks.get(event.name or ""), epoch_s(event.timestamp)
    if track is None or event.run_id in fleet.runs or began_s < (track.started_s or 0.0):
        return None
    return replace(track.begun(event.run_id, began_s), pooled=True)


def _progressed(fleet: TrackedFleet, event: Progressed, now: Now) -> Track | None:
    _, batch = parse_batch(event.json)
    track = fleet.of_run(batch.run_id)
    return None if track is None else track.and_also(batch, fleet.keep_s)


def _idled(fleet: TrackedFleet, event: Idled, now: Now) -> Track | None:
    track = fleet.of_run(event.run_id)
    return None if track is None else replace(track, idle_since_s=epoch_s(event.timestamp), settling=False)


def _terminated(fleet: TrackedFleet, event: Terminated, now: Now) -> Track | None:
    track = fleet.of_run(event.run_id)
    if track is None or track.run_id != event.run_id:
        return None
    if event.error is None:
        return replace(track, ended="its query was stopped")
    why = first_line(event.error)
    ended = replace(track, ended=f"its query failed: {why}")
    return ended if track.job.function is None else _failed_by(ended, why, now)


def _adopted(fleet: TrackedFleet, found: Adopted, now: Now) -> Track | None:
    track = fleet.tracks.get(found.query.name or "")
    if track is None:
        return None
    return replace(track.begun(found.query.runId, now.wall_s), query=found.query, pooled=found.pooled)


def _running(fleet: TrackedFleet, start: Running, now: Now) -> Track | None:
    """Of one that has died already its end may have been told before."""
    before = fleet.named(start.job)
    track = replace(before, settling=before.run_id is not None).begun(start.query.runId, now.wall_s)
    if track.ended is not None:
        return track
    return replace(track, query=start.query, pooled=True, attempts=track.attempts.started(now.even_s))


def _failed(fleet: TrackedFleet, start: Failed, now: Now) -> Track | None:
    return _failed_by(fleet.named(start.job), start.error, now)


def _met(fleet: TrackedFleet, found: Met, now: Now) -> Track | None:
    track = fleet.of_run(found.query.runId)
    return None if track is None or track.run_id != found.query.runId else replace(track, query=found.query)


def _files_wait(fleet: TrackedFleet, found: FilesWait, now: Now) -> Track | None:
    return fleet.named(found.job).with_rows_held_back(found.files)


def _stage_read(fleet: TrackedFleet, read: StageRead, now: Now) -> Track | None:
    """Its pool says whether shares reach the query; not that of a run before."""
    track = fleet.of_run(read.reading.run_id)
    if track is None:
        return None
    pooled = read.reading.pool == track.job.name or not track.job.own_pool
    pooled = pooled if read.reading.run_id == track.run_id else track.pooled
    return replace(track, stages=track.stages.and_also(read.reading, now.wall_s, read.name), pooled=pooled)


def _arrived(fleet: TrackedFleet, found: Arrived, now: Now) -> Track | None:
    track = fleet.named(found.job)
    return replace(track, arrivals=track.arrivals.and_also(ArrivedBy(now.wall_s, found.rows), fleet.keep_s))


def _failed_by(track: Track, why: str, now: Now) -> Track:
    return replace(track, attempts=track.attempts.failed(why, now.even_s, track.job.restart, now.wall_s))


_HANDLERS: Mapping[type[Stimulus], Callable[[TrackedFleet, Any, Now], Track | None]] = {
    Started: _started,
    Progressed: _progressed,
    Idled: _idled,
    Terminated: _terminated,
    Adopted: _adopted,
    Running: _running,
    Failed: _failed,
    Met: _met,
    FilesWait: _files_wait,
    StageRead: _stage_read,
    Arrived: _arrived,
}
