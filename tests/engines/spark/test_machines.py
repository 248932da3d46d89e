"""The executors of an application, gathered by host."""

from penstock.engines.spark.watch.machines import Executor, Here, machines

HERE = Here(cores=2, load=1.0)


def test_executors_are_counted_by_host_with_their_slots() -> None:
    found = machines([Executor(str(n), "h1" if n < 2 else "h2", 4, None) for n in range(3)], None, {}, HERE)
    assert [(one.name, one.executors, one.slots) for one in found] == [("h1", 2, 8), ("h2", 1, 4)]


def test_in_local_mode_the_driver_takes_tasks_and_nobody_is_told_to_have_more_executors() -> None:
    (found,) = machines([Executor("driver", "localhost", 8, None)], None, {}, HERE)
    assert (found.executors, found.slots, found.cores) == (None, 8, 2)
