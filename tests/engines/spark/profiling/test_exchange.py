"""Generator, routing and sink, with threads that run here instead of on Spark."""

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count

import pytest

from penstock.core.seen.topology import Topology
from penstock.core.seen.trial import Work
from penstock.engines.spark.profiling.exchange import Exchange
from penstock.engines.spark.profiling.flow import TupleFlow
from penstock.engines.spark.profiling.thread import thread_of
from tests.patience import eventually


@dataclass
class Noting:
    """Notes which message was done by which thread."""

    name: str = "noting"
    done: list[tuple[int, int]] = field(default_factory=list)

    @contextmanager
    def open(self) -> Iterator[Work]:
        def work(message: int) -> float:
            self.done.append((threading.get_ident(), message))
            return 0.0

        yield work


@pytest.fixture(autouse=True)
def no_slot_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Spark session that other tests began in this process has left its address: threads take it for a slot's."""
    monkeypatch.delenv("SPARK_LOCAL_IP", raising=False)


def ticks(step_s: float = 0.05) -> Callable[[], float]:
    """A clock that goes on a step whenever somebody looks: as many tuples are generated on every machine."""
    return partial(next, (tick * step_s for tick in count()))


@contextmanager
def running(flow: TupleFlow, tasks: dict[str, Noting]) -> Iterator[Exchange]:
    """Threads whose clock stands still: no trial ends by it, and what was generated is done, however late."""
    exchange = Exchange(flow, now=ticks())
    exchange.open()
    loaders = {name: partial(tasks.__getitem__, name) for name in tasks}
    roles = [role for role, threads in flow.roles.items() for _ in range(sum(threads.values()))]
    many = len(roles)
    operators = [role[1:] if role.startswith("/") else None for role in roles]
    functions = [thread_of(exchange.address, loaders, operator, now=lambda: 0.0) for operator in operators]
    threads = [threading.Thread(target=lambda function=function: list(function(iter([])))) for function in functions]
    for thread in threads:
        thread.start()
    try:
        eventually(lambda: exchange.ready == many)
        yield exchange
    finally:
        exchange.close()
        for thread in threads:
            thread.join()


def test_each_tuple_is_done_once_and_all_threads_get_as_many() -> None:
    task = Noting()
    with running(TupleFlow.of_one("noting", 3), {"noting": task}) as exchange:
        reports = exchange.run(rate_rps=1000.0, for_s=0.5, drained_within_s=math.inf)
    assert sum(report.count for report in reports) == len(task.done) > 400
    assert sorted(message for _, message in task.done) == list(range(len(task.done)))
    shares = Counter(ident for ident, _ in task.done)
    assert len(shares) == 3
    assert max(shares.values()) - min(shares.values()) <= 1


def test_threads_get_tuples_in_proportion_to_their_weights() -> None:
    task = Noting()
    topology = Topology({"in": ["noting"], "noting": ["out"]})
    roles = {"/quick": {"noting": 1}, "/slow": {"noting": 2}}
    flow = TupleFlow(topology, roles, {"/quick": {"noting": 3.0}, "/slow": {"noting": 1.0}})
    with running(flow, {"noting": task}) as exchange:
        exchange.run(rate_rps=1000.0, for_s=0.5, drained_within_s=math.inf)
    many = len(task.done)
    assert sorted(message for _, message in task.done) == list(range(many))
    shares = sorted(Counter(ident for ident, _ in task.done).values())
    assert shares == pytest.approx([many / 5, many / 5, many * 3 / 5], abs=2)


def test_tuples_go_whole_to_every_child_and_add_up_where_branches_meet() -> None:
    topology = Topology({"in": ["a"], "a": ["b", "c"], "b": ["d"], "c": ["d"], "d": ["out"]})
    flow = TupleFlow(topology, {"": {"a": 1, "b": 2, "c": 1, "d": 2}})
    tasks = {name: Noting(name) for name in "abcd"}
    with running(flow, tasks) as exchange:
        exchange.run(rate_rps=200.0, for_s=0.5, drained_within_s=math.inf)
    done = {name: sorted(message for _, message in task.done) for name, task in tasks.items()}
    many = range(len(done["a"]))
    assert done["a"] == done["b"] == done["c"] == list(many)
    assert done["d"] == sorted([*many] * 2)


def test_a_thread_gets_a_role_of_its_own_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.12")
    topology = Topology({"in": ["a"], "a": ["b"], "b": ["out"]})
    flow = TupleFlow(topology, {"127.0.0.12": {"a": 1, "b": 1}})
    with running(flow, {"a": Noting("a"), "b": Noting("b")}) as exchange:
        assert exchange.ready == 2


def test_one_trial_after_the_other_begins_from_nothing() -> None:
    task = Noting()
    with running(TupleFlow.of_one("noting", 1), {"noting": task}) as exchange:
        first = exchange.run(100.0, 0.3, math.inf)
        second = exchange.run(100.0, 0.3, math.inf)
    # Each trial numbers its tuples from 0, and tells of its own only.
    counts = [sum(report.count for report in reports) for reports in (first, second)]
    assert [message for _, message in task.done] == [*range(counts[0]), *range(counts[1])]
