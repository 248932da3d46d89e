"""A column is a sequence whose absent values stay absent."""

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.columns import Column

values = st.lists(st.none() | st.floats(allow_nan=False))


@given(values)
def test_a_column_reads_as_what_was_put_in(given_values: list[float | None]) -> None:
    column = Column(float, given_values)
    assert list(column) == given_values
    assert column == given_values
    assert column[1:] == given_values[1:]


@given(values, st.integers(0, 5), st.integers(0, 5))
def test_a_part_is_absent_where_nothing_was_added(given_values: list[float | None], start: int, more: int) -> None:
    start = min(start, len(given_values))
    part = Column(float, given_values).part(start, len(given_values) + more)
    assert list(part) == given_values[start:] + [None] * more


def test_cycles_without_news_before_a_value_are_absent() -> None:
    column = Column(int, [1])
    column.extended(4, 3)
    assert list(column) == [1, None, None, 4]


def test_flags_are_flags() -> None:
    assert [value is True for value in Column(bool, [True, False, None])] == [True, False, False]
