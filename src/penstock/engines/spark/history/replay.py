"""A log replayed: snapshots of the run at even intervals, as a live engine would have made them. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from penstock.core.levers import Dial
from penstock.core.seen.figures import MachineFigures, Snapshot
from penstock.engines.spark.history.events import (
    ExecutorCame,
    ExecutorWent,
    Logged,
    LoggedApplication,
    Said,
    StageEnded,
)
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.watch.events import Now, Progressed, StageRead, Started
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.progress import Batch, parse_batch
from penstock.engines.spark.watch.snapshot import SeenAt, standing_of
from penstock.engines.spark.watch.take import taken
from penstock.errors import ConfigError

INTERVAL_S = 5.0
WINDOW_S = 20.0
MOST_DAYS = 31  # half a million snapshots; one damaged time would ask for them without end


@dataclass(frozen=True, slots=True)
class History:
    """A run without penstock: the application, the queries that it had, and what was to be seen of them.

    `scheduling` is how Spark shared the slots between queries: fair only where they had pools of their own.
    """

    application: LoggedApplication
    queries: tuple[str, ...]
    snapshots: tuple[Snapshot, ...]
    slots: int
    executors: int
    scheduling: str

    @property
    def executor_slots(self) -> float:
        """The slots of one executor, in the mean."""
        return self.slots / max(1, self.executors)

    @property
    def span_s(self) -> float:
        """From the first snapshot to the last."""
        return self.snapshots[-1].at_s - self.snapshots[0].at_s if self.snapshots else 0.0


@dataclass(slots=True)
class _Replay:
    fleet: TrackedFleet
    application: LoggedApplication = LoggedApplication()
    executors: dict[str, ExecutorCame] = field(default_factory=dict)
    most: int = 0  # executors that were there together
    pools: set[str] = field(default_factory=set)
    last_batch: dict[str, int] = field(default_factory=dict)


def queries_in(events: Iterable[Logged]) -> tuple[str, ...]:
    """The queries of the run by name, or by id where they have none, in the order of their first start."""
    return tuple(dict.fromkeys(str(one.what.name) for one in events if isinstance(one.what, Started)))


def replayed(events: Sequence[Logged], jobs: Sequence[Job]) -> History:
    """The run as these jobs saw it; queries of other names are left out of it."""
    try:
        return _replayed(events, jobs)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        remedy = f"copy the log again: it holds what Spark does not write ({error!r})"
        raise ConfigError("--history", "the log", remedy) from None


def _replayed(events: Sequence[Logged], jobs: Sequence[Job]) -> History:
    state = _Replay(TrackedFleet.of([replace(job, own_pool=False) for job in jobs], keep_s=120.0))
    return History(
        snapshots=tuple(_snapshots(state, events)),
        application=state.application,
        queries=queries_in(events),
        slots=_slots(state),
        executors=len(state.executors),
        scheduling="fair" if _mode(state) == "FAIR" and len(state.pools) > 1 else "fifo",
    )


def _snapshots(state: _Replay, events: Sequence[Logged]) -> Iterator[Snapshot]:
    first = next((one.at_s for one in events if isinstance(one.what, Started)), None)
    if first is None:
        return
    due_s = first + INTERVAL_S
    last_s = max((one.at_s for one in events if isinstance(one.what, Progressed)), default=first)
    if not last_s - first <= MOST_DAYS * 86_400:
        remedy = f"give the log of {MOST_DAYS} days or less: its last parts, or copy it again where a time is damaged"
        raise ConfigError("--history", f"{(last_s - first) / 86_400:,.0f} days", remedy)
    for event in events:
        while event.at_s >= due_s and due_s <= last_s:
            yield _snapshot(state, due_s, due_s - first)
            due_s += INTERVAL_S
        _take(state, event)


def _take(state: _Replay, event: Logged) -> None:
    what, now = event.what, Now(event.at_s, event.at_s)
    if isinstance(what, Said):
        state.application = replace(state.application, **what.fields)
    elif isinstance(what, ExecutorCame):
        state.executors[what.id] = what
    elif isinstance(what, ExecutorWent):
        # The last ones go when the application ends, and then nothing is seen any more.
        if len(state.executors) > 1:
            state.executors.pop(what.id, None)
    elif isinstance(what, StageEnded):
        track = state.fleet.of_run(what.reading.run_id)
        if track is not None:
            state.pools.add(what.reading.pool)
            opened = replace(track, stages=track.stages.opened(event.at_s))
            state.fleet = taken(StageRead(what.reading, what.name), state.fleet.with_track(opened), now)
    elif isinstance(what, Progressed):
        _, batch = parse_batch(what.json)
        if not _told_before(state, batch):
            state.fleet = taken(batch, state.fleet, now)
    else:
        state.fleet = taken(what, state.fleet, now)


def _told_before(state: _Replay, batch: Batch) -> bool:
    """A query that waits tells of its last batch again, now and then."""
    again = state.last_batch.get(batch.run_id) == batch.batch_id
    state.last_batch[batch.run_id] = batch.batch_id
    return again


def _snapshot(state: _Replay, wall_s: float, at_s: float) -> Snapshot:
    seen = SeenAt(at_s, Now(wall_s, wall_s), _slots(state), WINDOW_S)
    standing = {track.job.name: standing_of(state.fleet, track, seen, threads=1) for track in state.fleet}
    figures = (track.figures(standing[track.job.name], _dials(track.job.name)) for track in state.fleet)
    return Snapshot(at_s, tuple(figures), _machines(state), max_threads=_slots(state))


def _dials(job: str) -> tuple[Dial, ...]:
    """A log does not say how a query is bounded: none is what Spark does by itself."""
    return (Dial("bound", job, None, 1),)


def _machines(state: _Replay) -> tuple[MachineFigures, ...]:
    """A log does not say how busy they were."""
    on: dict[str, list[int]] = {}
    for executor in state.executors.values():
        on.setdefault(executor.host, []).append(executor.cores)
    each = _task_cpus(state)
    return tuple(
        MachineFigures(host, sum(cores), executors=len(cores), slots=sum(one // each for one in cores))
        for host, cores in sorted(on.items())
    )


def _slots(state: _Replay) -> int:
    each = _task_cpus(state)
    return max(1, sum(executor.cores // each for executor in state.executors.values()))


def _task_cpus(state: _Replay) -> int:
    return int(_conf(state).get("spark.task.cpus", "1"))


def _mode(state: _Replay) -> str:
    return _conf(state).get("spark.scheduler.mode", "FIFO").upper()


def _conf(state: _Replay) -> Mapping[str, str]:
    return state.application.conf or {}
