"""One yardstick for every policy: from the batches that Spark tells of, what each tenant had of its intent each second.

Policies look through windows of their own length; what came of them is judged here over the same ten seconds for all,
with the arithmetic of the product's own figures (`benchmarks/kafka_latency.py` holds that against a reader's latency).
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread

from pyspark.sql import SparkSession

from penstock.core.asked.intents import Intent
from penstock.engines.kafka.offsets import TopicEnds
from penstock.engines.spark.jvm.listener import QueryEvents
from penstock.engines.spark.watch.arrivals import ArrivedBy
from penstock.engines.spark.watch.events import Progressed
from penstock.engines.spark.watch.flow import curves
from penstock.engines.spark.watch.latency import latency
from penstock.engines.spark.watch.progress import Batch, parse_batch
from penstock.errors import EngineError

JUDGED_OVER_S = 10.0
_REMEMBERED_S = 60.0  # a pause longer than half as much again as any within this is a stall
_LOOK_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Had:
    """What one tenant had at an instant; nothing is known before its second batch, and is worth nothing."""

    latency_s: float | None
    juice: float | None
    utility: float
    met: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """All tenants at an instant, in seconds since the run began."""

    at_s: float
    had: Mapping[str, Had]
    max_utility: float

    @property
    def utility(self) -> float:
        """Of all together, as a share of what it could be."""
        return sum(had.utility for had in self.had.values()) / self.max_utility


@dataclass(slots=True)
class Measured:
    """What was measured of a run: by tenant, the batches that ended and the rows that its topic was given."""

    batches: dict[str, list[Batch]] = field(default_factory=dict)
    seen: dict[str, list[ArrivedBy]] = field(default_factory=dict)

    def moments(self, intents: Mapping[str, Intent], start_s: float, seconds: float) -> list[Moment]:
        """Second by second; `start_s` is since the epoch."""
        most = sum(intent.max_utility for intent in intents.values())
        return [
            Moment(at_s, {name: self._had(name, intent, start_s + at_s) for name, intent in intents.items()}, most)
            for at_s in map(float, range(1, int(seconds) + 1))
        ]

    def _had(self, name: str, intent: Intent, wall_s: float) -> Had:
        batches = [b for b in self.batches.get(name, ()) if wall_s - _REMEMBERED_S <= b.committed_s <= wall_s]
        seen = [one for one in self.seen.get(name, ()) if one.at_s <= wall_s]
        found = curves(batches, wall_s, seen=seen)
        flow = None if found is None else found.flow(JUDGED_OVER_S)
        if flow is None:
            return Had(None, None, 0.0, met=False)
        figures = latency(batches, found, flow.start_s)
        score = intent.score(figures, flow.juice)
        mean_s = None if figures is None else figures.mean_s
        return Had(mean_s, flow.juice, 0.0 if score is None else score.utility, score is not None and score.met)


@dataclass(frozen=True, slots=True)
class Topics:
    """Where the tenants' rows come from, by the tenants' names."""

    bootstrap: str
    by_name: Mapping[str, str]


class Meter:
    """Collects while it is entered: what Spark says of batches, and what the broker says of arrivals."""

    def __init__(self, spark: SparkSession, topics: "Topics | None" = None) -> None:
        """Without topics the batches alone tell of arrivals."""
        self._events = QueryEvents(spark, name_pools=False)
        self._topics = topics
        self._over = Event()
        self._watch = Thread(target=self._watch_arrivals, name="arrivals", daemon=True)
        self.measured = Measured()

    def __enter__(self) -> "Meter":
        self._events.attach()
        if self._topics is not None:
            self._watch.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._over.set()
        if self._topics is not None:
            self._watch.join()
        self._events.detach()
        self.look()

    def look(self) -> None:
        """Take in what Spark has told so far."""
        for name, batch in told_batches(self._events):
            self.measured.batches.setdefault(name, []).append(batch)

    def _watch_arrivals(self) -> None:
        assert self._topics is not None
        broker, by_name = TopicEnds(self._topics.bootstrap), self._topics.by_name
        while not self._over.wait(_LOOK_EVERY_S):
            try:
                ends = broker.read(sorted(set(by_name.values())))
            except EngineError:  # the batches themselves tell nearly as much
                continue
            for name, topic in by_name.items():
                rows = float(sum(ends[topic].values()))
                self.measured.seen.setdefault(name, []).append(ArrivedBy(time.time(), rows))


def told_batches(events: QueryEvents) -> Iterator[tuple[str, Batch]]:
    """The batches with the names of their queries."""
    while events.heard:
        event = events.heard.popleft()
        if isinstance(event, Progressed):
            name, batch = parse_batch(event.json)
            if name is not None:
                yield name, batch


def done_rps(batches: Sequence[Batch]) -> float | None:
    """Rows a second between the first commit and the last; None where there are fewer than three."""
    if len(batches) < 3:
        return None
    return sum(batch.rows for batch in batches[1:]) / (batches[-1].committed_s - batches[0].committed_s)
