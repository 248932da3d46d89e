"""A what-if turns levers and lifts limits, as a person could ask a controller to."""

from dataclasses import replace

import pytest

from penstock.core.asked.orders import Wish
from penstock.errors import ConfigError
from penstock.whatif.answer import play
from penstock.whatif.question import Changes, Past, Turn
from tests.web.living import SHOP
from tests.whatif.line import LINE, NO_LIMIT_S, present

PAST = Past(span_s=60.0, arrivals_rps={}, interval_s=5.0)


def test_a_lever_is_turned_when_its_time_has_come() -> None:
    changes = Changes(turns=(Turn(30.0, Wish("tasks", "ads", 3, "work")),))
    future = play(present(LINE, 60.0), PAST, "static", changes, NO_LIMIT_S)
    threads = {view.job("ads").figures.operator("work").threads for view in future.views[:6]}
    assert (threads, future.views[-1].job("ads").figures.operator("work").threads) == ({1}, 3)
    assert [decision.decision.at_s for decision in future.decisions] == [60.0 + 30.0]


def test_a_bound_is_turned_too() -> None:
    changes = Changes(turns=(Turn(0.0, Wish("bound", "fraud", 50)),))
    future = play(present(SHOP | {"duration": "10m"}, 120.0), PAST, "static", changes, NO_LIMIT_S)
    lever = future.views[-1].job("fraud").figures.lever("bound")
    assert lever is not None
    assert lever.now == 50


def test_a_limit_may_be_another() -> None:
    view = present(SHOP | {"duration": "10m"}, 120.0)
    turn = (Turn(0.0, Wish("slots", "fraud", 6)),)
    held = {}
    for most in (3, 6):
        future = play(view, PAST, "static", Changes(turns=turn, max_slots={"fraud": most}), NO_LIMIT_S)
        held[most] = future.views[-1].job("fraud").figures.threads
    assert held == {3: 5, 6: 6}  # weights: five beside eight is three of eight slots


def test_a_limit_of_nobody_is_refused() -> None:
    with pytest.raises(ConfigError, match="name one of ads"):
        play(present(LINE, 10.0), PAST, "static", Changes(max_slots={"nobody": 3}), NO_LIMIT_S)


def test_without_turns_nothing_is_asked() -> None:
    future = play(present(LINE, 60.0), replace(PAST, span_s=20.0), "static", Changes(), NO_LIMIT_S)
    assert future.decisions == ()
