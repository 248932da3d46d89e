"""Of what Spark counts from an executor's start on, the share of the last while."""

import pytest

from penstock.engines.spark.watch.garbage import GarbageWatch
from penstock.engines.spark.watch.machines import Executor, Here, machines


def executor(name: str, tasks_s: float, gc_s: float, host: str = "h1") -> Executor:
    return Executor(name, host, slots=1, memory_share=None, tasks_s=tasks_s, gc_s=gc_s)


def test_what_was_before_the_first_look_does_not_count() -> None:
    watch = GarbageWatch(window_s=60.0)
    assert watch.shares([executor("0", 100.0, 90.0)], 0.0) == {}
    assert watch.shares([executor("0", 120.0, 92.0)], 10.0) == {"h1": pytest.approx(0.1)}  # 2 of 20 s


def test_what_is_older_than_the_window_is_forgotten() -> None:
    watch = GarbageWatch(window_s=60.0)
    counted = {0.0: (0.0, 0.0), 30.0: (30.0, 15.0), 60.0: (60.0, 15.0), 90.0: (90.0, 15.0)}
    told = [watch.shares([executor("0", *spent)], at_s).get("h1") for at_s, spent in counted.items()]
    assert told == [None, 0.5, 0.25, 0.0]


def test_the_executors_of_a_host_count_together_and_one_that_came_counts_from_its_start() -> None:
    watch = GarbageWatch(window_s=60.0)
    watch.shares([executor("0", 0.0, 0.0), executor("1", 0.0, 0.0, "h2")], 0.0)
    now = [executor("0", 10.0, 1.0), executor("2", 10.0, 3.0), executor("1", 0.0, 0.0, "h2")]
    assert watch.shares(now, 10.0) == {"h1": pytest.approx(0.2)}  # nothing ended on h2: nothing is known of it


def test_it_is_told_with_the_machine() -> None:
    found = machines([executor("0", 1.0, 0.0, "h1"), executor("1", 1.0, 0.0, "h2")], None, {"h2": 0.3}, Here(2, 0.5))
    assert [(machine.name, machine.gc_share) for machine in found] == [("h1", None), ("h2", 0.3)]
