"""A re-routing that dies or fails after each of its steps, and what is to be so from then on, whatever the place."""

from collections import Counter
from collections.abc import Callable

import pytest

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.routing.migration import pending
from penstock.errors import EngineError
from tests.engines.spark.routing.running_count import PARTITIONS, CrashError, RunningCount

KEYS = [f"k{number}" for number in range(8)]
STEPS = [
    "table kept",
    "query stopped",
    "open batch finished",
    "change written down",
    "offsets entered",
    "state rewritten",
    "committed",
]


def begun(checkpoint: Files) -> RunningCount:
    """It has counted three batches; a fourth was begun and not committed, as `stop` may leave it."""
    made = RunningCount(checkpoint)
    for _ in range(3):
        made.feed(KEYS)
        made.run()
    made.feed(KEYS[:5])
    with pytest.raises(CrashError):
        made.run(before_commit=dies)
    return made


def all_to(partition: int) -> RoutingTable:
    return RoutingTable(PARTITIONS, {"left": dict.fromkeys(KEYS, partition)})


def dies() -> None:
    raise CrashError


def at(step: str, error: type[BaseException]) -> Callable[[str], None]:
    def done(name: str) -> None:
        if name == step:
            raise error(step)

    return done


def goes_on_after_a_crash(count: RunningCount, step: str) -> None:
    """The next start goes on with all counts."""
    with pytest.raises(CrashError):
        count.reroute(all_to(1), at(step, CrashError))
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    book = count.book()
    assert (len(book.moves()), pending(book)) == (int(step in STEPS[3:]), None)
    is_right_from_now_on(count)


def runs_on_where_it_fails_for_good(count: RunningCount, step: str) -> None:
    """The query runs on with the table it had."""
    count.broken = step
    if step == "table kept":  # the query has not been stopped yet
        with pytest.raises(EngineError):
            count.reroute(all_to(1), at(step, EngineError))
    else:
        count.reroute(all_to(1), at(step, EngineError))
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    assert pending(count.book()) is None
    count.broken = ""
    is_right_from_now_on(count)


def is_right_from_now_on(count: RunningCount) -> None:
    """After more rows, after another re-routing and after still more."""
    for table in (None, all_to(2), all_to(0)):
        if table is not None:
            count.reroute(table)
            assert {key for key, _ in kept(count)} == set(KEYS)
        count.feed(KEYS[2:])
        count.run()
        assert count.told == Counter(count.rows)
    assert {partition for _, partition in kept(count)} == {0}


def kept(count: RunningCount) -> set[tuple[str, int]]:
    """The keys of the table in force, and where it sends them."""
    book = count.book()
    return {(str(key), at) for key, at in book.table(book.changes()[-1].version).keys["left"].items()}
