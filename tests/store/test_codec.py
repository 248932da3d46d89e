"""What is written is what is read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.store.codec import DoesNotFitError, decode, encode


class State(StrEnum):
    CONVERGED = "converged"
    NOT_CONVERGED = "not converged"


class Level(Enum):
    LOW = 1
    HIGH = 2


@dataclass(frozen=True, slots=True)
class Past:
    utility: float
    threads: Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Everything:
    state: State
    level: Level
    rounds: int
    locked: bool
    since_s: float | None
    jobs: tuple[str, ...]
    blocked_until: Mapping[str, float]
    by_rank: Mapping[int, str]
    by_level: Mapping[Level, tuple[float, ...]]
    reduced: frozenset[str]
    history: tuple[Past, ...]
    best: Past | None = None


numbers = st.floats(allow_nan=False)
names = st.text()
pasts = st.builds(Past, numbers, st.dictionaries(st.tuples(names, names), st.integers()))
everything = st.builds(
    Everything,
    state=st.sampled_from(State),
    level=st.sampled_from(Level),
    rounds=st.integers(),
    locked=st.booleans(),
    since_s=st.none() | numbers,
    jobs=st.lists(names).map(tuple),
    blocked_until=st.dictionaries(names | st.just("__pairs__"), numbers),
    by_rank=st.dictionaries(st.integers(), names),
    by_level=st.dictionaries(st.sampled_from(Level), st.lists(numbers).map(tuple)),
    reduced=st.frozensets(names),
    history=st.lists(pasts).map(tuple),
    best=st.none() | pasts,
)


@given(everything)
def test_any_memory_comes_back_equal(memory: Everything) -> None:
    assert decode(encode(memory), Everything) == memory


@given(everything)
def test_equal_memories_have_equal_text(memory: Everything) -> None:
    assert encode(decode(encode(memory), Everything)) == encode(memory)


@pytest.mark.parametrize("value", [math.inf, -math.inf, 0.1 + 0.2, 5e-324])
def test_numbers_come_back_to_the_last_bit(value: float) -> None:
    assert decode(encode(Past(value, {})), Past).utility == value


@dataclass(frozen=True, slots=True)
class Grown:
    utility: float
    threads: Mapping[tuple[str, str], int]
    seen: int = field(default=7)


def test_a_field_that_came_with_a_default_since_is_filled() -> None:
    assert decode(encode(Past(1.0, {})), Grown) == Grown(1.0, {}, 7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (encode(Grown(1.0, {})), "seen: Unexpected"),
        ('{"utility": "high", "threads": {}}', "utility: Input should be a valid number"),
        ('{"utility": 1.0}', "threads: "),
        ("not JSON", "Expecting value"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_field(text: str, words: str) -> None:
    with pytest.raises(DoesNotFitError, match=words):
        decode(text, Past)


def test_a_value_without_a_plain_form_is_a_mistake_of_the_policy() -> None:
    with pytest.raises(TypeError, match="holds a object"):
        encode({"what": object()})
