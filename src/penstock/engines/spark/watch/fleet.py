"""The fleet: the tracks of all jobs, kept true by the events of their queries."""

import logging
from collections.abc import Iterator, Sequence

from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.routes import RouteFigures
from penstock.engines.spark.deeds import DeedLog
from penstock.engines.spark.jobs import Job
from penstock.engines.spark.jvm.files import waiting_files
from penstock.engines.spark.jvm.kafka_sources import ArrivalWatch
from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.routing.watch import RouteWatch
from penstock.engines.spark.watch.events import Event, Idled, Progressed, Started, Terminated
from penstock.engines.spark.watch.progress import epoch_s, parse_batch
from penstock.engines.spark.watch.stages import StageReading
from penstock.engines.spark.watch.track import Track
from penstock.errors import ConfigError, EngineError, PenstockError, first_line

_KEPT_TOGETHER = "equal partitions of all its operators stay on one executor"

_log = logging.getLogger("penstock.spark")


class Fleet:
    """All jobs by name, in a stable order."""

    def __init__(self, jobs: Sequence[Job], keep_s: float) -> None:
        names = [job.name for job in jobs]
        for name in names:
            if names.count(name) > 1:
                raise ConfigError("jobs", name, "give each job a name of its own")
        self._tracks = {job.name: Track(job, threads=1) for job in sorted(jobs, key=lambda job: job.name)}
        self._runs: dict[str, str] = {}
        self._promised: dict[str, int] = {}  # slots of long-lived tasks that are being started
        self._keep_s = keep_s

    def __iter__(self) -> Iterator[Track]:
        return iter(self._tracks.values())

    def __len__(self) -> int:
        return len(self._tracks)

    def named(self, name: str) -> Track:
        """The track of that job; an EngineError lists the jobs there are."""
        if name not in self._tracks:
            raise EngineError(f"there is no job named {name!r}; there are: {', '.join(self._tracks) or 'none'}")
        return self._tracks[name]

    def kept_slots(self) -> dict[str, int]:
        """The slots that real-time jobs hold for good, or are about to, by job."""
        held = {track.job.name: track.kept_slots for track in self if track.tasks and track.runs}
        return {**held, **self._promised}

    def promise(self, name: str, slots: int) -> None:
        """The job is being started with long-lived tasks in so many slots; 0 when that is over."""
        self._promised.pop(name, None) if slots == 0 else self._promised.update({name: slots})

    def kept_by_others(self, name: str) -> int:
        """The slots that the long-lived tasks of all jobs but this one hold."""
        return sum(slots for job, slots in self.kept_slots().items() if job != name)

    def fit(self, slots: int) -> dict[str, tuple[int, int]]:
        """The jobs' threads within so many slots: who has most gives first, and all keep one.

        Told are the threads before and after of those who gave.
        """
        before = {track.job.name: track.threads for track in self}
        while sum(track.threads for track in self) > slots:
            most = max(self, key=lambda track: (track.threads, track.job.name))
            if most.threads <= max(1, most.job.limits.min_slots):
                break
            most.threads -= 1
        return {name: (had, has) for name, had in before.items() if (has := self._tracks[name].threads) != had}

    def adopt(self, query: StreamingQuery, at_s: float, pooled: bool) -> None:
        """A query that runs belongs to the job of its name, when there is one."""
        if query.name in self._tracks:
            self._begin(query.name, query.runId, at_s).pooled = pooled
            self._tracks[query.name].query = query

    def running(self, name: str, query: StreamingQuery, wall_s: float, even_s: float | None = None) -> None:
        """The engine started this query for that job; `even_s` is now on the clock that nobody sets.

        Of one that has died already its end may have been told before.
        """
        track = self._begin(name, query.runId, wall_s)
        if track.ended is not None:
            return
        track.query, track.pooled = query, True
        track.attempts = track.attempts.started(wall_s if even_s is None else even_s)

    def take(self, events: Sequence[Event], wall_s: float, even_s: float | None = None) -> None:
        """Bring the tracks up to date; `even_s` is now on the clock that nobody sets."""
        for event in events:
            if isinstance(event, Started):
                self._started(event)
            elif isinstance(event, Progressed):
                self._progressed(event)
            elif isinstance(event, Idled):
                self._idled(event)
            else:
                self._terminated(event, wall_s, wall_s if even_s is None else even_s)

    def take_waiting_files(self) -> None:
        """Count the files that wait as held back."""
        for track in self:
            waiting = waiting_files(track.query) if track.runs and track.query is not None else None
            if waiting is not None:
                track.hold_back(waiting)

    def take_stages(self, reader: StageReader, wall_s: float) -> None:
        """Bring the stage histories up to date."""
        for reading in reader.read():
            track = self._of_run(reading.run_id)
            if track is not None:
                track.stages.add(reading, wall_s, reader.name)
                self._check_pool(track, reading)

    @property
    def lacks_queries(self) -> bool:
        """Whether a query runs that is known by its events only."""
        return any(track.runs and track.query is None for track in self)

    def meet(self, queries: Sequence[StreamingQuery]) -> None:
        """These queries run: those of ours are known by more than their events from now on."""
        for query in queries:
            track = self._of_run(query.runId)
            if track is not None and track.run_id == query.runId:
                track.query = query

    def take_arrivals(self, watch: ArrivalWatch, wall_s: float) -> None:
        """Note what has arrived at the brokers of the queries that run."""
        queries = {track.job.name: track.query for track in self if track.query is not None and track.runs}
        for name, rows in watch.read(queries).items():
            self._tracks[name].see(rows, wall_s, self._keep_s)

    def close_windows(self, wall_s: float) -> None:
        """Windows of key pairs that are full end."""
        for track in self:
            if track.watch is None or not track.runs:
                continue
            try:
                track.watch.close_window(wall_s, track.key_bytes)
            except PenstockError as error:  # its book was lost, say: the others' windows end all the same
                _log.warning("%s: its window of key pairs did not end; %s", track.job.name, error)

    def routes(self) -> tuple[RouteFigures, ...]:
        """The routes of queries that run, each by its last window that has ended."""
        watched = [track.watch for track in self if track.watch is not None and track.runs]
        return tuple(watch.told for watch in watched if watch.told is not None)

    def see_places(self) -> None:
        """Note where the state partitions of jobs with a route are."""
        for _, watch, query in self._routed():
            try:
                watch.see_places(query)
            except EngineError as error:  # a query may end meanwhile; the next round looks again
                _log.warning("%s", error)

    def keep_places(self, now: float, deeds: DeedLog) -> None:
        """The state partitions of jobs with a route go back to where Spark moved them from.

        `now` is on a clock that nobody sets.
        """
        for name, watch, query in self._routed():
            try:
                sent = watch.keep_places(query, now)
            except EngineError as error:  # a query may end meanwhile; the next moment tries again
                deeds.note(name, "state partitions were to be sent to their executors", _KEPT_TOGETHER, str(error))
                continue
            if sent:
                deeds.note(name, f"{sent} state partitions sent to their executors", _KEPT_TOGETHER)

    def _routed(self) -> Iterator[tuple[str, RouteWatch, StreamingQuery]]:
        for track in self:
            if track.watch is not None and track.query is not None and track.runs:
                yield track.job.name, track.watch, track.query

    def _check_pool(self, track: Track, reading: StageReading) -> None:
        track.pooled = reading.pool == track.job.name or not track.job.own_pool

    def _begin(self, name: str, run_id: str, at_s: float) -> Track:
        track = self._tracks[name]
        if track.run_id != run_id:
            self._runs[run_id] = name
            track.begin(run_id, at_s)
        return track

    def _of_run(self, run_id: str) -> Track | None:
        name = self._runs.get(run_id)
        return None if name is None else self._tracks[name]

    def _started(self, event: Started) -> None:
        """Somebody's query of a job's name; one that began before the job's own is over, or about to be.

        So is the one that runs an unfinished batch to its end while a state is moved.
        """
        track, began_s = self._tracks.get(event.name or ""), epoch_s(event.timestamp)
        if track is None or event.run_id in self._runs or began_s < (track.started_s or 0.0):
            return
        self._begin(track.job.name, event.run_id, began_s).pooled = True

    def _progressed(self, event: Progressed) -> None:
        _, batch = parse_batch(event.json)
        track = self._of_run(batch.run_id)
        if track is not None:
            track.add(batch, self._keep_s)

    def _idled(self, event: Idled) -> None:
        track = self._of_run(event.run_id)
        if track is not None:
            track.idle_since_s = epoch_s(event.timestamp)
            track.settling = False

    def _terminated(self, event: Terminated, wall_s: float, even_s: float) -> None:
        track = self._of_run(event.run_id)
        if track is None or track.run_id != event.run_id:
            return
        track.ended = "its query was stopped" if event.error is None else f"its query failed: {first_line(event.error)}"
        if event.error is not None and track.job.function is not None:
            track.attempts = track.attempts.failed(first_line(event.error), even_s, track.job.restart, wall_s)
