"""A re-routing that dies or fails after any step, wherever the checkpoint is: no count is wrong, the query runs on.

The tables of docs/routing.md, line by line. The files are real and so is all that writes them but Spark's own part, for
which `running_count` stands; test_reroute and test_places do some of the same on Spark.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.routing_table import RoutingTable
from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.jvm.local_files import LocalFiles, local_path
from penstock.engines.spark.routing.migration import pending
from penstock.errors import EngineError
from tests.engines.spark.routing.object_store import StoredFiles
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


def by_uri(place: Path) -> LocalFiles:
    found = local_path(f"file://{place}/checkpoint")
    assert found is not None
    return LocalFiles(found)


PLACES: Mapping[str, Callable[[Path], Files]] = {
    "a local path": lambda place: LocalFiles(place / "checkpoint"),
    "a path with a space": lambda place: LocalFiles(place / "my own%20checkpoint"),
    "a file URI": by_uri,
    "an object store": lambda place: StoredFiles("stub://bucket/checkpoint"),
}


@pytest.fixture(params=PLACES)
def count(request: pytest.FixtureRequest, tmp_path: Path) -> RunningCount:
    """It has counted three batches; a fourth was begun and not committed, as `stop` may leave it."""
    made = RunningCount(PLACES[request.param](tmp_path))
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


@pytest.mark.parametrize("step", STEPS)
def test_after_a_crash_the_next_start_goes_on_with_all_counts(count: RunningCount, step: str) -> None:
    with pytest.raises(CrashError):
        count.reroute(all_to(1), at(step, CrashError))
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    book = count.book()
    assert (len(book.moves()), pending(book)) == (int(step in STEPS[3:]), None)
    is_right_from_now_on(count)


def test_a_step_that_was_done_and_told_as_failed_is_done(count: RunningCount) -> None:
    count.reroute(all_to(1), at("committed", EngineError))
    assert {partition for _, partition in kept(count)} == {1}
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    is_right_from_now_on(count)


@pytest.mark.parametrize("step", STEPS)
def test_where_it_fails_for_good_the_query_runs_on_with_the_table_it_had(count: RunningCount, step: str) -> None:
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


@pytest.mark.parametrize("step", STEPS[3:6])
def test_what_a_crash_left_and_cannot_be_carried_out_is_withdrawn_at_the_next_start(
    count: RunningCount, step: str
) -> None:
    with pytest.raises(CrashError):
        count.reroute(all_to(1), at(step, CrashError))
    count.broken = step
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    book = count.book()
    assert (book.moves(), book.changes()[-1].withdraws, book.changes()[-1].version) == ((), 1, 0)
    count.broken = ""
    is_right_from_now_on(count)


def test_a_batch_that_was_begun_with_rows_is_no_batch_of_a_re_routing(tmp_path: Path) -> None:
    count = RunningCount(LocalFiles(tmp_path))
    count.feed(KEYS)
    count.run()
    with pytest.raises(CrashError):
        count.reroute(all_to(1), at("change written down", CrashError))
    count.feed(KEYS)
    count.checkpoint.create("offsets/1", f"v1\n{{}}\n{len(count.rows)}")  # by whoever knew nothing of the book
    count.run()
    assert count.told == Counter(count.rows)


ACTS = st.sampled_from(["run", "die in a batch", "reroute", "break", "heal", *STEPS])


@given(st.lists(ACTS, max_size=15))
def test_no_sequence_of_crashes_and_failures_makes_a_count_wrong(acts: list[str]) -> None:
    count = RunningCount(StoredFiles("stub://bucket/checkpoint"))
    count.feed(KEYS)
    count.run()
    for number, act in enumerate(acts):
        count.feed(KEYS[number % 3 :])
        try:
            done_to(count, act, number)
        except CrashError:
            continue
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)


def done_to(count: RunningCount, act: str, number: int) -> None:
    if act in STEPS:
        count.reroute(all_to(number % PARTITIONS), at(act, CrashError))
    elif act == "reroute":
        count.reroute(all_to(number % PARTITIONS))
    elif act in ("break", "heal"):
        count.broken = STEPS[3 + number % 3] if act == "break" else ""
    else:
        count.run(before_commit=dies if act == "die in a batch" else lambda: None)
