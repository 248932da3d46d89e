"""Thinning keeps the time, the cycles and the gaps."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from penstock.telling.thin import slices

instants = st.lists(st.floats(0, 1e6), min_size=1, max_size=300, unique=True).map(sorted)


@given(instants, st.integers(1, 50))
def test_every_cycle_is_in_one_slice_and_slices_touch(at_s: list[float], most: int) -> None:
    parts = slices(at_s, most).parts
    assert [number for part in parts for number in range(part.first, part.end)] == list(range(len(at_s)))
    assert all(a.to_s == b.from_s for a, b in pairwise(parts))


def test_a_late_round_leaves_no_hole() -> None:
    assert all(part.end > part.first for part in slices([0.0, 10.0, 20.7, 30.0, 44.0, 50.0]).parts)


def test_an_outage_is_a_slice_without_cycles() -> None:
    cut = slices([0.0, 10.0, 20.0, 500.0, 510.0], most=2)
    assert cut.means([1.0, 1.0, 1.0, 3.0, 5.0]) == [1.0, None, 4.0]


def test_a_run_of_one_cycle_has_a_width() -> None:
    cut = slices([7.0])
    assert (cut.place(7.0), cut.place(cut.end_s)) == (0.0, 1.0)
