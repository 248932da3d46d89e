"""What is written is what is read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.store.archive import MOST_TOLD, RefusedError
from penstock.store.codec import MOST_IN_A_CELL, DoesNotFitError, decode, decode_whole, encode


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


# A few of each will do: what is long is drawn for seconds, and is written as what is short.
FEW = 4
numbers = st.floats(allow_nan=False)
names = st.text(max_size=FEW)
pasts = st.builds(Past, numbers, st.dictionaries(st.tuples(names, names), st.integers(), max_size=FEW))
everything = st.builds(
    Everything,
    state=st.sampled_from(State),
    level=st.sampled_from(Level),
    rounds=st.integers(),
    locked=st.booleans(),
    since_s=st.none() | numbers,
    jobs=st.lists(names, max_size=FEW).map(tuple),
    blocked_until=st.dictionaries(names | st.just("__pairs__"), numbers, max_size=FEW),
    by_rank=st.dictionaries(st.integers(), names, max_size=FEW),
    by_level=st.dictionaries(st.sampled_from(Level), st.lists(numbers, max_size=FEW).map(tuple)),
    reduced=st.frozensets(names, max_size=FEW),
    history=st.lists(pasts, max_size=FEW).map(tuple),
    best=st.none() | pasts,
)


@given(everything)
def test_any_memory_comes_back_equal_and_equal_memories_have_equal_text(memory: Everything) -> None:
    found = decode(encode(memory), Everything)
    assert found == memory
    assert encode(found) == encode(memory)


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


LONG = "x" * 3_000_000
TOLD = "x" * MOST_TOLD + "..."


def test_of_a_text_that_is_longer_than_is_told_the_beginning_is_read_wherever_it_stands() -> None:
    memory = Everything(State.CONVERGED, Level.LOW, 1, False, None, (LONG, "ads"), {LONG: 1.0}, {3: LONG}, {},
                        frozenset({LONG}), (Past(1.0, {(LONG, "map"): 2}),))  # fmt: skip
    found = decode(encode(memory), Everything)
    assert (found.jobs, found.blocked_until, found.by_rank) == ((TOLD, "ads"), {TOLD: 1.0}, {3: TOLD})
    assert (found.reduced, found.history) == (frozenset({TOLD}), (Past(1.0, {(TOLD, "map"): 2}),))


@pytest.mark.parametrize("text", ['x"' * 9_000, "\\" * 10_001, "\ud800" * 10_001, "é" * 10_001])
def test_a_long_text_is_found_whatever_is_escaped_in_it(text: str) -> None:
    assert decode(encode(("ads", text)), tuple[str, ...]) == ("ads", text[:MOST_TOLD] + "...")


def test_what_nobody_is_told_is_read_whole() -> None:
    assert decode_whole(encode((LONG,)), tuple[str, ...]) == (LONG,)


@pytest.mark.parametrize(
    "text",
    [f'{{"{LONG}": 1}}', f'{{"utility": "{LONG}", "threads": {{}}}}', f'{{"{LONG}": {{}}}}'],
    ids=["another word", "no number", "another word of a mapping"],
)
def test_what_does_not_fit_is_told_in_a_line_however_long_it_is(text: str) -> None:
    with pytest.raises(DoesNotFitError) as found:
        decode(text, Past)
    assert len(str(found.value)) < 1_200


def test_nothing_is_read_of_a_text_that_is_larger_than_all_of_ours() -> None:
    with pytest.raises(DoesNotFitError, match="longer than 67,108,864 characters: no penstock has written it"):
        decode(" " * (MOST_IN_A_CELL + 1), Past)


def test_a_value_without_a_plain_form_is_a_mistake_of_the_policy() -> None:
    with pytest.raises(RefusedError, match="holds a object"):
        encode({"what": object()})
