"""What a listener heard is taken up once, in its order; routes are told of each batch that came of it."""

from dataclasses import dataclass, field
from typing import cast

from penstock.engines.spark.fake.documents import progress, timestamp
from penstock.engines.spark.fake.parts import FakeEvents
from penstock.engines.spark.jobs.job import Job
from penstock.engines.spark.port import Route
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.state import EngineState
from penstock.engines.spark.told.apart import Apart
from penstock.engines.spark.watch.events import Progressed, Started
from penstock.engines.spark.watch.fleet import TrackedFleet
from penstock.engines.spark.watch.progress import Batch

KEPT_S = 60.0


@dataclass
class Added:
    """A route that remembers what it was given."""

    batches: list[int] = field(default_factory=list)

    def add(self, batch: Batch) -> None:
        self.batches.append(batch.batch_id)


@dataclass
class Heard:
    """One job whose query has begun, and a listener."""

    state: EngineState = field(default_factory=lambda: EngineState(TrackedFleet.of([Job("a")], KEPT_S)))
    events: FakeEvents = field(default_factory=FakeEvents)
    apart: Apart = field(default_factory=Apart)

    def __post_init__(self) -> None:
        self.events.heard.append(Started("first", "a", timestamp(0.0)))

    def batch(self, number: int, began_s: float) -> None:
        self.events.heard.append(Progressed(progress("a", "first", number, began_s, 1.0, 10, 0, state=False)))

    def take(self) -> list[Batch]:
        return self.state.take_heard(self.events, self.apart)


def test_an_event_that_cannot_be_read_is_told_apart_and_keeps_no_other_from_being_taken_up() -> None:
    heard = Heard()
    heard.batch(0, 1.0)
    heard.events.heard.append(Progressed("{"))
    heard.batch(1, 3.0)
    taken = heard.take()
    assert [batch.batch_id for batch in taken] == [0, 1]
    assert heard.state.named("a").batches == tuple(taken)
    assert [part for part, _ in heard.apart.errors] == ["events"]
    assert heard.take() == []


def test_a_route_gets_each_batch_once_also_when_its_query_tells_of_it_again() -> None:
    heard, route = Heard(), Added()
    routes = Routes(heard.state, {"a": cast(Route, route)})
    for numbers in ([0, 1], [], [1], [2, 3]):
        for number in numbers:
            heard.batch(number, float(number))
        routes.add(heard.take())
    assert route.batches == [0, 1, 2, 3]
