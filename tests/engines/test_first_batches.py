"""How first batches grow, by what each of them says."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.first_batches import LONG_S, FirstBatches, Loosened, SmallBatch, TakenBatch, loosened

FIRST = FirstBatches("run", until_s=120.0, rows=4_000)
AFTER_ONE = replace(FIRST, full=TakenBatch(0, 4_000, 1e6, 5.0))
OF_FILES = FirstBatches("run", until_s=120.0)


def batch(taken: float, took_s: float = 1.0, left: float | None = None, number: int = 0) -> TakenBatch:
    return TakenBatch(number, taken, left, took_s)


@pytest.mark.parametrize(
    ("first", "newest", "rows"),
    [
        pytest.param(FIRST, batch(4_000, took_s=0.1, left=1e6), 64_000, id="quick: at most sixteen times as many"),
        pytest.param(FIRST, batch(4_000, took_s=1.0, left=1e6), 16_000, id="what fits into four seconds"),
        pytest.param(FIRST, batch(4_000, took_s=3.0, left=1e6), 8_000, id="most of it may be what a batch takes"),
        pytest.param(FIRST, batch(4_000, took_s=5.0, left=1e6), 6_000, id="long: more rows are tried"),
        pytest.param(FIRST, batch(4_000, took_s=8.0, left=1e6), 5_000, id="nearly as long as it may be"),
        pytest.param(AFTER_ONE, batch(6_000, took_s=7.5, left=1e6), 6_000, id="long for its rows"),
        pytest.param(AFTER_ONE, batch(6_000, took_s=5.5, left=1e6), 12_000, id="long whatever its rows"),
        pytest.param(AFTER_ONE, batch(2_000, took_s=4.5, left=1e6), 4_000, id="hardly shorter with half of them"),
        pytest.param(AFTER_ONE, batch(4_000, took_s=6.0, left=1e6), 4_000, id="as many rows tell nothing"),
        pytest.param(FIRST, batch(4_000, took_s=40.0, left=1e6), 1_000, id="dear rows: fewer of them"),
        pytest.param(FIRST, batch(4_000, took_s=400.0, left=1e6), 400, id="no less than a tenth"),
        pytest.param(FIRST, batch(4_000, left=0.0), 4_000, id="nothing waits beyond it"),
        pytest.param(FIRST, batch(3_900), 15_600, id="full, of a source that does not say what it leaves"),
        pytest.param(FIRST, batch(300), 4_000, id="not full, of such a source"),
        pytest.param(FIRST, batch(0.0), 4_000, id="nothing at all"),
        pytest.param(OF_FILES, batch(700), 2_800, id="so many files, whose rows are known by now"),
        pytest.param(OF_FILES, batch(0.0), None, id="no files"),
    ],
)
def test_the_next_bound(first: FirstBatches, newest: TakenBatch, rows: int | None) -> None:
    found = loosened(first, newest, even_s=10.0)
    assert found is not None
    assert found.first is not None
    assert found.first.rows == rows


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
        pytest.param(replace(FIRST, heard_from=3), batch(4_000, number=2), id="planned before the bound"),
        pytest.param(
            FirstBatches.of("run", SmallBatch(4_000, number=8), 0.0), batch(9e5, number=7), id="of a run before"
        ),
    ],
)
def test_without_news_it_stays(first: FirstBatches, newest: TakenBatch | None) -> None:
    assert loosened(first, newest, even_s=10.0) is None


def test_after_two_minutes_it_is_as_the_options_say_whatever_waits() -> None:
    first = FirstBatches.of("run", SmallBatch(4_000), even_s=50.0)
    full = batch(4_000, left=1e6)
    assert loosened(first, full, even_s=169.0) == Loosened(
        replace(first, rows=16_000, grew=True, full=full), "rows wait beyond it"
    )
    assert loosened(first, full, even_s=170.0) == Loosened(None, "enough is known of it by now")


@given(each_s=st.floats(0.05, 9.0), row_s=st.floats(1e-7, 1e-2), waiting=st.integers(0, 10**8))
def test_no_batch_but_the_first_takes_twice_a_round_and_what_waits_is_worked_off(
    each_s: float, row_s: float, waiting: int
) -> None:
    first: FirstBatches | None = FirstBatches.of("run", SmallBatch(4_000), 0.0)
    number, at_s, left = 0, 0.0, waiting
    took: list[float] = []
    while first is not None:
        rows = left if first.rows is None else min(left, first.rows)
        took.append(each_s + row_s * rows)
        left, at_s = left - rows, at_s + took[-1]
        found = loosened(first, batch(rows, took[-1], left, number), at_s)
        assert found is not None
        first, number = found.first, number + 1
    assert all(later_s <= 2 * LONG_S + 1e-6 for later_s in took[1:])
    assert left == 0 or at_s >= 120.0
