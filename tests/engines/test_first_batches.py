"""How first batches grow, by what each of them says."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.first_batches import LONG_S, FirstBatches, Loosened, SmallBatch, TakenBatch, loosened

SLOTS = 4
FIRST = FirstBatches("run", until_s=120.0, slots=SLOTS, rows=4_000)
OF_FILES = FirstBatches("run", until_s=120.0, slots=SLOTS)


def batch(taken: float, held_s: float = 1.0, left: float | None = None, number: int = 0) -> TakenBatch:
    """One that had all slots for so long."""
    return TakenBatch(number, taken, left, SLOTS * held_s)


@pytest.mark.parametrize(
    ("first", "newest", "rows"),
    [
        pytest.param(FIRST, batch(4_000, held_s=0.1, left=1e6), 64_000, id="quick: at most sixteen times as many"),
        pytest.param(FIRST, batch(4_000, held_s=1.0, left=1e6), 16_000, id="what fits into four seconds"),
        pytest.param(FIRST, batch(4_000, held_s=3.0, left=1e6), 8_000, id="most of it may be what a batch takes"),
        pytest.param(FIRST, batch(4_000, held_s=5.0, left=1e6), 4_000, id="long"),
        pytest.param(FIRST, batch(4_000, held_s=40.0, left=1e6), 1_000, id="dear rows: fewer of them"),
        pytest.param(FIRST, batch(4_000, held_s=400.0, left=1e6), 400, id="no less than a tenth"),
        pytest.param(FIRST, batch(4_000, held_s=2.0, left=20_000), 20_000, id="all that waits fits into ten seconds"),
        pytest.param(FIRST, batch(4_000, held_s=2.0, left=20_001), 8_000, id="a row more than that"),
        pytest.param(FIRST, batch(4_000, held_s=8.0, left=10), 5_000, id="little is left of what was long"),
        pytest.param(FIRST, batch(4_000, held_s=30.0, left=10), 1_333, id="little is left of what was too long"),
        pytest.param(FIRST, batch(4_000, left=0.0), 4_000, id="nothing waits beyond it"),
        pytest.param(FIRST, batch(3_900), 39_000, id="full, of a source that does not say what it leaves"),
        pytest.param(FIRST, batch(300), 4_000, id="not full, of such a source"),
        pytest.param(FIRST, batch(0.0), 4_000, id="nothing at all"),
        pytest.param(OF_FILES, batch(700), 7_000, id="so many files, whose rows are known by now"),
        pytest.param(OF_FILES, batch(0.0), None, id="no files"),
    ],
)
def test_the_next_bound(first: FirstBatches, newest: TakenBatch, rows: int | None) -> None:
    found = loosened(first, newest, even_s=10.0)
    assert found is not None
    assert found.first is not None
    assert found.first.rows == rows


def test_each_batch_says_what_its_rows_take_also_before_the_new_bound_holds() -> None:
    first, found = FIRST, []
    for number, held_s in enumerate([2.0, 1.0, 2.0]):  # the code is warm from the second on; the third is larger
        loosened_so = loosened(first, batch(4_000, held_s, left=1e6, number=number), even_s=10.0)
        assert loosened_so is not None
        assert loosened_so.first is not None
        first = replace(loosened_so.first, within_from=number + 2)
        found.append(first.rows)
    assert found == [8_000, 16_000, 8_000]


def test_after_three_batches_beyond_which_nothing_waits_they_are_over() -> None:
    first: FirstBatches | None = FIRST
    for number, left in enumerate([0.0, 0.0, 1e6, 0.0, 0.0, 0.0]):
        assert first is not None
        found = loosened(first, batch(4_000, left=left, number=number), even_s=10.0)
        assert found is not None
        first = found.first
    assert first is None


def test_of_a_batch_that_was_heard_of_nothing_is_said_again() -> None:
    found = loosened(FIRST, batch(300, left=0.0), even_s=10.0)
    assert found is not None
    assert found.first is not None
    assert loosened(found.first, batch(300, left=0.0), even_s=11.0) is None


@pytest.mark.parametrize(
    ("first", "newest"),
    [
        pytest.param(FIRST, None, id="no batch yet"),
        pytest.param(replace(FIRST, heard_from=3), batch(4_000, number=2), id="heard of before"),
        pytest.param(replace(FIRST, within_from=3), batch(1_000, number=2), id="as small as the bound was before"),
        pytest.param(
            FirstBatches.of("run", SmallBatch(4_000, number=8), 0.0, SLOTS), batch(9e5, number=7), id="of a run before"
        ),
    ],
)
def test_without_news_it_stays(first: FirstBatches, newest: TakenBatch | None) -> None:
    assert loosened(first, newest, even_s=10.0) is None


def test_while_rows_wait_it_stays_however_long_and_without_word_of_any_for_two_minutes_the_options_hold() -> None:
    first = FirstBatches.of("run", SmallBatch(4_000), 50.0, SLOTS)
    held = replace(first, until_s=1_120.0, rows=16_000, grew=True, heard_from=1)
    assert loosened(first, batch(4_000, left=1e6), even_s=1_000.0) == Loosened(held, "rows wait beyond it")
    assert loosened(held, None, even_s=1_119.0) is None
    assert loosened(held, None, even_s=1_120.0) == Loosened(None, "nothing is heard of rows that wait")


@given(each_s=st.floats(0.05, 9.0), row_s=st.floats(1e-7, 1e-2), waiting=st.integers(0, 10**6))
def test_no_batch_but_the_first_has_the_slots_for_long_and_what_waits_is_worked_off(
    each_s: float, row_s: float, waiting: int
) -> None:
    first: FirstBatches | None = FirstBatches.of("run", SmallBatch(4_000), 0.0, SLOTS)
    number, at_s, left = 0, 0.0, waiting
    held: list[float] = []
    while first is not None:
        rows = left if first.rows is None else min(left, first.rows)
        held.append(each_s + row_s * rows)
        left, at_s = left - rows, at_s + held[-1]
        found = loosened(first, batch(rows, held[-1], left, number), at_s)
        assert found is not None
        first, number = found.first, number + 1
    assert all(later_s <= 2 * LONG_S + 1e-6 for later_s in held[1:])
    assert left == 0
