"""Keys as a query looks them up: each is where its two hashes say, whatever the others are."""

from collections.abc import Mapping

from hypothesis import example, given
from hypothesis import strategies as st

from penstock.engines.spark.jvm.routing.entries import entries_of
from penstock.engines.spark.routing.murmur import SEED, hash_keys
from penstock.engines.spark.routing.shape import MOST_PARTITIONS

WORDS = st.text(st.characters(codec="utf-8"), max_size=6)


def read(entries: list[int], text: str) -> int | None:
    """As a query does: the second hash is one of 7 and the text."""
    seed = int(hash_keys([7], ["int"])[0])
    first, second = (int(hash_keys([text], ["string"], one).view("int32")[0]) for one in (SEED, seed))
    found = (entries[one % len(entries)] ^ (second & ~0xFFFF) for one in (first, second))
    return next((entry - 1 for entry in found if 0 < entry <= 0xFFFF), None)


@given(st.dictionaries(WORDS, st.integers(0, MOST_PARTITIONS - 1), max_size=30))
@example({"": 0, "a": MOST_PARTITIONS - 1})
def test_each_listed_key_has_its_partition(keys: Mapping[str, int]) -> None:
    entries = entries_of(keys)
    assert {text: read(entries, text) for text in keys} == keys
    assert all(-(2**31) <= entry < 2**31 for entry in entries)


def test_others_have_none_and_a_table_is_little_more_than_twice_as_long_as_its_keys_are_many() -> None:
    entries = entries_of({f"key {number}": number % 7 for number in range(20_000)})
    assert len(entries) < 2.5 * 20_000
    assert [read(entries, f"nobody {number}") for number in range(500)] == [None] * 500
