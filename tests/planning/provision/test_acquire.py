"""Which machines are got, and their price."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import ConfigError
from penstock.planning.provision.acquire import acquire, hourly_price


def test_the_largest_first_and_the_smallest_for_the_rest() -> None:
    assert acquire(13, [4, 2, 1]) == [4, 4, 4, 1]
    assert acquire(15, [1, 2, 4]) == [4, 4, 4, 4]  # three are left: the smallest that takes them has four
    assert acquire(0, [4]) == []


@given(st.integers(0, 500), st.sets(st.integers(1, 32), min_size=1))
def test_there_are_enough_slots_and_less_than_a_largest_machine_too_many(slots: int, sizes: set[int]) -> None:
    got = acquire(slots, sorted(sizes))
    assert slots <= sum(got) < slots + max(sizes)


def test_the_price_is_that_of_the_machines() -> None:
    assert hourly_price([4, 4, 4, 1], {4: 0.392, 2: 0.196, 1: 0.098}) == pytest.approx(1.274)
    assert hourly_price([4, 3], {4: 0.392}) is None


def test_impossible_numbers_are_refused() -> None:
    for slots, sizes in ((-1, [4]), (1.5, [4]), (1, []), (1, [0])):
        with pytest.raises(ConfigError):
            acquire(slots, sizes)  # type: ignore[arg-type]
