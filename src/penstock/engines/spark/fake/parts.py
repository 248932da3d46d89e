"""The parts of the fake application: each does at once what its real one does in the JVM."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from penstock.engines.first_batches import SmallBatch
from penstock.engines.lost_executors import Departed
from penstock.engines.spark.application.shares import PoolShare
from penstock.engines.spark.fake.query import FakeQuery
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.routing.pins import RanTask, Send
from penstock.engines.spark.watch.events import Event
from penstock.engines.spark.watch.machines import Executor
from penstock.engines.spark.watch.stages import StageReading
from penstock.errors import EngineError


class Properties(dict[str, str]):
    """As the JVM's do, for the lease."""

    def putIfAbsent(self, key: str, value: str) -> str | None:  # noqa: N802
        """What was there."""
        held = self.get(key)
        self.setdefault(key, value)
        return held

    def replace(self, key: str, old: str, new: str) -> bool:
        """Whether it was as expected, and is the new one now."""
        if self.get(key) != old:
            return False
        self[key] = new
        return True

    def remove(self, key: str, value: str) -> bool:
        """Whether it was as expected, and is gone now."""
        if self.get(key) != value:
            return False
        del self[key]
        return True


@dataclass
class FakeEvents:
    """What its listener was told, while it was attached."""

    heard: deque[Event] = field(default_factory=deque)
    attached: bool = False
    begins: Callable[[Query], None] | None = None

    def attach(self, begins: Callable[[Query], None] | None = None) -> None:
        """Begin to listen; `begins` is handed each query as it begins."""
        self.attached, self.begins = True, begins

    def detach(self) -> None:
        """Cease to listen."""
        self.attached = False

    def fetch(self) -> None:
        """It is told at once."""


@dataclass
class FakePools:
    """Keeps the shares that it is told; a pool named in `broken` refuses."""

    shares: dict[str, PoolShare] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)

    def share(self, name: str) -> PoolShare | None:
        """What the pool has now."""
        return self.shares.get(name)

    def set(self, shares: Mapping[str, PoolShare]) -> None:
        """Give each pool its share."""
        self.shares.update({name: share for name, share in shares.items() if name not in self.broken})
        refused = next((name for name in shares if name in self.broken), None)
        if refused is not None:
            raise EngineError(f"the share of pool {refused!r} could not be set: it is broken")


@dataclass
class FakeStages:
    """Hands out each reading once."""

    readings: deque[tuple[StageReading, str]] = field(default_factory=deque)
    names: dict[int, str] = field(default_factory=dict)

    def read(self) -> list[StageReading]:
        """What is new since the last reading."""
        found = [self.readings.popleft() for _ in range(len(self.readings))]
        self.names.update({reading.stage_id: name for reading, name in found})
        return [reading for reading, _ in found]

    def name(self, stage_id: int) -> str | None:
        """What the stage does."""
        return self.names.get(stage_id)


@dataclass
class FakeExecutors:
    """Executors of a cluster that gives at most `gives` of them, at once; None: there is no cluster manager."""

    slots_each: int
    there: int  # whoever sets it to fewer has the youngest leave
    gives: int | None = None
    now: Callable[[], float] = lambda: 0.0
    target: int = 0
    refuses: bool = False  # whatever number is asked for
    there_is_no_master: bool = False  # so that nobody can be asked
    leaving: int = 0  # they go at once
    gone: list[Departed] = field(default_factory=list)
    _living: list[Executor] = field(default_factory=list)
    _ids: Iterator[int] = field(default_factory=count)

    @property
    def scalable(self) -> bool:
        """Whether there is a cluster manager."""
        return self.gives is not None

    def count(self) -> int:
        """How many live."""
        if self.there_is_no_master:
            raise EngineError("no master answers")
        return self.there

    def aim(self, wanted: int) -> None:
        """So many are wanted from now on."""
        if self.gives is None:
            raise EngineError("this application has no executors to scale")
        if wanted < 1:
            raise EngineError(f"{wanted} executors cannot run a query; ask for at least 1")
        if self.refuses:
            raise EngineError("the cluster manager did not acknowledge the new number of executors")
        self.target = wanted
        self.there = max(self.there, min(self.gives, wanted))

    def let_go(self, stay: int) -> None:
        """All but so many end."""
        self.there = min(self.there, stay)

    def listed(self) -> tuple[Executor, ...]:
        """Those that live."""
        if not self.scalable:
            return (Executor("driver", "127.0.0.1", self.slots_each, 0.5),)
        while len(self._living) > self.there:
            self.gone.append(Departed(self._living.pop().id, self.now(), asked=True))
        while len(self._living) < self.there:
            one = Executor(str(next(self._ids)), "127.0.0.1", self.slots_each, 0.5, since_s=self.now())
            self._living.append(one)
        return tuple(self._living)

    def lose(self, one_id: str) -> None:
        """One dies, and nobody had asked it to; another comes when `there` rises."""
        self._living = [one for one in self.listed() if one.id != one_id]
        self.gone.append(Departed(one_id, self.now(), asked=False))
        self.there = len(self._living)


@dataclass
class FakePlaces:
    """State runs where it ran last or was sent since; what is in `busy` does not take the next batch's tasks.

    At first operator after operator begins with another executor, so that equal partitions are no neighbours.
    """

    executors: FakeExecutors
    busy: set[str] = field(default_factory=set)  # executors, until a batch went elsewhere
    _homes: dict[tuple[str, int, int], str] = field(default_factory=dict)  # by job, operator and partition
    _ran: dict[str, tuple[int, list[RanTask]]] = field(default_factory=dict)  # the last batch of each job

    def batch(self, job: str, number: int, operators: Sequence[int]) -> None:
        """A batch runs; `operators` are the partitions of each."""
        tasks = [
            RanTask(partition, self._home(job, operator, partition))
            for operator, partitions in enumerate(operators)
            for partition in range(partitions)
        ]
        self._ran[job] = number, tasks
        self.busy.clear()

    def _home(self, job: str, operator: int, partition: int) -> str:
        living = [executor.id for executor in self.executors.listed()]
        free = [one for one in living if one not in self.busy] or living
        place = (job, operator, partition)
        if self._homes.get(place) not in free:
            self._homes[place] = free[(operator + partition) % len(free)]
        return self._homes[place]

    def ran(self, query: Query, batch: int) -> Sequence[RanTask] | None:
        """Where the stateful tasks of that batch ran; of older ones nobody knows."""
        number, tasks = self._ran.get(query.name or "", (batch, []))
        return tasks if number == batch else []

    def send(self, query: Query, sends: Sequence[Send]) -> None:
        """All operators' partitions."""
        to = {send.partition: send.executor for send in sends}
        for place in self._homes:
            if place[0] == query.name and place[2] in to:
                self._homes[place] = to[place[2]]


class FakeBounds:
    """Bounds live in queries, and are gone with them."""

    def refusal(self, query: Query) -> str | None:
        """Why this query's batches cannot be bounded."""
        return own(query).writer.unboundable

    def now(self, query: Query) -> int | None:
        """The rows that a batch may hold at most."""
        return own(query).bound

    def holds_back(self, query: Query) -> bool:
        """Rows beyond a bound wait."""
        return True

    def set(self, query: Query, rows: int | None) -> int:
        """Let batches hold at most so many rows."""
        if rows is not None and rows < 1:
            raise EngineError(f"{query.name}: a batch of {rows} rows does nothing; ask for at least 1")
        own(query).bound = rows
        return own(query).next_batch

    def begin(self, query: Query, rows: int) -> None:
        """Let no batch of one that begins hold more."""
        self.set(query, rows)

    def begin_small(self, query: Query, rows: int, files: int) -> SmallBatch | None:
        """Let its first batch hold so many rows; its sources are none of files."""
        if self.refusal(query) is not None or self.now(query) is not None:
            return None
        return SmallBatch(rows, self.set(query, rows))


def own(query: Query) -> FakeQuery:
    """As the fake knows it."""
    if not isinstance(query, FakeQuery):
        raise TypeError(f"{query!r} is no query of the fake")
    return query
