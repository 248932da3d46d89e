"""Threads become pool shares: arithmetic, without Spark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.seen.shares import slot_share
from penstock.engines.spark.application.shares import PoolShare, check_threads, pool_shares
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


THREADS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 12), min_size=1)


@given(THREADS, st.integers(1, 16))
def test_nor_where_each_is_to_keep_one(threads: dict[str, int], slots: int) -> None:
    shares = pool_shares(threads, {}, slots)
    assert sum(share.min_share for share in shares.values()) <= slots
    for name, share in shares.items():
        assert share.min_share >= int(slot_share(threads[name], sum(threads.values()), slots))
        lighter = [shares[other].min_share for other, count in threads.items() if count < threads[name]]
        assert share.min_share >= max(lighter, default=0)


def test_an_urgent_tenant_has_its_second_slot_before_others_have_their_first() -> None:
    # Spark serves the pool first that is furthest below its floor: one slot of two would come after none of one.
    shares = pool_shares({"urgent": 3, "a": 1, "b": 1, "c": 1}, {}, 4)
    assert [shares[name].min_share for name in ("urgent", "a", "b", "c")] == [2, 0, 0, 0]


def test_what_a_tenant_was_promised_by_name_is_kept_even_so() -> None:
    shares = pool_shares({"urgent": 8, "a": 2, "b": 2}, {"a": SlotLimits(2), "b": SlotLimits(2)}, 6)
    assert [shares[name].min_share for name in ("urgent", "a", "b")] == [4, 2, 2]


def test_a_share_of_slots_is_exact_where_a_floor_is_rounded() -> None:
    assert slot_share(1, 16, 8) == 0.5


def test_threads_outside_the_limits_are_refused_in_words() -> None:
    refused = "a: a weight of 9 is more than 8, which is enough for its max_slots, 4"
    assert check_threads("a", 9, SlotLimits(1, 4), 8, 2) == refused
    assert check_threads("a", 2, SlotLimits(3), 8, 2) == "a: 2 slots are fewer than its min_slots, 3"
    assert check_threads("a", 2, SlotLimits(1, 4), 8, 2) is None


@pytest.mark.parametrize(
    ("limits", "most", "floor", "enough"),
    [
        (SlotLimits(), 248, 8, "all slots that it can have"),
        (SlotLimits(max_slots=8), 248, 8, "its max_slots, 8"),
        (SlotLimits(max_slots=7), 56, 7, "its max_slots, 7"),
    ],
)
def test_a_weight_may_exceed_the_slots_up_to_what_gives_a_job_all_it_may_have(
    limits: SlotLimits, most: int, floor: int, enough: str
) -> None:
    assert check_threads("a", most, limits, 8, 3) is None
    refused = f"a: a weight of {most + 1} is more than {most}, which is enough for {enough}"
    assert check_threads("a", most + 1, limits, 8, 3) == refused
    assert pool_shares({"a": most, "b": 4, "c": 4}, {"a": limits}, 8)["a"] == PoolShare(weight=most, min_share=floor)


@pytest.mark.parametrize(("weight", "floors"), [(44, [3, 0, 0, 0]), (45, [4, 0, 0, 0])])
def test_who_has_all_but_a_quarter_of_a_slot_is_served_before_all_others(weight: int, floors: list[int]) -> None:
    shares = pool_shares({"urgent": weight, "a": 1, "b": 1, "c": 1}, {}, 4)
    assert [share.min_share for share in shares.values()] == floors


def test_limits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"max_slots: 2 cannot be used; write at least 3"):
        SlotLimits(3, 2)
