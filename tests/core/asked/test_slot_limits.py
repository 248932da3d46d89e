"""The highest weight that a tenant may have: what stands for its slots beside others, and no more than that."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.asked.floors import floor_of
from penstock.core.asked.slot_limits import SlotLimits
from penstock.core.seen.shares import slot_share


@given(st.integers(2, 200), st.integers(2, 50), st.integers(1, 300) | st.none())
def test_the_most_weight_stands_for_the_slots_it_may_have_and_one_less_does_not(
    slots: int, jobs: int, most: int | None
) -> None:
    weight, others = SlotLimits(max_slots=most).most_weight(slots, jobs), max(slots, jobs - 1)
    part = min(slots, most or slots)

    def floor(weight: int) -> int:
        return floor_of(slot_share(weight, weight + others, slots), slots)

    assert floor(weight) >= part
    assert weight <= part or floor(weight - 1) < part


@given(st.integers(1, 200), st.integers(1, 300))
def test_alone_its_weight_is_its_slots(slots: int, most: int) -> None:
    assert SlotLimits(max_slots=most).most_weight(slots, jobs=1) == min(slots, most)
    assert SlotLimits().most_weight(slots, jobs=1) == slots
