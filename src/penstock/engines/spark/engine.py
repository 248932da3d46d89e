"""The Spark engine: translates one application to core values, and steps to deeds in it."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from penstock.core.figures import JobFigures, Snapshot
from penstock.core.levers import Dial, Move, Slots
from penstock.core.plan import Outcome, Step, StepOutcome
from penstock.core.shares import slot_share
from penstock.engines.spark.apart import Apart
from penstock.engines.spark.deeds import DeedLog
from penstock.engines.spark.elastic import Elastic
from penstock.engines.spark.jobs import Job, JobFunction, Writer
from penstock.engines.spark.jvm.batch_bound import BatchBounds
from penstock.engines.spark.jvm.executors import ExecutorLever
from penstock.engines.spark.jvm.features import check_session
from penstock.engines.spark.jvm.heap import StandaloneHeap
from penstock.engines.spark.jvm.kafka_sources import ArrivalWatch
from penstock.engines.spark.jvm.listener import QueryEvents
from penstock.engines.spark.jvm.lock import ControllerLease
from penstock.engines.spark.jvm.machines import ExecutorReader
from penstock.engines.spark.jvm.pools import FairPools
from penstock.engines.spark.jvm.stages import StageReader
from penstock.engines.spark.jvm.starts import start_query
from penstock.engines.spark.levers.batch_bound import BatchBoundLever
from penstock.engines.spark.levers.executors import ExecutorsLever
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.levers.memory import MemoryLever
from penstock.engines.spark.levers.planned import PartitionsLever, TasksLever, TriggerLever
from penstock.engines.spark.levers.slots import SlotsLever
from penstock.engines.spark.levers.table import TableLever
from penstock.engines.spark.planned import PlannedRestarts
from penstock.engines.spark.restarts import Attempts
from penstock.engines.spark.routing.reroute import Routed
from penstock.engines.spark.routing.watch import RouteWatch
from penstock.engines.spark.shares import Sharing
from penstock.engines.spark.starting import Ended, Starts
from penstock.engines.spark.watch.fleet import Fleet
from penstock.engines.spark.watch.garbage import GarbageWatch
from penstock.engines.spark.watch.machines import machines
from penstock.engines.spark.watch.track import Standing, Track
from penstock.errors import ApplicationGoneError, EngineError, GoverningEndsError, first_line, told

_log = logging.getLogger("penstock.spark")


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """How an application is watched."""

    window_s: float = 60.0  # figures are over so much time; juice's window in Henge, section 5
    sharing: Sharing = Sharing.GOVERNED
    route_window_s: float = 600.0  # key pairs are told of in windows of so much time
    pin_routes: bool = True  # keep the partitions of jobs with a route in their places; not in a dry run
    executors: int | None = None  # at most so many, as many as the jobs have slots for; None leaves their number alone
    down_since_s: float | None = None  # when the driver before this one died, in seconds since the epoch
    lease_s: float = 45.0  # a controller that is silent for so long may be replaced: four rounds and a bit


class SparkEngine:
    """Governs the named queries of one Spark application. `open` it before use and `close` it after."""

    def __init__(
        self,
        spark: SparkSession,
        jobs: Sequence[Job],
        settings: SparkSettings = SparkSettings(),
        wall: Callable[[], float] = time.time,
        ask_memory: Callable[[int], None] | None = None,
        even: Callable[[], float] = time.monotonic,
    ) -> None:
        """`ask_memory` is told of how many MiB executors shall have, by whoever can start the application again.

        `wall` is the clock that Spark tells time by; whatever lasts is measured by `even`, which nobody sets.
        """
        check_session(spark)
        self._spark = spark
        self._settings = settings
        self._wall = wall
        self._even = even
        self._starts: Starts[StreamingQuery] = Starts(clock=even)
        context = spark.sparkContext
        own_pools = settings.sharing is not Sharing.FIFO
        self._fleet = Fleet([replace(job, own_pool=own_pools) for job in jobs], keep_s=2 * settings.window_s)
        self._pools = FairPools(context)
        self._lease = ControllerLease.of(context, settings.lease_s)
        self._events = QueryEvents(spark, name_pools=own_pools)
        self._executor_reader = ExecutorReader(context)
        self._executors = ExecutorLever(context)
        self._garbage = GarbageWatch(settings.window_s)
        self._stages = StageReader(context)
        self._watch = ArrivalWatch()
        self._planned = PlannedRestarts(spark, self._fleet, self._slots, self._runs, self._fails, even)
        self._deeds = DeedLog()
        self._elastic: Elastic | None = None
        if settings.executors is not None:
            each = int(context.getConf().get("spark.executor.cores", "1") or 1)
            self._elastic = Elastic(self._executors, settings.executors, each, partial(self._deeds.note, None))
        self._slot_shares = SlotsLever(self._fleet, self._pools, settings.sharing, self._slots)
        self._bounds = BatchBoundLever(self._fleet, BatchBounds(spark), self._planned)
        levers: tuple[Lever[Any], ...] = (
            self._slot_shares,
            TasksLever(self._fleet, self._planned),
            ExecutorsLever(self._executors, self._elastic, even),
            MemoryLever(StandaloneHeap(context) if str(context.master).startswith("spark://") else None, ask_memory),
            PartitionsLever(self._fleet, self._planned),
            self._bounds,
            TriggerLever(self._fleet, self._planned),
            TableLever(self._fleet, self._planned),
        )
        self._levers = {lever.kind: lever for lever in levers}
        self._driver_host = context.getConf().get("spark.driver.host")

    def open(self) -> None:
        """Become the controller of the application, put every pool in place and see what runs already."""
        self._lease.take()
        self._events.attach()
        for track in self._fleet:
            track.threads = self._first_threads(track)
            track.attempts = Attempts(down_since_s=self._settings.down_since_s)
            if track.job.route is not None:
                routed = Routed(self._spark, track.job, track.job.route)
                track.watch = RouteWatch(routed, self._settings.route_window_s, table_since_s=self._wall())
            track.awaited_since_s = self._even()
            track.stages.open(self._wall())
        for query in self._spark.streams.active:
            # Told for certain by its next stage's pool: an earlier controller may have pooled it.
            self._fleet.adopt(query, self._wall(), pooled=True)
        self._slot_shares.push()
        self._follow()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The jobs as they would have to be started to go on as they stand, in another application for instance."""
        return tuple(
            replace(track.job, slots=track.threads, bound=self._bounds.wanted(track.job.name)) for track in self._fleet
        )

    def note(self, text: str, why: str) -> None:
        """Have it in the record that this was done to the application, by whoever started it."""
        self._deeds.note(None, text, why)

    def begin_jobs(self) -> None:
        """Begin to start every job that has a function and does not run yet; `tend` takes up what comes of it."""
        for track in self._fleet:
            if track.run_id is None and track.job.function is not None:
                self._begin(track)

    def start_jobs(self) -> None:
        """Start them, and wait until each was started or could not be."""
        self.begin_jobs()
        self._starts.wait()
        apart = Apart()
        self._take_starts(apart)
        apart.tell()

    def close(self, stop_queries: bool = False) -> None:
        """Stop governing; the queries run on with their last shares unless told otherwise."""
        self._events.detach()
        if stop_queries:
            for track in self._fleet:
                if track.query is not None and track.job.function is not None:
                    track.query.stop()
        self._lease.release()

    def ping(self) -> None:
        """Return as soon as the JVM has answered."""
        self._spark.sparkContext._jvm.java.lang.System.nanoTime()  # type: ignore[union-attr]

    def tend(self) -> None:
        """Between rounds: keep the lease, start again what died and waited long enough, change what awaits its end.

        Each part and each job for itself; an EngineError tells of those where something went wrong.
        """
        self._check_alive()
        self._lease.renew()
        apart = Apart()
        self._take_starts(apart)
        self._take_events(apart)
        with apart.trying("windows of key pairs"):
            self._fleet.close_windows(self._wall())
        with self._lease.held():
            with apart.trying("executors"):
                self._keep_executors()
            if self._settings.pin_routes:
                with apart.trying("places of state"):
                    self._fleet.keep_places(self._even(), self._deeds)
            for track in self._fleet:
                with apart.trying(track.job.name):
                    self._tend(track)
        apart.tell()

    def _tend(self, track: Track) -> None:
        track.starting_s = self._starts.under_way_s(track.job.name)
        due = track.starting_s is None and track.attempts.due(self._even())
        if due or track.awaited is not None:
            self._lease.renew()  # a long deed for another job may have come between, or a pause of the whole process
        if due:
            self._begin(track)
        self._planned.carry_on(track)
        self._keep_bound(track)

    def _check_alive(self) -> None:
        """An ApplicationGoneError once nothing is there to be governed."""
        context = self._spark.sparkContext
        process = getattr(context._gateway, "proc", None)
        if process is not None and process.poll() is not None:
            raise ApplicationGoneError(
                f"Spark's JVM has ended with exit code {process.poll()}, and all queries with it"
            )
        scheduler: Any = context._jsc
        if scheduler is None or scheduler.sc().isStopped():
            raise ApplicationGoneError("Spark has ended this application, and all queries with it")

    def _keep_bound(self, track: Track) -> None:
        why = "its query was started again with the bound of its options"
        try:
            done = self._bounds.keep(track)
        except EngineError as error:  # a query may end meanwhile, and the others are to be looked after
            self._deeds.note(track.job.name, "its bound is not set again yet", why, told(error))
            return
        if done is not None:
            self._deeds.note(track.job.name, done, why)

    def observe(self, now: float) -> Snapshot:
        """All jobs and machines at this instant; what could not be read is left out, and told as a deed."""
        self._check_alive()
        self._lease.renew()
        apart = Apart()
        wall_s = self._wall()
        self._look(apart, wall_s)
        executors = self._executor_reader.read()
        slots = self._slots()
        jobs = tuple(self._figures(track, slots, wall_s, now) for track in self._fleet)
        dials = self._dials(apart, wall_s)
        for part, error in apart.errors:
            self._deeds.note(None, f"{part} could not be read", "the round goes on without", error)
        return Snapshot(
            at_s=now,
            jobs=jobs,
            machines=machines(executors, self._driver_host, self._garbage.shares(executors, self._even())),
            max_threads=None if self._elastic is None else self._elastic.slots(self._even()),
            routes=self._fleet.routes(),
            levers=dials,
            deeds=self._deeds.told(now),
        )

    def _dials(self, apart: Apart, wall_s: float) -> tuple[Dial, ...]:
        """Those of the whole application."""
        dials: list[Dial | None] = []
        for kind, lever in self._levers.items():
            with apart.trying(f"lever {kind}"):
                dials.append(lever.of_all(wall_s))
        return _known(dials)

    def _look(self, apart: Apart, wall_s: float) -> None:
        """Bring the tracks up to date."""
        self._take_starts(apart)
        self._take_events(apart)
        with apart.trying("queries"):
            if self._fleet.lacks_queries:
                self._fleet.meet(self._spark.streams.active)
        with apart.trying("waiting files"):
            self._fleet.take_waiting_files()
        with apart.trying("stages"):
            self._fleet.take_stages(self._stages, wall_s)
        with apart.trying("arrivals"):
            self._fleet.take_arrivals(self._watch, wall_s)
        with apart.trying("places of state"):
            self._fleet.see_places()

    def _figures(self, track: Track, slots: int, wall_s: float, now: float) -> JobFigures:
        """A job of which something cannot be told is one of which nothing is known: the others are governed on."""
        try:
            return self._told(track, slots, wall_s, now)
        except GoverningEndsError:
            raise
        except Exception as error:
            _log.warning("%s: nothing can be told of it: %s", track.job.name, told(error))
            unknown = Track(track.job, track.threads)
            trouble = f"nothing can be told of it this round: {told(error)}"
            standing = Standing(float(track.threads), track.threads, slots, self._settings.window_s, wall_s)
            return replace(unknown.figures(standing), trouble=trouble)

    def _told(self, track: Track, slots: int, wall_s: float, now: float) -> JobFigures:
        dials = _known(lever.of_job(track, wall_s) for lever in self._levers.values())
        standing = replace(self._standing(track, slots, wall_s), at_s=now, even_s=self._even())
        found = track.figures(standing, dials)
        changed = self._elastic is not None and self._elastic.settles(self._even(), self._settings.window_s)
        return replace(found, settling=True) if changed else found

    def apply(self, steps: Sequence[Step]) -> Outcome:
        """Carry the steps out in order; one that fails half-way is taken back whole.

        Nothing is done, and nothing taken back, once another controller has the application.
        """
        with self._lease.held():
            outcome = Outcome(tuple(self._apply(step) for step in steps))
            if self._lease.ours:
                self._follow_plan()
        return outcome

    def _follow_plan(self) -> None:
        """Executors after a plan; where the cluster manager refuses, the plan's steps are done all the same."""
        try:
            self._follow()
        except Exception as error:
            _log.warning("executors do not follow the jobs' slots: %s", told(error))
            self._deeds.note(None, "executors stay as they are", "the jobs' slots have changed", told(error))

    def _apply(self, step: Step) -> StepOutcome:
        done: list[Move] = []
        try:
            for move in step.moves:
                self._lease.renew()
                _log.info("about to turn %s %s", move.job, move.text)
                self._turn(move)
                _log.info("turned %s %s", move.job, move.text)
                done.append(move)
        except Exception as error:
            _log.warning("%s failed: %s", step.job, told(error))
            return self._undo(step, done, told(error))
        return StepOutcome(step)

    def _undo(self, step: Step, done: Sequence[Move], why: str) -> StepOutcome:
        if not done:
            return StepOutcome(step, why)
        what = ", ".join(f"{move.job} {move.text}" for move in done)
        try:
            for move in reversed(done):
                self._lease.renew()
                self._turn(move.undo)
        except Exception as error:
            _log.warning("%s could not be taken back: %s", what, told(error))
            return StepOutcome(step, f"{why}; not undone: {what}, because {told(error)}", undone=False)
        return StepOutcome(step, f"{why}; undone: {what}", undone=True)

    def _turn(self, move: Move) -> None:
        lever: Lever[Any] | None = self._levers.get(move.kind)
        if lever is None:
            raise EngineError(f"{move.job}: there is no {move.kind} to turn here; there are {', '.join(self._levers)}")
        lever.turn(move, self._wall())

    def _runs(self, track: Track, query: StreamingQuery) -> None:
        track.settling = track.run_id is not None
        self._fleet.running(track.job.name, query, self._wall(), self._even())
        if track.tasks:
            self._slot_shares.push()

    def _begin(self, track: Track) -> None:
        """Start it in a thread of its own: a tenant's function takes as long as it takes."""
        job = replace(track.job, function=self._while_ours(track.job.function))
        self._starts.begin(job.name, lambda: self._started(track, job))

    def _while_ours(self, function: JobFunction | None) -> JobFunction | None:
        """The function; what it made is not started once another controller has the application."""
        if function is None:
            return None

        def made(session: SparkSession) -> Writer:
            found = function(session)
            self._lease.renew()
            return found

        return made

    def _started(self, track: Track, job: Job) -> StreamingQuery:
        track.tasks = self._planned.room_for(job, as_left=True, within_s=None)
        self._fleet.promise(job.name, track.kept_slots)
        return start_query(self._spark, job, within_s=None)

    def _take_starts(self, apart: Apart) -> None:
        """What came of the starts that have ended."""
        for ended in self._starts.take():
            track = self._fleet.named(ended.name)
            track.starting_s = None
            self._fleet.promise(ended.name, 0)
            with apart.trying(ended.name):
                self._take_start(track, ended)

    def _take_start(self, track: Track, ended: Ended[StreamingQuery]) -> None:
        again = track.attempts
        if ended.made is None:  # a tenant's own code may raise anything; the other tenants go on
            self._fails(track, ended.error or EngineError("nothing was started"))
        else:
            self._runs(track, ended.made)
        if again.error is not None and again.due_s is not None:
            why = f"it failed: {again.error}"
            self._deeds.note(track.job.name, "its query was started again", why, track.attempts.text(self._even()))

    def _fails(self, track: Track, error: BaseException) -> None:
        said = first_line(error) if isinstance(error, Exception) else f"its function ended the interpreter: {error!r}"
        _log.warning("%s could not start: %s", track.job.name, said)
        track.attempts = track.attempts.failed(said, self._even(), track.job.restart, self._wall())

    def _first_threads(self, track: Track) -> int:
        """What an earlier controller left in the pool, else what the tenant asked for, else an equal share."""
        limits, slots = track.job.limits, self._slots()
        running = any(query.name == track.job.name for query in self._spark.streams.active)
        kept = self._pools.share(track.job.name) if running else None
        wanted = track.job.slots or max(1, slots // len(self._fleet))
        most = slots if limits.max_slots is None else limits.max_slots
        return max(1, limits.min_slots, min(most, kept.weight if kept is not None else wanted))

    def _standing(self, track: Track, slots: int, wall_s: float) -> Standing:
        if track.tasks:
            left = self._left_for(track, slots)
            return Standing(float(track.kept_slots), track.threads, left, self._settings.window_s, wall_s)
        total = sum(other.threads for other in self._fleet if not other.tasks)
        shared = max(1, slots - sum(self._fleet.kept_slots().values()))
        share = slot_share(track.threads, total, shared)
        return Standing(share, self._slot_shares.observed(track), slots, self._settings.window_s, wall_s)

    def _left_for(self, track: Track, slots: int) -> int:
        """The slots that a real-time job may hold for good: micro-batches beside it need one at least."""
        for_batches = 1 if any(not other.tasks for other in self._fleet) else 0
        return slots - self._fleet.kept_by_others(track.job.name) - for_batches

    def _take_events(self, apart: Apart) -> None:
        for event in self._events.drain():
            with apart.trying("events"):
                self._fleet.take([event], self._wall(), self._even())

    def _follow(self) -> None:
        """Executors for the slots that the jobs have now, after all of a plan's steps: what one gives another takes."""
        if self._elastic is not None:
            self._elastic.follow(sum(track.threads for track in self._fleet), self._even())

    def _keep_executors(self) -> None:
        if self._elastic is None:
            return
        self._elastic.keep(self._even())
        slots = self._elastic.slots(self._even())
        given_up = self._fleet.fit(slots)
        for name, (before, after) in given_up.items():
            self._deeds.note(name, Slots(name, before, after).text, f"the cluster gives {slots} in all")
        if given_up:
            self._slot_shares.push()

    def _slots(self) -> int:
        if self._elastic is not None:
            return self._elastic.slots(self._even())
        return max(1, sum(executor.slots for executor in self._executor_reader.read()))


def _known(dials: Iterable[Dial | None]) -> tuple[Dial, ...]:
    return tuple(dial for dial in dials if dial is not None)
