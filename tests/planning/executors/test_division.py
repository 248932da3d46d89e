"""The division of executors: against all that could be tried, and its laws."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.planning.executors.claims import Claim, claims_of
from penstock.planning.executors.division import divided
from tests.planning.executors.many import application, fleet

COSTS = 0.1


@st.composite
def claims(draw: st.DrawFn) -> list[Claim]:
    found = []
    for name in "abc"[: draw(st.integers(1, 3))]:
        least, more = draw(st.integers(0, 2)), draw(st.integers(0, 4))
        steps = draw(st.lists(st.floats(0.0, 20.0), min_size=least + more + 1, max_size=least + more + 1))
        worth = tuple((float(count), sum(steps[: count + 1])) for count in range(least + more + 1))
        now = draw(st.integers(0, 5))
        known = draw(st.booleans())
        cores, unsure = draw(st.sampled_from([1, 2])), draw(st.sampled_from([0.0, 0.5, 4.0]))
        found.append(Claim(name, now, least, least + more, cores, worth if known else (), unsure))
    return found


def total(claims: Sequence[Claim], target: Mapping[str, int]) -> float:
    lacks = sum(max(0, claim.least - target[claim.name]) for claim in claims)
    return sum(claim.utility(target[claim.name]) for claim in claims) - costs(claims, target) - 1e9 * lacks


def costs(claims: Sequence[Claim], target: Mapping[str, int]) -> float:
    """What those that move must gain."""
    moved = [claim for claim in claims if target[claim.name] != claim.now]
    return sum(claim.unsure + COSTS * abs(target[claim.name] - claim.now) for claim in moved)


def used(claims: Sequence[Claim], target: Mapping[str, int]) -> int:
    return sum(claim.cores * target[claim.name] for claim in claims)


@settings(max_examples=40)
@given(claims(), st.integers(0, 12))
def test_no_more_cores_are_given_than_there_are_or_than_what_all_must_keep(made: list[Claim], cores: int) -> None:
    must = sum(claim.cores * min(claim.now, claim.least if claim.worth else claim.most) for claim in made)
    assert used(made, divided(made, cores, COSTS)) <= max(cores, must)


@settings(max_examples=40)
@given(claims(), st.integers(0, 12))
def test_nobody_is_taken_below_the_least_that_it_needs_nor_given_beyond_its_most(made: list[Claim], cores: int) -> None:
    target = divided(made, cores, COSTS)
    for claim in made:
        assert target[claim.name] >= min(claim.now, claim.least)
        assert target[claim.name] <= claim.most


@settings(max_examples=40)
@given(claims(), st.integers(0, 12))
def test_nothing_that_could_be_tried_gives_more(made: list[Claim], cores: int) -> None:
    told = [claim for claim in made if claim.worth and claim.now <= claim.most]
    room = max(cores, sum(claim.cores * min(claim.now, claim.least) for claim in told))
    each = [range(min(claim.now, claim.least), claim.most + 1) for claim in told]
    tried = (dict(zip((claim.name for claim in told), counts, strict=True)) for counts in product(*each))
    best = max((total(told, target) for target in tried if used(told, target) <= room), default=0.0)
    assert total(told, divided(told, cores, COSTS)) >= best - 1e-6 * max(1.0, abs(best))


@settings(max_examples=40)
@given(claims(), st.integers(0, 12))
def test_what_was_divided_is_left_so_when_it_is_divided_again(made: list[Claim], cores: int) -> None:
    once = divided(made, cores, COSTS)
    assert divided([replace(claim, now=once[claim.name]) for claim in made], cores, COSTS) == once


@settings(max_examples=40)
@given(claims(), st.integers(0, 12))
def test_those_who_move_gain_more_than_their_claims_may_be_wrong_by_unless_they_must(
    made: list[Claim], cores: int
) -> None:
    if sum(claim.cores * claim.now for claim in made) > cores or any(not c.least <= c.now <= c.most for c in made):
        return  # somebody lacks what it needs, or holds what there is no room for
    target = divided(made, cores, COSTS)
    gain = sum(claim.utility(target[claim.name]) - claim.utility(claim.now) for claim in made)
    assert gain >= costs(made, target) - 1e-9


def test_who_says_nothing_keeps_its_own() -> None:
    rich = Claim("a", 2, 1, 4, worth=((1, 9.0), (2, 9.0)))
    silent = Claim("b", 2, 1, 4)
    wants = Claim("c", 1, 1, 6, worth=((1, 0.0), (6, 60.0)))
    assert divided([rich, silent, wants], 6, COSTS) == {"a": 1, "b": 2, "c": 3}


def test_who_says_nothing_keeps_no_more_than_it_may_have() -> None:
    assert divided([Claim("a", 6, 1, 2), Claim("b", 2, 1, 2)], 8, COSTS) == {"a": 2, "b": 2}


def test_an_application_that_has_nothing_yet_gets_its_least_from_whoever_can_spare_it() -> None:
    new = Claim("new", 0, 1, 4)
    rich = Claim("rich", 4, 1, 4, worth=((1, 5.0), (4, 10.0)))
    assert divided([new, rich], 4, COSTS) == {"new": 1, "rich": 3}


def test_claims_are_read_from_the_levers_of_applications_and_are_never_worth_less_with_more() -> None:
    seen = fleet([application("b", 2, worth=((1.0, 3.0), (2.0, 2.0), (3.0, 9.0))), application("a", 1)])
    first, second = claims_of(seen)
    assert (first.name, first.worth) == ("a", ())
    assert second.worth == ((1.0, 3.0), (2.0, 3.0), (3.0, 9.0))
