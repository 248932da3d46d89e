"""A re-routing that dies or fails after any step, wherever the checkpoint is: no count is wrong, the query runs on.

The tables of docs/routing.md, line by line. The files are real and so is all that writes them but Spark's own part, for
which `running_count` stands; test_viewfs does the same by Hadoop's client, test_reroute and test_places some on Spark.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.engines.spark.jvm.local_files import LocalFiles, local_path
from penstock.engines.spark.routing import migration
from penstock.errors import EngineError
from tests.engines.spark.routing.faulty_files import Fault, FaultyFiles
from tests.engines.spark.routing.object_store import StoredFiles
from tests.engines.spark.routing.running_count import PARTITIONS, CrashError, RunningCount
from tests.engines.spark.routing.steps import (
    KEYS,
    STEPS,
    all_to,
    at,
    begun,
    comes_back_once_its_storage_does,
    dies,
    goes_on_after_a_crash,
    is_right_from_now_on,
    kept,
    runs_on_where_it_fails_for_good,
)
from tests.patience import patience_s


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
    return begun(PLACES[request.param](tmp_path))


each = pytest.mark.parametrize("step", STEPS)


@each
def test_after_a_crash_the_next_start_goes_on_with_all_counts(count: RunningCount, step: str) -> None:
    goes_on_after_a_crash(count, step)


def test_a_step_that_was_done_and_told_as_failed_is_done(count: RunningCount) -> None:
    count.reroute(all_to(1), at("committed", EngineError))
    assert {partition for _, partition in kept(count)} == {1}
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    is_right_from_now_on(count)


@each
def test_where_it_fails_for_good_the_query_runs_on_with_the_table_it_had(count: RunningCount, step: str) -> None:
    runs_on_where_it_fails_for_good(count, step)


@each
def test_where_its_storage_is_full_or_away_for_good_it_refuses_in_words_and_goes_on_once_that_is_over(
    count: RunningCount, step: str
) -> None:
    comes_back_once_its_storage_does(count, step)


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


def test_while_a_rewriting_hangs_a_start_is_refused_in_words_and_neither_undoes_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration, "TURN_WITHIN_S", 0.1)
    count, fault = begun(LocalFiles(tmp_path)), Fault(hangs=["state/0/1/"])
    count.run()
    count.checkpoint = FaultyFiles(count.checkpoint, fault)
    moving = Thread(target=count.reroute, args=(all_to(1),), daemon=True)
    moving.start()
    assert fault.hung.wait(patience_s())
    count.checkpoint = LocalFiles(tmp_path)
    for _ in range(2):
        with pytest.raises(EngineError, match=r"still being moved.*start the query again"):
            count.run()
    fault.lifted.set()
    moving.join(patience_s())
    count.feed(KEYS)
    count.run()
    assert count.told == Counter(count.rows)
    assert {partition for _, partition in kept(count)} == {1}
    is_right_from_now_on(count)


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
