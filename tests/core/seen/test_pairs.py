"""Pair counts merge in any order and never say more than they know."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.seen.pairs import Key, PairCounts, merged
from penstock.errors import ConfigError

keys: st.SearchStrategy[Key] = st.one_of(
    st.integers(0, 5), st.sampled_from(["a", "b"]), st.tuples(st.sampled_from("xy"), st.integers(0, 2))
)
exact_counts = st.dictionaries(st.tuples(keys, keys), st.integers(0, 1000), max_size=12).map(
    lambda counts: PairCounts.exact({**counts})
)


@given(exact_counts, exact_counts, exact_counts)
def test_merging_is_associative_and_commutative(a: PairCounts, b: PairCounts, c: PairCounts) -> None:
    assert (a + b) + c == a + (b + c) == merged([c, a, b])
    assert a + PairCounts() == a


@given(exact_counts, exact_counts, st.integers(0, 8), st.integers(0, 8))
def test_counts_cut_down_and_merged_stay_within_their_error(a: PairCounts, b: PairCounts, n: int, m: int) -> None:
    truth, known = (a + b).pairs, a.heaviest(n) + b.heaviest(m)
    assert len(known.pairs) <= n + m
    assert known.rows == a.rows + b.rows
    assert all(abs(truth.get(pair, 0) - known.pairs.get(pair, 0)) <= known.error for pair in {*truth, *known.pairs})


@given(exact_counts)
def test_left_and_right_totals_count_every_listed_row(counts: PairCounts) -> None:
    assert sum(counts.left().values()) == sum(counts.right().values()) == counts.listed_rows == counts.rows


def test_old_counts_fade_with_their_rows_and_error() -> None:
    assert PairCounts({("a", 1): 10}, 20, 4).aged(0.5) == PairCounts({("a", 1): 5}, 10, 2)


def test_the_heaviest_pairs_are_kept_and_ties_do_not_depend_on_order() -> None:
    counts = PairCounts.exact({("a", 1): 5, ("b", 1): 5, ("c", 1): 9})
    turned = PairCounts.exact(dict(reversed(list(counts.pairs.items()))))
    assert counts.heaviest(2) == turned.heaviest(2)
    assert ("c", 1) in counts.heaviest(2).pairs


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ({"ab": 1}, r"pairs: 'ab' cannot be used; write each as \(left key, right key\)"),
        ({("a", "b"): -1}, r"pairs\[\('a', 'b'\)\]: -1 cannot be used"),
        ({("a", "b"): "3"}, r"pairs\[\('a', 'b'\)\]: '3' cannot be used"),
    ],
)
def test_what_is_no_count_of_a_pair_is_refused(pairs: dict[object, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PairCounts.exact(pairs)  # type: ignore[arg-type]


def test_ageing_by_more_than_all_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"factor: 1\.5 cannot be used"):
        PairCounts().aged(1.5)
