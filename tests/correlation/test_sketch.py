"""The sketch: exact while it has counters enough, else off by no more than it says; merged, restarted, sent."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.seen.pairs import Pair, PairCounts
from penstock.correlation.sketch import PairSketch
from penstock.errors import ConfigError


def skewed_rows(seed: int, rows: int) -> list[Pair]:
    chance = random.Random(seed)
    return [(f"r{int(chance.paretovariate(0.8)) % 300}", int(chance.paretovariate(0.8)) % 300) for _ in range(rows)]


def count(sketch: PairSketch, rows: Iterable[Pair]) -> None:
    for left, right in rows:
        sketch.update(left, right)


def exact(rows: list[Pair]) -> PairCounts:
    counts: dict[Pair, float] = {}
    for pair in rows:
        counts[pair] = counts.get(pair, 0) + 1
    return PairCounts.exact(counts)


def assert_within_error(sketched: PairCounts, truth: PairCounts) -> None:
    assert sketched.rows == truth.rows
    for pair in {*truth.pairs, *sketched.pairs}:
        assert 0 <= sketched.pairs.get(pair, sketched.error) - truth.pairs.get(pair, 0) <= sketched.error


def test_few_pairs_are_counted_exactly_whatever_their_keys() -> None:
    rows: list[Pair] = [("Asia", "#java"), (7, "x|y"), (("de", 3), 'q"'), ("7", 7), ("Asia", "#java")]
    sketch = PairSketch(4)
    count(sketch, rows)
    assert sketch.counts() == exact(rows)


@given(seed=st.integers(0, 10_000), lg_size=st.integers(4, 9))
@settings(deadline=None, max_examples=20)
def test_many_pairs_in_little_memory_are_off_by_no_more_than_the_sketch_says(seed: int, lg_size: int) -> None:
    rows, sketch = skewed_rows(seed, 4000), PairSketch(lg_size)
    count(sketch, rows)
    counted = sketch.counts()
    assert len(counted.pairs) <= 2**lg_size
    assert_within_error(counted, exact(rows))


@given(seed=st.integers(0, 10_000), executors=st.integers(2, 5))
@settings(deadline=None, max_examples=10)
def test_sketches_of_batches_and_executors_merge_within_their_error(seed: int, executors: int) -> None:
    rows, merged = skewed_rows(seed, 4000), PairSketch(6)
    for number in range(executors):
        one = PairSketch(6)
        count(one, rows[number::executors])
        merged.merge(PairSketch.from_bytes(one.to_bytes(), 6))
    assert len(merged.counts().pairs) <= 64
    assert_within_error(merged.counts(), exact(rows))


@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=10)
def test_counts_of_sketches_added_up_are_within_the_sum_of_their_errors(seed: int) -> None:
    rows, parts = skewed_rows(seed, 3000), (PairSketch(5), PairSketch(6))
    for number, part in enumerate(parts):
        count(part, rows[number::2])
    total = parts[0].counts() + parts[1].counts()
    truth = exact(rows)
    assert all(abs(truth.pairs.get(p, 0) - total.pairs.get(p, 0)) <= total.error for p in {*truth.pairs, *total.pairs})


def test_a_heavy_pair_is_never_missed() -> None:
    sketch = PairSketch(5)
    count(sketch, ((n, n) for n in range(5000)))
    sketch.update("Asia", "#java", 2000)
    assert ("Asia", "#java") in sketch.counts().pairs


def test_after_a_re_routing_the_sketch_starts_from_nothing() -> None:
    sketch = PairSketch(4)
    sketch.update("Asia", "#java", 5)
    assert sketch.closed().rows == 5
    assert sketch.counts() == PairCounts()


def test_a_size_beyond_reason_is_refused() -> None:
    with pytest.raises(ConfigError, match="lg_size: 60 cannot be used; write the power of two of its size"):
        PairSketch(60)
