"""The checker of histories: each law finds its breach, and a history without one has none."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from chaos_history import (
    BACK,
    Asked,
    Batch,
    Cycle,
    Held,
    History,
    Rerouted,
    Rows,
    Struck,
    judged,
    recovered_s,
    settled,
)
from hypothesis import given
from hypothesis import strategies as st

WELL = History(
    rows=(Rows("ads", {"a": 3, "b": 1}, {"a": 3, "b": 1}),),
    held=(Held(0.0, "x", 1), Held(5.0, "x", 1), Held(60.0, "y", 2)),
    cycles=(
        Cycle(10.0, 1, 1.0),
        Cycle(20.0, 1, 1.0, steps=2),
        Cycle(70.0, 2, 0.5),
        *(Cycle(at_s, 2, 0.96) for at_s in (80.0, 90.0, 100.0)),
    ),
    batches=(Batch("ads", 20.0, 25.0), Batch("ads", 60.0, 65.0)),
    tenants=("ads",),
    acts=(
        Asked(1, "ads bound", 20.0, (1,)),
        Asked(2, "ads bound", 70.0),  # the next one is for the same lever
        Asked(3, "ads bound", 70.0, (2,)),
        Asked(4, "fraud bound", 70.0, refused=True),
        Asked(5, "fraud bound", 80.0, (1, 2)),  # its driver died before it could write that down
    ),
    struck=(Struck(30.0, 60.0, "kill JVM"),),
    tables=(Rerouted("ads", 1, 0, 35.0, after=1), Rerouted("ads", 2, 1, 50.0, after=1)),
    until_s=300.0,
)
TABLES = "the table in force is the one asked for or the one before"
LATE = tuple(Cycle(at_s, 2, 1.0) for at_s in (250.0, 260.0, 270.0))


def breaches(history: History) -> dict[str, Sequence[str]]:
    return {law.name: law.breaches for law in judged(history) if law.breaches}


BROKEN = {
    "a row is lost": (
        replace(WELL, rows=(Rows("ads", {"a": 3}, {"a": 2}),)),
        {"no row is lost": ("ads: key a was sent 3 times, 2 were counted",)},
    ),
    "a row is doubled": (
        replace(WELL, rows=(Rows("ads", {"a": 3}, {"a": 4}),)),
        {"no row is doubled": ("ads: key a was sent 3 times, 4 were counted",)},
    ),
    "a row is counted that nobody sent": (
        replace(WELL, rows=(Rows("ads", {}, {"a": 1}),)),
        {"no row is doubled": ("ads: key a was sent 0 times, 1 were counted",)},
    ),
    "two have one epoch": (
        replace(WELL, held=(Held(0.0, "x", 2), Held(1.0, "y", 2)), cycles=(), struck=()),
        {"one actor for each epoch of the lease": ("epoch 2 was x's and y's",)},
    ),
    "an epoch comes back": (
        replace(WELL, held=(Held(0.0, "y", 2), Held(1.0, "x", 1)), cycles=(), struck=()),
        {"one actor for each epoch of the lease": ("epoch 1 came after epoch 2",)},
    ),
    "a round is recorded after one of a later epoch": (
        replace(WELL, struck=(), cycles=(*WELL.cycles, Cycle(55.0, 1, 1.0))),
        {"nothing is recorded under an epoch that is over": ("a round of epoch 1 was recorded after one of epoch 2",)},
    ),
    "a round begins when its epoch is over": (
        replace(WELL, struck=(), cycles=(*WELL.cycles[:2], Cycle(65.0, 1, 1.0, steps=1))),
        {
            "nothing is recorded under an epoch that is over": (
                "a round of epoch 1 began 5 s after a later one, with 1 steps",
            )
        },
    ),
    "an act is never taken up": (
        replace(WELL, acts=(Asked(1, "ads bound"),)),
        {"each acknowledged act is applied once or refused": ("act 1 on ads bound was never taken up",)},
    ),
    "an act comes to nothing": (
        replace(WELL, acts=(Asked(1, "ads bound", 10.0),)),
        {
            "each acknowledged act is applied once or refused": (
                "act 1 on ads bound was taken up, and neither applied nor refused",
            )
        },
    ),
    "an act is applied twice": (
        replace(WELL, acts=(Asked(1, "ads bound", 10.0, (2, 2)),)),
        {"each acknowledged act is applied once or refused": ("act 1 on ads bound was applied twice in epoch 2",)},
    ),
    "utility comes back too late": (
        replace(WELL, cycles=(*WELL.cycles[:3], *(Cycle(at_s, 2, 1.0) for at_s in (241.0, 250.0, 260.0)))),
        {BACK: ("after kill JVM: back after 181 s",)},
    ),
    "rounds of a driver that is spared are far apart": (
        replace(
            WELL,
            struck=(replace(WELL.struck[0], spares_governing=True),),
            cycles=(*WELL.cycles[:2], Cycle(36.0, 1, 1.0), Cycle(50.0, 1, 1.0), *WELL.cycles[3:]),
        ),
        {"rounds go on beside what is struck": ("after kill JVM: 30 s between two rounds",)},
    ),
    "rounds of a driver that is spared end": (
        replace(WELL, struck=(replace(WELL.struck[0], spares_governing=True),), cycles=(*WELL.cycles[:2],)),
        {
            "rounds go on beside what is struck": ("after kill JVM: 56 s between two rounds",),
            BACK: ("after kill JVM: not back",),
        },
    ),
    "only a driver that could not look tells of the utility": (
        replace(WELL, cycles=tuple(replace(cycle, blind=cycle.at_s > 70.0) for cycle in WELL.cycles)),
        {BACK: ("after kill JVM: not back",)},
    ),
    "it is back in two rounds and gone in the third": (
        replace(WELL, cycles=(*WELL.cycles[:5], Cycle(100.0, 2, 0.5))),
        {BACK: ("after kill JVM: not back",)},
    ),
    "a tenant has no batch that began afterwards": (
        replace(WELL, batches=(*WELL.batches, Batch("fraud", 59.0, 70.0)), tenants=("ads", "fraud")),
        {BACK: ("after kill JVM: not back",)},
    ),
    "a tenant's first batch came too late": (
        replace(WELL, batches=(Batch("ads", 60.0, 245.0),), cycles=(*WELL.cycles, *LATE)),
        {BACK: ("after kill JVM: back after 190 s",)},
    ),
    "a table is in force that was asked for long ago": (
        replace(WELL, tables=(Rerouted("ads", 3, 2, 35.0, after=1),)),
        {TABLES: ("ads: table 3 was asked for, 1 is in force",)},
    ),
    "no table that was asked for is found": (
        replace(WELL, tables=(Rerouted("ads", 3, None, 35.0),)),
        {TABLES: ("ads: table 3 was asked for, the one before (None) stayed",)},
    ),
    "rows cannot be counted": (
        replace(WELL, rows=(), unjudged=("ads: 3 rows sent, 1 refused, 2 in the topic",)),
        {"rows can be counted": ("ads: 3 rows sent, 1 refused, 2 in the topic",)},
    ),
    "nothing that is recorded was found": (
        replace(WELL, cycles=()),
        {"what is recorded can be read": ("no round was found",)},
    ),
    "utility never comes back": (
        replace(WELL, cycles=WELL.cycles[:3]),
        {BACK: ("after kill JVM: not back",)},
    ),
}


def test_a_history_in_which_all_laws_held_has_no_breach_though_a_driver_died_in_it() -> None:
    assert breaches(WELL) == {}
    assert recovered_s(WELL, WELL.struck[0]) == 20.0


@pytest.mark.parametrize("case", BROKEN)
def test_a_breach_of_a_law_is_found_and_told_and_no_other_law_blamed(case: str) -> None:
    history, told = BROKEN[case]
    found = breaches(history)
    assert {name: found.get(name) for name in told} == told
    assert set(found) == set(told)


def test_what_a_pair_left_is_not_what_the_next_one_has_to_come_back_to() -> None:
    low = (*WELL.cycles[:3], *(Cycle(float(at_s), 2, 0.1) for at_s in range(100, 400, 10)))
    second = Struck(300.0, 310.0, "kill worker")  # the utility is 0.1 since the first pair, and was 1.0 before it
    assert recovered_s(replace(WELL, cycles=low, struck=(*WELL.struck, second)), second) is None


def test_where_there_was_no_utility_before_a_pair_nothing_is_said_of_its_coming_back() -> None:
    without = replace(WELL, cycles=tuple(replace(cycle, share=0.0) for cycle in WELL.cycles))
    assert breaches(without) == {}
    assert {law.name: law.tried for law in judged(without)}[BACK] == 0


def test_what_nobody_waited_for_long_enough_is_not_judged() -> None:
    assert breaches(replace(WELL, cycles=WELL.cycles[:3], until_s=239.0)) == {}


def test_of_each_table_it_is_told_whether_it_came_into_force_or_the_one_before_stayed() -> None:
    asked = (Rerouted("ads", 1, 0, 35.0), Rerouted("fraud", 1, 0, 40.0), Rerouted("ads", 2, 1, 50.0))
    assert [one.text for one in settled(asked, {"ads": 1, "fraud": 1})] == [
        "ads: table 1 was asked for and is in force",
        "fraud: table 1 was asked for and is in force",
        "ads: table 2 was asked for, the one before (1) stayed",
    ]


COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3))
SPOILT: dict[str, Callable[[Rows, str], Rows]] = {
    "no row is lost": lambda rows, key: replace(rows, read={**rows.read, key: rows.sent[key] - 1}),
    "no row is doubled": lambda rows, key: replace(rows, read={**rows.read, key: rows.sent[key] + 1}),
}


@given(COUNTS.filter(lambda counts: any(counts.values())), st.sampled_from(sorted(SPOILT)), st.data())
def test_of_any_rows_one_less_or_one_more_is_found_wherever_it_is(
    counts: dict[str, int], law: str, data: st.DataObject
) -> None:
    rows = Rows("ads", counts, counts)
    assert breaches(History(rows=(rows,))) == {}
    key = data.draw(st.sampled_from(sorted(key for key, sent in counts.items() if sent)))
    assert set(breaches(History(rows=(SPOILT[law](rows, key),)))) == {law}


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.data())
def test_rounds_in_the_order_of_their_epochs_break_nothing_and_any_other_order_does(
    epochs: list[int], data: st.DataObject
) -> None:
    in_turn = [Cycle(float(at_s), epoch, None) for at_s, epoch in enumerate(sorted(epochs))]
    assert breaches(History(cycles=in_turn)) == {}
    moved = data.draw(st.permutations(in_turn))
    kept = [cycle.epoch for cycle in moved] == sorted(epochs)
    assert bool(breaches(History(cycles=moved))) is not kept
