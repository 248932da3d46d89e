"""Promises add up, whatever is late: the law, and the order in which executors change hands."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.engines.applications.promises import Promised, promises

COUNTS = st.integers(0, 6)
FLEETS = st.lists(
    st.builds(Promised, st.sampled_from("abcdef"), st.integers(1, 3), COUNTS, COUNTS, COUNTS, st.floats(0, 9)),
    max_size=5,
    unique_by=lambda one: one.name,
)


def occupied(standings: list[Promised]) -> int:
    return sum(max(one.held, one.promised) * one.cores for one in standings)


def after(standings: list[Promised], cores: int | None) -> list[Promised]:
    found = promises(standings, cores)
    return [replace(one, promised=found[one.name]) for one in standings]


@settings(max_examples=40)
@given(FLEETS, st.integers(0, 20))
def test_nothing_is_promised_that_is_not_there(standings: list[Promised], cores: int) -> None:
    assert occupied(after(standings, cores)) <= max(cores, occupied(standings))


@settings(max_examples=40)
@given(FLEETS, st.integers(0, 20))
def test_who_gives_is_told_at_once_and_nobody_is_promised_more_than_it_is_to_have(
    standings: list[Promised], cores: int
) -> None:
    for before, now in zip(standings, after(standings, cores), strict=True):
        assert now.promised <= before.wanted
        assert now.promised >= min(before.promised, before.wanted)


@settings(max_examples=40)
@given(FLEETS, st.integers(0, 20))
def test_once_all_that_goes_has_gone_everybody_has_what_fits(standings: list[Promised], cores: int) -> None:
    settled = standings
    for _ in range(3):
        settled = [replace(one, held=one.promised) for one in after(settled, cores)]
    wanted = sum(one.wanted * one.cores for one in standings)
    if wanted <= cores:
        assert [one.held for one in settled] == [one.wanted for one in standings]


def test_where_nobody_knows_what_there_is_executors_go_and_none_are_promised() -> None:
    standings = [Promised("a", 1, 3, 3, 1), Promised("b", 1, 1, 1, 3)]
    assert promises(standings, None) == {"a": 1, "b": 1}


def test_who_has_waited_longest_comes_first() -> None:
    standings = [Promised("a", 1, 1, 1, 3, since_s=5.0), Promised("b", 1, 1, 1, 3, since_s=2.0)]
    assert promises(standings, 3) == {"a": 1, "b": 2}


def test_who_wants_back_what_it_has_not_let_go_yet_keeps_it() -> None:
    assert promises([Promised("a", 1, 3, 1, 3), Promised("b", 1, 1, 1, 1)], 4) == {"a": 3, "b": 1}
