"""A re-routing that dies or fails for good after each of its steps, and what is to be so then, whatever the place."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

import pytest

from penstock.core.known.routing_table import RoutingTable
from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.routing.migration import pending
from penstock.errors import EngineError
from tests.engines.spark.routing.faulty_files import Fault, FaultyFiles, StorageError
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
# What a re-routing writes after each step, and a query that runs on with its table does not. The query's own files are
# refused by `Mover`, which knows who writes them.
WRITES_NEXT: Mapping[str, tuple[str, ...]] = {"open batch finished": ("routing/changes/",)}


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


Later = Sequence[RoutingTable | None]  # None: rows alone
LATER: Later = (None, all_to(2), all_to(0))


def dies() -> None:
    raise CrashError


def at(step: str, error: type[BaseException]) -> Callable[[str], None]:
    def done(name: str) -> None:
        if name == step:
            raise error(step)

    return done


def goes_on_after_a_crash(count: RunningCount, step: str, later: Later = LATER) -> None:
    """The next start goes on with all counts."""
    with pytest.raises(CrashError):
        count.reroute(all_to(1), at(step, CrashError))
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    book = count.book()
    assert (len(book.moves()), pending(book)) == (int(step in STEPS[3:]), None)
    is_right_from_now_on(count, later)


def runs_on_where_it_fails_for_good(count: RunningCount, step: str, later: Later = LATER) -> None:
    """The step raises at every attempt, and what it was to write cannot be written: with the table it had."""
    with failing(count, step):
        for _ in range(2):
            rerouted_in_vain(count, step)
            count.feed(KEYS)
            count.run()  # as a driver that starts anew does
            assert count.told == Counter(count.rows)
            assert pending(count.book()) is None
    assert {partition for _, partition in kept(count)} <= ({1} if step == "committed" else set())
    is_right_from_now_on(count, later)


def comes_back_once_its_storage_does(count: RunningCount, step: str, later: Later = LATER) -> None:
    """Full or away from that step on, at every attempt: no start is wrong, and what is refused is told in words."""
    for fault in ("full", "away"):
        with withheld(count, step, fault):
            for _ in range(2):
                count.feed(KEYS)
                with pytest.raises((EngineError, StorageError)) as refused:
                    count.run()
                # A batch of Spark's own that finds no room fails as it always did; all else is in our words.
                assert "start the query again" in str(refused.value) or (fault, refused.type) == ("full", StorageError)
        count.run()
        assert count.told == Counter(count.rows)
        assert pending(count.book()) is None
    is_right_from_now_on(count, later)


@contextmanager
def failing(count: RunningCount, step: str) -> Iterator[None]:
    """What comes after that step cannot be done, as often as it is tried."""
    checkpoint, fault = count.checkpoint, Fault(refused=WRITES_NEXT.get(step, ()))
    count.checkpoint, count.broken = FaultyFiles(checkpoint, fault), step
    yield
    count.checkpoint, count.broken = checkpoint, ""


@contextmanager
def withheld(count: RunningCount, step: str, fault: str) -> Iterator[None]:
    """A re-routing to whose storage that happens after the step."""
    checkpoint, storage = count.checkpoint, Fault()

    def done(name: str) -> None:
        if name == step:
            setattr(storage, fault, True)
            raise StorageError(fault)

    count.checkpoint = FaultyFiles(checkpoint, storage)
    table = all_to(2 if kept(count) == {(key, 1) for key in KEYS} else 1)
    with suppress(EngineError, StorageError):  # a full storage is enough for a start that has nothing to write
        count.reroute(table, done)
    assert storage.full or storage.away
    yield
    count.checkpoint = checkpoint


def rerouted_in_vain(count: RunningCount, step: str) -> None:
    if step == "table kept":  # the query has not been stopped yet
        with pytest.raises(EngineError):
            count.reroute(all_to(1), at(step, EngineError))
    else:
        count.reroute(all_to(1), at(step, EngineError))


def is_right_from_now_on(count: RunningCount, later: Later = LATER) -> None:
    """After more rows, and after each of these further re-routings."""
    for table in later:
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
