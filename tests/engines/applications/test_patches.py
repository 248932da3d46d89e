"""Patches of states: what is made of them, and the law that they keep."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.engines.applications.patches import patch, patched

LEAVES = st.one_of(st.booleans(), st.integers(-3, 3), st.floats(-2, 2), st.text("ab", max_size=2))
STATES = st.dictionaries(
    st.sampled_from("abcd"),
    st.recursive(
        LEAVES | st.lists(LEAVES, max_size=3), lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_size=4,
)


@settings(max_examples=40)
@given(STATES, STATES)
def test_the_state_before_and_its_patch_give_the_state_after(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert _exactly(patched(before, patch(before, after))) == _exactly(after)


@settings(max_examples=40)
@given(STATES)
def test_what_did_not_change_is_not_said(state: dict[str, Any]) -> None:
    assert patch(state, state) == {}


@settings(max_examples=40)
@given(STATES, STATES)
def test_a_patch_that_comes_twice_does_no_more_than_once(before: dict[str, Any], after: dict[str, Any]) -> None:
    change = patch(before, after)
    assert patched(patched(before, change), change) == patched(before, change)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {}, {"a": None}),
        ({}, {"a": {"b": 1}}, {"a": {"b": 1}}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"a": {"c": 3, "b": None}}),
        ({"a": [1, 2]}, {"a": [1, 3]}, {"a": [1, 3]}),
        ({"a": {"b": 1}}, {"a": 1}, {"a": 1}),
        ({"a": 1}, {"a": True}, {"a": True}),
    ],
)
def test_what_is_said_of_a_change(before: dict[str, Any], after: dict[str, Any], change: dict[str, Any]) -> None:
    assert patch(before, after) == change
    assert patched(before, change) == after


def _exactly(value: Any) -> Any:
    """With the types of numbers, which Python takes for equal."""
    if isinstance(value, dict):
        return {name: _exactly(inner) for name, inner in value.items()}
    return [_exactly(one) for one in value] if isinstance(value, list) else (type(value), value)
