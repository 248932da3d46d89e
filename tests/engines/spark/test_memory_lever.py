"""The lever of executors' memory: what it tells, what it hands on, and what it refuses."""

from dataclasses import dataclass, field

import pytest

from penstock.core.levers import WHOLE, Dial, Disturbs, Memory, Shows
from penstock.engines.spark.levers.memory import MemoryLever
from penstock.errors import EngineError


@dataclass
class Cluster:
    """Executors of 1 GiB, workers of 4 GiB, and somebody who takes wishes."""

    most: int | None = 4096
    now_mib: int = 1024
    asked: list[int] = field(default_factory=list)

    def most_mib(self, wall_s: float) -> int | None:
        return self.most

    @property
    def lever(self) -> MemoryLever:
        return MemoryLever(self, self.asked.append)


def test_it_stands_where_executors_do_and_costs_every_query_a_restart() -> None:
    dial = Cluster().lever.of_all(0.0)
    restart = {"disturbs": Disturbs.APPLICATION, "shows": Shows.AFTER_RESTART}
    assert dial == Dial("memory", WHOLE, 1024, 512, 4096, **restart)  # type: ignore[arg-type]


def test_a_wish_is_handed_on_once_and_told_as_awaited() -> None:
    cluster = Cluster()
    lever = cluster.lever
    for _ in range(2):
        lever.turn(Memory(1024, 2048), 0.0)
    dial = lever.of_all(0.0)
    assert dial is not None
    assert (cluster.asked, dial.now, dial.asked) == ([2048], 1024, 2048)


def test_what_executors_have_is_not_asked_for() -> None:
    cluster = Cluster()
    cluster.lever.turn(Memory(1024, 1024), 0.0)
    assert cluster.asked == []


@pytest.mark.parametrize(
    ("most", "after", "why"),
    [
        (4096, 256, "no executor starts with 256 MiB; ask for 512 or more"),
        (4096, 5000, "no worker has 5,000 MiB; ask for 4,096 or less"),
    ],
)
def test_what_no_executor_can_have_is_refused(most: int, after: int, why: str) -> None:
    cluster = Cluster(most)
    with pytest.raises(EngineError, match=why):
        cluster.lever.turn(Memory(1024, after), 0.0)
    assert cluster.asked == []


def test_where_no_master_says_what_workers_have_the_next_life_finds_out() -> None:
    cluster = Cluster(most=None)
    cluster.lever.turn(Memory(1024, 9000), 0.0)
    assert cluster.asked == [9000]


@pytest.mark.parametrize("lever", [MemoryLever(None, lambda mib: None), MemoryLever(Cluster(), None)])
def test_an_application_that_is_not_ours_or_not_on_such_a_cluster_has_no_such_lever(lever: MemoryLever) -> None:
    assert lever.of_all(0.0) is None
    with pytest.raises(EngineError, match="`penstock run` on a standalone cluster starts its own again"):
        lever.turn(Memory(1024, 2048), 0.0)


def test_a_wish_that_is_refused_is_not_awaited() -> None:
    def refuse(mib: int) -> None:
        raise EngineError("no executor of 2,048 MiB came")

    lever = MemoryLever(Cluster(), refuse)
    with pytest.raises(EngineError):
        lever.turn(Memory(1024, 2048), 0.0)
    dial = lever.of_all(0.0)
    assert dial is not None
    assert dial.asked is None
