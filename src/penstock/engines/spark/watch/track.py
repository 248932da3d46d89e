"""The track of one job: what the engine knows of it between two rounds, and the figures that it makes of that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from penstock.core.levers import Dial
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, OperatorFigures
from penstock.core.seen.key_placement import KeyPlacement
from penstock.core.seen.trouble import Trouble, TroubleKind, trouble
from penstock.engines.first_batches import FirstBatches
from penstock.engines.lost_executors import JobLoss, Shortage, with_shortage
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.modes import LongLived
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.jobs.restarts import Attempts, Health
from penstock.engines.spark.watch.arrivals import Arrivals
from penstock.engines.spark.watch.ended_batches import ended_batches, worked_batches
from penstock.engines.spark.watch.failed import last_failure
from penstock.engines.spark.watch.files import WaitingFiles
from penstock.engines.spark.watch.flow import Flow, curves, rows_per_offset
from penstock.engines.spark.watch.latency import held_up, latency, real_time_latency
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.python_time import UNMEASURED
from penstock.engines.spark.watch.stage_figures import StageHistory

NO_QUERY_AFTER_S = 30.0  # a query that has not started by then is said not to be there
NO_ROWS_AFTER_S = 30.0  # a query that has not committed a batch by then is said to have none
STARTS_WITHIN_S = 10.0  # a start that takes longer is told of
SETTLES_WITHIN_S = 60.0  # one that commits nothing for so long must not keep the others waiting
REAL_TIME_SETTLES_WITHIN_S = 150.0
_IN_BATCH_ALL_THE_TIME = 0.95  # share of the window spent inside batches


@dataclass(frozen=True, slots=True)
class Yardstick:
    """What a job's figures are measured against: the slots that its threads stand for, and the window."""

    share_slots: float
    threads: int  # that its pool stands for: what was observed, where the track holds what was asked
    slots: int  # that it could have, of all there are
    window_s: float
    wall_s: float
    at_s: float = 0.0  # the same instant, as the snapshot has it
    even_s: float | None = None  # and on the clock that nobody sets, where that is another than the wall's
    settles: bool = False  # whether all figures are those of another number of executors
    python_share: float = UNMEASURED  # of the time that its tasks wait for Python workers, that these have a core
    jobs: int = 1  # that share the slots


@dataclass(frozen=True, slots=True)
class AwaitedTasks:
    """A real-time job with other tasks, which it becomes when the batch after this one has ended.

    It is due by `ends_s`, on a clock that nobody sets.
    """

    job: Job
    partitions: int
    tasks: tuple[LongLived, ...]
    after_batch: int | None
    ends_s: float


@dataclass(frozen=True, slots=True)
class Track:
    """One job as the engine knows it. What happens to it gives another track, see `take`."""

    job: Job
    threads: int  # that were asked of its pool
    query: Query | None = None  # to hand on; nobody here asks it anything
    run_id: str | None = None
    started_s: float | None = None
    awaited_since_s: float | None = None  # when the engine began to look out for it, on a clock that nobody sets
    pooled: bool = True  # whether its query was started into its pool, so that shares reach it
    settling: bool = False
    tasks: tuple[LongLived, ...] = ()  # in real-time mode: those that it keeps for good
    awaited: AwaitedTasks | None = None
    ended: str | None = None  # why a query that we did not start is gone
    attempts: Attempts = Attempts()
    starting_s: float | None = None  # for how long its start has been under way
    start_awaits: str | None = None  # what that waits for where it is no function, in words
    restarts: bool = False  # by a planned restart, which goes on beside the rounds: nothing else is done to it
    oversleeps_s: float = 0.0  # by which this run's next batch may be late: the wall's clock was set back
    idle_since_s: float | None = None
    batches: tuple[Batch, ...] = ()
    arrivals: Arrivals = Arrivals()  # as the broker says, where the job reads from one
    stages: StageHistory = StageHistory()
    first: FirstBatches | None = None  # while they are bounded, of this run or one that is about to begin
    loss: JobLoss | None = None  # of executors, the last that came while it ran

    def begun(self, run_id: str, at_s: float) -> "Track":
        """A run of its query began."""
        if self.run_id == run_id:
            return self
        fresh = {"ended": None, "idle_since_s": None, "query": None, "oversleeps_s": 0.0}
        return replace(self, run_id=run_id, started_s=at_s, **fresh)  # type: ignore[arg-type]

    def clock_set(self, by_s: float) -> "Track":
        """The wall's clock was set by so much: what was is as long ago as before."""
        batches = (
            replace(one, started_s=one.started_s + by_s, committed_s=one.committed_s + by_s) for one in self.batches
        )
        return replace(
            self,
            started_s=None if self.started_s is None else self.started_s + by_s,
            idle_since_s=None if self.idle_since_s is None else self.idle_since_s + by_s,
            batches=tuple(batches),
            attempts=self.attempts.clock_set(by_s),
            loss=None if self.loss is None else self.loss.clock_set(by_s),
            oversleeps_s=max(0.0, self.oversleeps_s - by_s) if self.runs else 0.0,
        )

    def with_rows_held_back(self, waiting: WaitingFiles) -> "Track":
        """Files wait beyond the last batch: its source has that many more rows."""
        if not self.batches or self.batches[-1].held_back_rows is not None:
            return self
        last = self.batches[-1]
        return replace(self, batches=(*self.batches[:-1], replace(last, held_back_rows=waiting.rows(last.rows))))

    def short_of(self, shortage: Shortage) -> "Track":
        """Executors were lost, or as many run again."""
        ran_on = self.runs and self.started_s is not None and self.started_s <= shortage.since_s
        ran = tuple(worked_batches(self.batches, self.stages)) if ran_on else None
        return replace(self, loss=with_shortage(self.loss, shortage, self.threads, ran))

    def figures(
        self, standing: Yardstick, levers: tuple[Dial, ...] = (), keys: tuple[KeyPlacement, ...] = ()
    ) -> JobFigures:
        """The job at this instant; `levers` are those that it has beside its threads, `keys` where a route's are."""
        # Of a query that is gone nothing is known: absent figures do not hold the other tenants up.
        batches = self.batches if self.runs else ()
        found = curves(batches, standing.wall_s, self.idle_since_s, tuple(self.arrivals))
        flow = found.flow(standing.window_s) if found is not None else None
        from_s = flow.start_s if flow is not None else standing.wall_s - standing.window_s
        limits = self.job.limits
        arrival_rps, backlog_rows = self._arrivals(flow, batches, standing.window_s)
        wrong, last = self.trouble(standing.wall_s, standing.even_s), last_failure(self.attempts, self.loss)
        operator = replace(self._operator(flow, batches, standing), backlog_rows=backlog_rows)
        return JobFigures(
            name=self.job.name,
            operators=self._long_lived(operator, standing) or (operator,),
            # In real-time mode a row is done long before its batch, whose times tell nothing of it.
            latency=real_time_latency(batches, from_s, standing.wall_s)
            if self.tasks
            else latency(batches, found, from_s),
            juice=flow.juice if flow is not None else None,
            arrival_rps=arrival_rps,
            processed_rps=flow.processed / flow.span_s if flow is not None else None,
            working_rps=_working_rps(batches, standing.wall_s - standing.window_s),
            backlog_rows=backlog_rows,
            settling=standing.settles or self.awaited is not None or self._settles(standing.wall_s),
            up_s=self._up_s(standing.wall_s),
            downtime_s=last.downtime_s,
            lost=last.lost,
            failed_at_s=_by_snapshot_s(last.at_s, standing),
            short_s=last.short_s,
            short_of=last.short_of,
            slowed=last.slowed,
            checkpoint_s=_mean_checkpoint_s(batches),
            max_threads=None if self.tasks else limits.max_slots,
            state_bytes=self.state_bytes if batches else None,
            phases_s={} if self.tasks else _mean_phases(batches),
            stages=self.stages.figures(standing.wall_s - standing.window_s, standing.wall_s, standing.share_slots),
            trouble=None if wrong is None else wrong.text,
            trouble_id=None if wrong is None else wrong.id,
            keys=keys if self.runs else (),
            levers=levers,
            batches=() if self.tasks else tuple(_ended(batches, self.stages, standing)),
        )

    def _arrivals(
        self, flow: Flow | None, batches: Sequence[Batch], window_s: float
    ) -> tuple[float | None, float | None]:
        """Rows a second that arrive, and rows that wait: the broker's word where there is one, else the flow's."""
        rate_rps = self.arrivals.rate_rps(window_s)
        end = batches[-1].offset_end if batches else None
        scale = rows_per_offset(batches) if batches else None
        if rate_rps is None or end is None or scale is None:
            if flow is None:  # too few batches to tell, but a query that is idle has nothing to read
                return (0.0, 0.0) if self.runs and self.idle_since_s is not None else (None, None)
            return flow.arrived / flow.span_s, flow.backlog_rows
        waiting = self.arrivals.beyond(end)
        return rate_rps * scale, None if waiting is None else waiting * scale

    def trouble(self, wall_s: float, even_s: float | None = None) -> Trouble | None:
        """What is wrong with the job; `even_s` is the same instant on the clock that nobody sets."""
        if self.starting_s is not None and self.starting_s > STARTS_WITHIN_S:
            what, waits = ("planned restart", "batch or function") if self.restarts else ("start", "function")
            why = self.start_awaits or f"its {waits} has not returned"
            said = f"its {what} has taken {self.starting_s:.0f} s so far: {why}"
            return trouble(TroubleKind.SLOW_START, said)
        if self.restarts:
            return None
        now = wall_s if even_s is None else even_s
        waiting = self.attempts.of_job(self.job.name, now)
        if waiting is not None:
            return waiting
        if self.ended:
            kind = TroubleKind.ENDED if self.job.function is None else TroubleKind.STOPPED
            return trouble(kind, self.ended, self.ended)
        if self.run_id is None or self.ended is not None:
            return self._not_there(now)
        if not self.pooled:
            said = "it was started before penstock, outside its pool: its share can move after its next start"
            return trouble(TroubleKind.OUTSIDE_POOL, said)
        up_s = self._up_s(wall_s)
        if not any(batch.rows > 0 for batch in self.batches) and up_s is not None and up_s > NO_ROWS_AFTER_S:
            return trouble(TroubleKind.NO_ROWS, f"no row came through in the {up_s:.0f} s since its start")
        return None

    def _not_there(self, now: float) -> Trouble | None:
        """A query that the engine itself starts is on its way; another may take its time before it is missed."""
        on_its_way = self.job.function is not None or self.awaited_since_s is None
        if on_its_way or now - (self.awaited_since_s or 0.0) <= NO_QUERY_AFTER_S:
            return None
        return trouble(TroubleKind.ABSENT, f"no query named {self.job.name!r} runs")

    def _operator(self, flow: Flow | None, batches: Sequence[Batch], standing: Yardstick) -> OperatorFigures:
        limits = self.job.limits
        # What tasks of a query that is gone used says nothing of what it needs.
        busy = self.stages.busy(standing.wall_s - standing.window_s, standing.wall_s) if self.runs else None
        have_s = None if busy is None else max(standing.share_slots, 1e-9) * busy.span_s
        on_cores_s = 0.0 if busy is None else busy.on_cores_s(standing.python_share)
        capacity = self._capacity(None if busy is None or not have_s else busy.busy_s / have_s, batches, standing)
        if flow is not None and flow.behind and _always_in_batch(batches, flow):
            capacity = max(capacity or 0.0, 1.0)
        return OperatorFigures(
            name=ALL_OPERATORS,
            threads=standing.threads,
            asked=None if standing.threads == self.threads else self.threads,
            capacity=capacity,
            rows_in_rps=flow.arrived / flow.span_s if flow is not None else None,
            rows_out_rps=flow.processed / flow.span_s if flow is not None else None,
            busy_share=None if capacity is None else min(1.0, capacity),
            cpu_share=None if busy is None or not have_s else min(1.0, on_cores_s / have_s),
            cores=None if busy is None or busy.span_s <= 0 else on_cores_s / busy.span_s,
            is_source=True,
            min_threads=max(1, limits.min_slots),
            max_threads=limits.most_weight(standing.slots, standing.jobs),
        )

    def _capacity(self, over_window: float | None, batches: Sequence[Batch], standing: Yardstick) -> float | None:
        """While no batch has ended also by the tasks that run now.

        Most of the window may lie before the first of them, and Spark tells of a task's time when it has ended.
        """
        if batches or not self.runs or not self.stages.running:
            return over_window
        return max(over_window or 0.0, min(1.0, self.stages.running / max(1.0, standing.share_slots)))

    @property
    def kept_slots(self) -> int:
        """The slots that its long-lived tasks hold."""
        return sum(operator.tasks for operator in self.tasks)

    def _long_lived(self, whole: OperatorFigures, standing: Yardstick) -> tuple[OperatorFigures, ...]:
        """In real-time mode threads are tasks, operator by operator; a source has one for each partition.

        A task takes up a row when what follows has taken its last, so that rows which wait at the source say that
        something is busy all the time, but not what; while none wait nobody knows how busy a long-lived task is.
        """
        capacity = 1.0 if held_up(self.batches) else None
        most = self._most_tasks(standing.slots)
        return tuple(
            OperatorFigures(
                name=operator.operator,
                threads=operator.tasks,
                capacity=capacity,
                cpu_share=whole.cpu_share,
                rows_in_rps=whole.rows_in_rps if operator.is_source else None,
                backlog_rows=whole.backlog_rows if operator.is_source else None,
                is_source=operator.is_source,
                min_threads=operator.tasks if operator.is_source else 1,
                max_threads=operator.tasks if operator.is_source else max(operator.tasks, most),
            )
            # What a policy gave is the job's own from then on, also while it awaits the end of its batch.
            for operator in (self.tasks if self.awaited is None else self.awaited.tasks)
        )

    def _most_tasks(self, slots: int) -> int:
        """Behind each shuffle, all of which have the same number, when the job may hold so many slots."""
        sources = sum(operator.tasks for operator in self.tasks if operator.is_source)
        shuffled = sum(not operator.is_source for operator in self.tasks)
        allowed = slots if self.job.limits.max_slots is None else min(slots, self.job.limits.max_slots)
        return (allowed - sources) // max(1, shuffled)

    @property
    def state_bytes(self) -> int | None:
        """The size of its state after the last batch."""
        return self.batches[-1].state_bytes if self.batches else None

    @property
    def key_bytes(self) -> float | None:
        """What a key of its state takes, in the mean over the keys of the newest batch that wrote some."""
        return next((batch.key_bytes for batch in reversed(self.batches) if batch.key_bytes is not None), None)

    @property
    def begins(self) -> bool:
        """Whether its batches are small for a while, as the first ones of this run."""
        return self.first is not None and self.first.run_id == self.run_id

    @property
    def runs(self) -> bool:
        """Whether its query is there, as far as is known."""
        return self.run_id is not None and self.ended is None and self.attempts.health is Health.RUNNING

    def _settles(self, wall_s: float) -> bool:
        """A query that is or was started again says nothing about its share until it has committed a batch.

        In real-time mode, two: what waited for the start is read at once, and its batch lasts until that is done.
        """
        up_s = self._up_s(wall_s)
        within_s = REAL_TIME_SETTLES_WITHIN_S if self.tasks else SETTLES_WITHIN_S
        if self.restarts:
            return (self.starting_s or 0.0) < within_s
        return self.settling and up_s is not None and up_s < within_s

    def _up_s(self, wall_s: float) -> float | None:
        return max(0.0, wall_s - self.started_s) if self.runs and self.started_s is not None else None


def _ended(batches: Sequence[Batch], stages: StageHistory, standing: Yardstick) -> Iterator[BatchFigures]:
    return ended_batches(batches, stages, standing.wall_s, standing.at_s, standing.python_share)


def _by_snapshot_s(epoch_s: float | None, standing: Yardstick) -> float | None:
    return None if epoch_s is None else standing.at_s - (standing.wall_s - epoch_s)


def _always_in_batch(batches: Sequence[Batch], flow: Flow) -> bool:
    inside_s = sum(max(0.0, batch.committed_s - max(batch.started_s, flow.start_s)) for batch in batches)
    return flow.stalled or inside_s >= _IN_BATCH_ALL_THE_TIME * flow.span_s


def _working_rps(batches: Sequence[Batch], from_s: float) -> float | None:
    """Of batches of the present run that ended since; a batch that is under way, or hangs, says nothing yet."""
    ended = [one for one in batches if one.committed_s > from_s and one.run_id == batches[-1].run_id and one.rows > 0]
    inside_s = sum(one.committed_s - one.started_s for one in ended)
    return sum(one.rows for one in ended) / inside_s if inside_s > 0 else None


def _mean_checkpoint_s(batches: Sequence[Batch]) -> float | None:
    """Seconds from commit to commit of the present run: every batch saves where it is."""
    commits = [batch.committed_s for batch in batches if batch.run_id == batches[-1].run_id]
    return (commits[-1] - commits[0]) / (len(commits) - 1) if len(commits) > 1 else None


def _mean_phases(batches: Sequence[Batch]) -> dict[str, float]:
    names = sorted({name for batch in batches for name in batch.phases_s})
    return {name: sum(batch.phases_s.get(name, 0.0) for batch in batches) / len(batches) for name in names}
