"""Threads become pool shares: arithmetic, without Spark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.shares import slot_share
from penstock.engines.spark.shares import PoolShare, SlotLimits, check_threads, pool_shares
from penstock.errors import ConfigError


def test_threads_within_the_slots_are_floors_as_they_are() -> None:
    assert pool_shares({"a": 3, "b": 2}, {}, 8) == {"a": PoolShare(3, 3), "b": PoolShare(2, 2)}


def test_threads_beyond_the_slots_are_scaled_down() -> None:
    # 8 slots for 16 threads: half a slot each.
    assert pool_shares({"a": 12, "b": 4}, {}, 8) == {"a": PoolShare(12, 6), "b": PoolShare(4, 2)}


def test_a_tenants_promised_slots_are_its_floor_whatever_its_threads() -> None:
    assert pool_shares({"a": 1, "b": 15}, {"a": SlotLimits(min_slots=3)}, 8)["a"].min_share == 3


def test_a_floor_is_never_above_the_tenants_most() -> None:
    assert pool_shares({"a": 8}, {"a": SlotLimits(1, 2)}, 8)["a"].min_share == 2


@given(st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 100), min_size=1), st.integers(1, 64))
def test_floors_never_promise_more_slots_than_there_are(threads: dict[str, int], slots: int) -> None:
    shares = pool_shares(threads, {name: SlotLimits(0) for name in threads}, slots)
    assert sum(share.min_share for share in shares.values()) <= slots
    assert all(share.weight == threads[name] for name, share in shares.items())


def test_a_share_of_slots_is_exact_where_a_floor_is_rounded() -> None:
    assert slot_share(1, 16, 8) == 0.5


def test_threads_outside_the_limits_are_refused_in_words() -> None:
    assert check_threads("a", 9, SlotLimits(), 8) == "a: 9 slots are more than the slots there are, 8"
    assert check_threads("a", 2, SlotLimits(1, 4), 8) is None


def test_limits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"max_slots: 2 will not do; write at least 3"):
        SlotLimits(3, 2)
