"""How first batches grow, by what each of them says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.engines.spark.watch.first_batches import LONG_S, FirstBatches, Loosened, SmallBatch, loosened
from penstock.engines.spark.watch.progress import Batch, SourceRows

FIRST = FirstBatches("run", until_s=120.0, rows=4_000)
OF_FILES = FirstBatches("run", until_s=120.0)


def batch(rows: float, took_s: float = 1.0, held_back: float | None = None, number: int = 0, run: str = "run") -> Batch:
    return Batch(run, number, 0.0, took_s, rows, held_back, (SourceRows(rows, held_back),))


@pytest.mark.parametrize(
    ("first", "newest", "rows"),
    [
        pytest.param(FIRST, batch(4_000, took_s=0.1, held_back=1e6), 64_000, id="quick: at most sixteen times as many"),
        pytest.param(FIRST, batch(4_000, took_s=2.0, held_back=1e6), 20_000, id="what fits into a round"),
        pytest.param(FIRST, batch(4_000, took_s=9.0, held_back=1e6), 8_000, id="most of it may be what a batch takes"),
        pytest.param(FIRST, batch(4_000, took_s=40.0, held_back=1e6), 1_000, id="dear rows: fewer of them"),
        pytest.param(FIRST, batch(4_000, took_s=400.0, held_back=1e6), 400, id="no less than a tenth"),
        pytest.param(FIRST, batch(4_000, held_back=0.0), None, id="nothing waits beyond it"),
        pytest.param(FIRST, batch(3_900), 39_000, id="full, of a source that does not say what it holds back"),
        pytest.param(FIRST, batch(300), None, id="not full, of such a source"),
        pytest.param(FIRST, batch(0.0), None, id="nothing at all"),
        pytest.param(OF_FILES, batch(700), 7_000, id="so many files, whose rows are known by now"),
        pytest.param(OF_FILES, batch(0.0), None, id="no files"),
    ],
)
def test_the_next_bound(first: FirstBatches, newest: Batch, rows: int | None) -> None:
    found = loosened(first, [newest], even_s=10.0)
    assert found is not None
    assert found.rows == rows


@pytest.mark.parametrize(
    ("first", "batches"),
    [
        pytest.param(FIRST, [], id="no batch yet"),
        pytest.param(FIRST, [batch(4_000, run="the one before")], id="of another run"),
        pytest.param(FIRST.bounded(64_000, obeyed_from=3), [batch(4_000, number=2)], id="planned before the bound"),
        pytest.param(
            FirstBatches.of("run", SmallBatch(4_000, number=8), 0.0),
            [batch(9e5, number=7)],
            id="of a run before",
        ),
    ],
)
def test_without_news_it_stays(first: FirstBatches, batches: list[Batch]) -> None:
    assert loosened(first, batches, even_s=10.0) is None


def test_after_two_minutes_it_is_as_the_options_say_whatever_waits() -> None:
    first = FirstBatches.of("run", SmallBatch(4_000), even_s=50.0)
    full = [batch(4_000, held_back=1e6)]
    assert loosened(first, full, even_s=169.0) == Loosened(40_000, "rows wait beyond it")
    assert loosened(first, full, even_s=170.0) == Loosened(None, "enough is known of it by now")


@given(each_s=st.floats(0.05, 9.0), row_s=st.floats(1e-7, 1e-2), waiting=st.integers(0, 10**8))
def test_no_batch_but_the_first_takes_twice_a_round_and_what_waits_is_worked_off(
    each_s: float, row_s: float, waiting: int
) -> None:
    first, number, at_s, left = FirstBatches.of("run", SmallBatch(4_000), 0.0), 0, 0.0, waiting
    took: list[float] = []
    while True:
        rows = left if first.rows is None else min(left, first.rows)
        took.append(each_s + row_s * rows)
        left, at_s = left - rows, at_s + took[-1]
        found = loosened(first, [batch(rows, took[-1], left, number)], at_s)
        assert found is not None
        if found.rows is None:
            break
        number += 1
        first = first.bounded(found.rows, obeyed_from=number)
    assert all(later_s <= 2 * LONG_S + 1e-6 for later_s in took[1:])
    assert left == 0 or at_s >= 120.0
