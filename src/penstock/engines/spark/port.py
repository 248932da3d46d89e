"""The port to Spark: all that governing asks of an application and does to it. Behind it is a JVM, or the fake.

`jvm.live` speaks to a real application in words that Spark keeps to itself; `fake` has none, and time of its own.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from penstock.core.levers import Table
from penstock.core.seen.key_placement import KeyPlacement
from penstock.core.seen.routes import RouteFigures
from penstock.engines.first_batches import SmallBatch
from penstock.engines.lost_executors import Departed
from penstock.engines.spark.application.elastic import ElasticLever
from penstock.engines.spark.application.lock import ControllerLease
from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.modes import LongLived
from penstock.engines.spark.jobs.query import BatchInterval, Query, TaskPiece
from penstock.engines.spark.jobs.starting import FUNCTION_WITHIN_S
from penstock.engines.spark.routing.pins import RanTask, Send
from penstock.engines.spark.watch.events import Event
from penstock.engines.spark.watch.files import WaitingFiles
from penstock.engines.spark.watch.machines import Executor, Here
from penstock.engines.spark.watch.progress import Batch
from penstock.engines.spark.watch.stages import StageReading


class Events(Protocol):
    """What a listener hears."""

    def attach(self, begins: Callable[[Query], None] | None = None) -> None:
        """Begin to listen; `begins` is handed each query that has a name, before its first batch and on its thread."""

    def detach(self) -> None:
        """Cease to listen."""

    @property
    def heard(self) -> deque[Event]:
        """What came, in its order; whoever takes it up takes it away."""

    def fetch(self) -> None:
        """Have in `heard` also what was told elsewhere; what a listener of this process is told is there at once."""


class Pools(Protocol):
    """Where shares are set and read."""

    def share(self, name: str) -> PoolShare | None:
        """What the pool has now; None when there is no such pool."""

    def set(self, shares: Mapping[str, PoolShare]) -> None:
        """Give each pool its share at once; one that is refused, which is an EngineError, keeps no other from it."""


class Stages(Protocol):
    """The work of streaming queries."""

    def read(self) -> Sequence[StageReading]:
        """What is new since the last reading."""

    def name(self, stage_id: int) -> str | None:
        """What the stage does, in a word or two."""


class ExecutorCount(ElasticLever, Protocol):
    """How many executors there are, on a cluster manager."""

    @property
    def scalable(self) -> bool:
        """Whether there is a cluster manager to ask for more or fewer."""


class RunningBounds(Protocol):
    """What bounds the batches of running queries."""

    def refusal(self, query: Query) -> str | None:
        """Why this query's batches cannot be bounded while it runs, in words; None when they can."""

    def now(self, query: Query) -> int | None:
        """The rows that a batch may hold at most; None: unbounded, or not known."""

    def holds_back(self, query: Query) -> bool:
        """Whether rows beyond a bound wait; else fewer are made."""

    def set(self, query: Query, rows: int | None) -> int:
        """Let batches hold at most so many rows; the number of the first batch that obeys for sure."""

    def begin(self, query: Query, rows: int) -> None:
        """Let no batch of a query that only begins hold more, the first one included."""

    def begin_small(self, query: Query, rows: int, files: int) -> SmallBatch | None:
        """Let the first batch of one that only begins hold so many rows or files; None where its options bound it."""


class Heap(Protocol):
    """What memory executors have, and could have."""

    @property
    def now_mib(self) -> int:
        """What each has."""

    def most_mib(self, wall_s: float) -> int | None:
        """The memory of the largest worker; None where nobody knows."""


class Places(Protocol):
    """Where the state partitions of queries are."""

    def ran(self, query: Query, batch: int) -> Sequence[RanTask] | None:
        """Where the stateful tasks of that committed batch ran; None while not all of it is told."""

    def send(self, query: Query, sends: Sequence[Send]) -> None:
        """Have the partitions of all its operators run there, from the next batch on that begins."""


class Route(Protocol):
    """One job's route, and what is known of it between two rounds."""

    @property
    def told(self) -> RouteFigures | None:
        """Of the last window of key pairs that has ended."""

    @property
    def placements(self) -> tuple[KeyPlacement, ...]:
        """Where its keys are."""

    @property
    def loads(self) -> Sequence[float]:
        """Rows by partition in its last window of pairs; none while nobody knows."""

    def add(self, batch: Batch) -> None:
        """A batch was committed."""

    def close_window(self, wall_s: float, key_bytes: float | None) -> None:
        """Once a window of pairs is full, it is what is told, and the next one begins."""

    def housed(self, homes: Mapping[int, Executor]) -> None:
        """Its state's partitions are on these executors; those of which it is not known are absent."""

    def carry_out(self, move: Table, query: Query, wall_s: float) -> Query:
        """Another table comes into force; the query that runs afterwards."""


class Spark(Protocol):
    """One application."""

    @property
    def application(self) -> str:
        """Its id."""

    @property
    def name(self) -> str:
        """What it calls itself."""

    @property
    def master(self) -> str:
        """Where it runs, as Spark names it."""

    @property
    def driver_host(self) -> str | None:
        """The address of the driver; None where nobody said."""

    @property
    def slots_each(self) -> int:
        """Of an executor."""

    @property
    def pools(self) -> Pools:
        """Its scheduler's."""

    @property
    def stages(self) -> Stages:
        """What its stages did."""

    @property
    def places(self) -> Places:
        """Of state."""

    @property
    def executors(self) -> ExecutorCount:
        """How many it holds."""

    @property
    def bounds(self) -> RunningBounds:
        """Those of its queries' batches."""

    @property
    def heap(self) -> Heap | None:
        """Of its executors; None where their memory is not ours to turn."""

    def check_alive(self) -> None:
        """An ApplicationGoneError once nothing is there to be governed."""

    def ping(self) -> None:
        """Return as soon as it has answered."""

    def lease(self, lease_s: float) -> ControllerLease:
        """The right to govern it."""

    def events(self, name_pools: bool) -> Events:
        """A listener; with `name_pools` it puts each query into the pool of its name."""

    def executor_list(self) -> Sequence[Executor]:
        """The living ones, by id."""

    def departed(self) -> Sequence[Departed]:
        """Those that ended, as far back as Spark remembers them."""

    def here(self) -> Here:
        """How the driver's machine stands."""

    def python_cpu_s(self) -> float | None:
        """The seconds of a core that Python workers of its executors ever used; None where nobody can tell."""

    def queries(self) -> Sequence[Query]:
        """Those that run."""

    def error_of(self, query: Query) -> str | None:
        """What a query that is over has died of; None where it was stopped."""

    def waiting_files(self, query: Query) -> WaitingFiles | None:
        """What its file source has listed and not taken; None where it has none, or nobody knows."""

    def arrivals(self, queries: Mapping[str, Query]) -> Mapping[str, float]:
        """Rows that the topics of each were ever given, by the same names; without those of which nobody knows."""

    def interval(self, query: Query) -> BatchInterval | None:
        """How often its batches begin; None for a query with another kind of trigger."""

    def retrigger(self, query: Query, every_s: float) -> None:
        """Have its batches begin so often, once the batch, or the wait, that is under way is over."""

    def piece(self, query: Query) -> TaskPiece | None:
        """The most rows that one of its tasks reads; None where its source cannot be cut smaller."""

    def cut(self, query: Query, rows: int | None) -> None:
        """Have none of its tasks read more rows, from the next batch on; None: what its options say."""

    def partitions(self, query: Query) -> int | None:
        """Of its state; None while nobody knows."""

    def last_batch(self, query: Query) -> int | None:
        """The number of the last batch that was committed by this run."""

    def between_batches(self, query: Query, last: int | None, within_s: float) -> bool:
        """Wait until no batch runs or one after `last` was committed, and say whether that came in time."""

    def tasks_of(self, job: Job, as_left: bool, within_s: float | None) -> tuple[LongLived, ...]:
        """The tasks that the job would keep in real-time mode; none in micro-batches."""

    def start(self, job: Job, within_s: float | None = FUNCTION_WITHIN_S) -> Query:
        """Start the job's query in its pool; its function has so long to return."""

    def start_awaits(self, job: str) -> str | None:
        """What the start of its query waits for just now that is no function, in words."""

    def restart(self, query: Query, before: Job, after: Job) -> Query:
        """The query of the changed job, after a batch; where that does not start, a RestartError with it as before."""

    def repartition(self, job: Job, query: Query, partitions: int) -> Query:
        """The job's query with its state in so many partitions; the same one where it has as many."""

    def route(self, job: Job, window_s: float, memory_s: float, since_s: float) -> Route | None:
        """Its route, whose table has been in force since then; None where the job has none. Pairs are told in windows
        of so much time, and count half after `memory_s`."""
