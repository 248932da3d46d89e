"""An application on the fake, governed in the fake's time, each of whose calls can be made to raise or to hang.

A call is one of the port's: a `Spoilt` stands before each part, so that a call that is new there is struck as well.
"""

import inspect
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, cast

from penstock.core.asked.intents import Intent, Juice
from penstock.core.asked.real_time import RealTime
from penstock.core.known.routing_table import RoutingTable
from penstock.core.levers import BatchBound, Executors, Memory, Move, Partitions, Piece, Slots, Table, Tasks, Trigger
from penstock.core.plan import Decision, Outcome, Plan, Reason, Step
from penstock.core.run import RunInfo
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.key_placement import KeyPlacement
from penstock.core.seen.routes import RouteFigures
from penstock.core.seen.view import View
from penstock.engines.hand import Hand, NoLimit
from penstock.engines.hands import TENDS_WITHIN_S, Hands, RoundTime
from penstock.engines.spark import port
from penstock.engines.spark.engine import SparkEngine
from penstock.engines.spark.fake import FakeSpark, fake_job
from penstock.engines.spark.fake.parts import (
    FakeBounds,
    FakeEvents,
    FakeExecutors,
    FakePlaces,
    FakePools,
    FakeStages,
    Properties,
)
from penstock.engines.spark.fake.query import FakeQuery
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.jobs.query import Query
from penstock.engines.spark.settings import SparkSettings
from penstock.loop import Loop, LoopSettings, drive
from penstock.running.tending import Tending
from penstock.store.memory import MemoryStore
from tests.patience import patience_s

INTERVAL_S = 10.0
HANGS_FOR_S = 60.0
FALLS_AT_S = 45.0  # then fraud's query dies
_TICK_S = 2.5
_MEMBER = "_"


class TownRoute:
    """A route of which nothing is known yet."""

    told: RouteFigures | None = None
    placements: tuple[KeyPlacement, ...] = ()
    loads: tuple[float, ...] = ()

    def add(self, batch: object) -> None:
        """A batch was committed."""

    def close_window(self, wall_s: float, key_bytes: float | None) -> None:
        """No window ends."""

    def housed(self, homes: object) -> None:
        """It has no partitions."""

    def carry_out(self, move: Table, query: Query, wall_s: float) -> Query:
        """Without a restart."""
        return query


@dataclass
class TownHeap:
    """Executors of 1 GiB on workers of 4 GiB."""

    now_mib: int = 1024

    def most_mib(self, wall_s: float) -> int | None:
        """The memory of the largest worker."""
        return 4096


# What the port's parts are in the fake; of the lease, what it asks of the JVM.
PORTS: Mapping[type, type] = {
    FakeSpark: port.Spark,
    FakeEvents: port.Events,
    FakePools: port.Pools,
    FakeStages: port.Stages,
    FakeExecutors: port.ExecutorCount,
    FakeBounds: port.RunningBounds,
    FakePlaces: port.Places,
    TownHeap: port.Heap,
    TownRoute: port.Route,
    FakeQuery: Query,
    Properties: Properties,
}


@cache
def calls_of(declared: type) -> tuple[str, ...]:
    """What can be asked of such a part, by its own name."""
    own = [kind for kind in declared.__mro__ if kind.__module__.startswith("penstock")]
    return tuple(sorted({name for kind in own for name in vars(kind) if not name.startswith(_MEMBER)}))


@cache
def is_called(declared: type, name: str) -> bool:
    """What is not is a property, or an attribute. To find that out takes longer than most calls."""
    return inspect.isroutine(getattr(declared, name, None))


def all_calls() -> list[str]:
    """Every call of the port, but those that only lead to a part of it."""
    parts = {f"Spark.{name}" for name in ("pools", "stages", "executors", "bounds", "places", "heap")}
    return sorted({f"{kind.__name__}.{name}" for kind in PORTS.values() for name in calls_of(kind)} - parts)


class Spoilt:
    """Stands for a part of the port; `strike` is told of each call before it is made."""

    def __init__(self, part: Any, strike: Callable[[str], None]) -> None:
        self._part = part
        self._strike = strike

    def __getattr__(self, name: str) -> Any:
        declared = PORTS[type(self._part)]
        if name not in calls_of(declared):
            return self._stands_for(getattr(self._part, name))
        if not is_called(declared, name):
            self._strike(f"{declared.__name__}.{name}")
            return self._stands_for(getattr(self._part, name))
        found = getattr(self._part, name)

        def call(*given: Any, **named: Any) -> Any:
            self._strike(f"{declared.__name__}.{name}")
            return self._stands_for(found(*map(_bare, given), **{key: _bare(value) for key, value in named.items()}))

        return call

    def _stands_for(self, found: Any) -> Any:
        if type(found) in PORTS:
            return Spoilt(found, self._strike)
        return [self._stands_for(one) for one in found] if isinstance(found, list) else found


def _bare(given: Any) -> Any:
    if isinstance(given, Mapping):
        return {key: _bare(value) for key, value in given.items()}
    return given._part if isinstance(given, Spoilt) else given


class SilentError(Exception):
    """As Py4J's of a JVM that is gone: its words cannot be had."""

    def __str__(self) -> str:
        raise ConnectionError("the JVM does not answer")


@dataclass(frozen=True, slots=True)
class EveryLever:
    """A policy that turns another lever in each round, back and forth."""

    name: str = "every lever"

    def start(self) -> int:
        return 0

    def decide(self, view: View, memory: int) -> tuple[Plan, int]:
        turn, again = _TURNS[memory % len(_TURNS)], memory // len(_TURNS) % 2
        decision = Decision(Reason.RESCALED, (turn[again],), "its turn has come", view.at_s, view.utility)
        return Plan((decision,)), memory + 1


_TWO_OPERATORS = (("Scan", 2), ("StateStoreSave", 2), ("StateStoreSave", 2))  # they begin on different executors
_TABLES = [RoutingTable(2, {"left": {"Asia": server}}) for server in (0, 1)]
_TURNS: Sequence[tuple[Move, Move]] = (
    (Slots("ads", 2, 3), Slots("ads", 3, 2)),
    (Tasks("live", "aggregate", 1, 2), Tasks("live", "aggregate", 2, 1)),
    (BatchBound("ads", None, 500), BatchBound("ads", 500, 600)),
    (Piece("ads", None, 50), Piece("ads", 50, 60)),
    (Table("ads", "tags", _TABLES[0], _TABLES[1], 1), Table("ads", "tags", _TABLES[1], _TABLES[0], 1)),
    (BatchBound("fraud", None, 700), BatchBound("fraud", 700, 800)),  # which its next runs begin with
    (Trigger("fraud", 0.2, 3600.0), Trigger("fraud", 3600.0, 0.2)),
    (Partitions("fraud", 2, 4), Partitions("fraud", 4, 2)),
    (Executors(4, 3), Executors(3, 4)),
    (Memory(1024, 2048), Memory(2048, 3072)),
)
ROUNDS = 2 * len(_TURNS) + 2


@dataclass
class Life:
    """`spoils` raises three times, or hangs once where there is no `error`; but for one in the midst of the opening
    only once governing has begun.

    ads     a state, a route, a bound that is turned while it runs
    live    long-lived tasks
    fraud   started again by the trigger's and the partitions' turns, and dies once
    guest   somebody else's, which nobody turns; it is started anew once
    """

    spoils: str = ""
    error: BaseException | None = None
    follows: bool = True  # executors follow the jobs' slots; else their number is a lever of its own
    silent: bool = False  # while it hangs the JVM answers nobody
    in_opening: bool = False
    times: int = 3
    now_s: float = 0.0
    deed: str = "opening"
    made: dict[str, set[str]] = field(default_factory=dict)  # calls, by what was done
    struck: list[tuple[float, str]] = field(default_factory=list)  # when, and in which deed
    ends_s: list[float] = field(default_factory=list)  # of rounds
    left: list[tuple[float, str]] = field(default_factory=list)  # who of the tenants did not run at the end of a round
    _hangs_until_s: float = 0.0
    _hung: threading.Thread | None = None
    _goes_on: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.spark = FakeSpark(executors=4, heap=TownHeap())
        self.spark.cuttable.add("ads")
        self.spark.routes["ads"] = TownRoute()
        self.spark.properties = cast(Properties, Spoilt(self.spark.properties, self.strike))
        self.times = self.times if self.error is not None else 1
        self.hand = Hand(self._silent_s, lambda: self.now_s, self._pause)
        settings = SparkSettings(
            window_s=20.0,
            executors=4 if self.follows else None,
            lease_s=1e9,
            small_first=frozenset({"ads", "fraud"}),
        )
        self.engine = SparkEngine(
            cast(port.Spark, Spoilt(self.spark, self.strike)),
            self._jobs(),
            settings,
            replace(self.spark.clocks, pause=self._waits),
            lambda mib: None,
        )
        self.store = MemoryStore(RunInfo("life", "life", "every lever", "fake"))

    def _jobs(self) -> list[Job]:
        return [
            fake_job("ads", lambda session: session.writer(partitions=2, stages=_TWO_OPERATORS), slots=2),
            fake_job("fraud", lambda session: session.writer(partitions=2), slots=1),
            fake_job("live", lambda session: session.writer(topic_partitions=1), real_time=RealTime(10.0, 1)),
            Job("guest"),
        ]

    def open(self) -> None:
        """Somebody's query runs already."""
        self.spark.start_foreign("guest")
        self.engine.open()
        self.engine.start(wait=True)
        self.deed = ""

    def live(self, until_s: float = ROUNDS * INTERVAL_S) -> None:
        """Be governed so long."""
        hands = Hands(round=RoundTime(lambda: self.now_s))
        deeds, limits = _Deeds(self), replace(hands.limits(self.hand, self.engine.note), deciding=NoLimit())
        tending = Tending(lambda: self.hand.do("tending the jobs", deeds.tend, TENDS_WITHIN_S, behind_s=0.0))

        def tick() -> None:
            hands.round.begin()
            tending()

        wanted = {name: Intent(Juice(0.9)) for name in ("ads", "fraud", "guest", "live")}
        settings = LoopSettings(INTERVAL_S)
        loop = Loop(
            deeds, EveryLever(), self.store, settings, between=tending.troubles, limits=limits, intents=lambda: wanted
        )
        drive(loop, _Clock(self, tick), until_s, lambda now: self._round())
        self.hand.close()

    def close(self) -> None:
        """Let go of everything."""
        self.deed = "closing"
        self.engine.close(stop_jobs=True)

    def strike(self, call: str) -> None:
        """A call is made."""
        self.made.setdefault(self.deed, set()).add(call)
        begun = self.in_opening or self.deed != "opening"
        if call != self.spoils or not self.times or not begun:
            return
        self.times -= 1
        self.struck.append((self.now_s, self.deed))
        if self.error is not None:
            raise self.error
        self._hangs_until_s = self.now_s + HANGS_FOR_S
        self._hung = threading.current_thread()
        assert self._goes_on.wait(patience_s())

    def pass_time(self, seconds: float) -> None:
        """It is later; what hung long enough goes on."""
        self.now_s += seconds
        self.spark.pass_time(seconds)
        if self._hung is not None and self.now_s >= self._hangs_until_s:
            self._hung = None
            self._goes_on.set()

    @property
    def hangs(self) -> bool:
        """Whether the controller's hand does: a start that does is in a thread of its own."""
        return self._hung is not None and self._hung.name == "penstock-hand"

    def wait_for_starts(self) -> None:
        """Until none is under way, but one that hangs."""
        for thread in threading.enumerate():
            while thread.name.startswith("penstock-start-") and thread.is_alive() and thread is not self._hung:
                thread.join(0.001)

    def _silent_s(self) -> float:
        """As the pulse says."""
        return self.now_s - (self._hangs_until_s - HANGS_FOR_S) if self.silent and self.hangs else 0.0

    def _pause(self, over: threading.Event, seconds: float) -> bool:
        """Until it is over, however long this machine takes; while it hangs the fake's time passes."""
        deadline = time.monotonic() + patience_s()
        while not over.wait(0.001):
            assert time.monotonic() < deadline
            if self.hangs:
                self.pass_time(seconds)
                return over.is_set()
        return True

    def _waits(self, over: threading.Event, seconds: float) -> bool:
        """For a restart, as the engine does. One that does not hang is over in no time, however long it takes here."""
        self.wait_for_starts()
        if not over.is_set():
            self.pass_time(seconds)
        return over.is_set()

    def _round(self) -> None:
        self.ends_s.append(self.now_s)
        running = {query.name for query in self.spark.queries() if query.isActive}
        self.left.extend((self.now_s, name) for name in sorted({"ads", "guest", "live"} - running))


@dataclass(frozen=True, slots=True)
class _Deeds:
    """The engine; each query has committed a batch before it is looked at."""

    life: Life

    def observe(self, now: float) -> Snapshot:
        self.life.spark.commit_all()
        return cast(Snapshot, self._does("observing", lambda: self.life.engine.observe(now)))

    def apply(self, steps: Sequence[Step]) -> Outcome:
        return cast(Outcome, self._does("acting", lambda: self.life.engine.apply(steps)))

    def tend(self) -> None:
        self._does("tending", self.life.engine.tend)
        self.life.wait_for_starts()

    def _does(self, what: str, call: Callable[[], object]) -> object:
        self.life.deed = what
        try:
            return call()
        finally:
            self.life.deed = ""


@dataclass(slots=True)
class _Clock:
    """The fake's time, in which some things happen to the application by themselves."""

    life: Life
    tick: Callable[[], None]
    fell: bool = False

    def now(self) -> float:
        return self.life.now_s

    def wait_until(self, at_s: float) -> bool:
        while True:
            self.tick()
            left_s = at_s - self.life.now_s
            if left_s <= 0:
                return True
            self.life.pass_time(min(_TICK_S, left_s))
            self._happens()

    def _happens(self) -> None:
        """A query dies, another is started anew by its owner, and executors come that nobody wanted."""
        if self.fell or self.life.now_s < FALLS_AT_S or self.life.hangs:
            return
        self.fell = True
        spark = self.life.spark
        spark.fail("fraud", "java.io.IOException: no route to host")
        spark.query("guest").stop()
        spark.start_foreign("guest")
        spark.executors.there += 1
