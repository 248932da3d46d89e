"""What is written once for all levers, gone through with each kind that there is: a new one need only be a kind.

The stores are gone through in tests/store/test_contract.py, commands in tests/cli/test_control.py.
"""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.actuation.order import order
from penstock.analysis.verdicts import OpenDecisions
from penstock.core.asked.orders import Act, Request, Wish
from penstock.core.known.settling import settles_s
from penstock.core.levers import ALL_OPERATORS, KINDS, WHOLE, WORDS, Dial, Kind, Move, dial_of, move_of
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import View
from penstock.errors import ConfigError
from penstock.planning.asked import asked_for, check, with_asked
from penstock.planning.by_rules import rules_in
from penstock.planning.combined import Combined
from penstock.planning.guards.approval import held_still, split
from penstock.planning.guards.limits import within_limits
from penstock.telling.levers import lever_name, limits_text, now_text
from tests.builders import job, operator, view

OF_THREADS = ("slots", "tasks")  # told with a job's operators
every_kind = pytest.mark.parametrize("kind", WORDS)


def dial(kind: Kind) -> Dial:
    """At four, of two to six; of the job `ads`, or of all."""
    unit = "map" if kind == "tasks" else ALL_OPERATORS
    return Dial(kind, WHOLE if WORDS[kind].of_all else "ads", 4, 2, 6, operator=unit)


def seen(kind: Kind, at_s: float = 10.0) -> View:
    """A job with that lever, or an application with it."""
    lever = dial(kind)
    threads = operator(lever.operator if kind in OF_THREADS else "map", 4, min_threads=2, max_threads=6)
    own = () if kind in OF_THREADS or lever.job == WHOLE else (lever,)
    found = view(at_s, [job("ads", 5.0, operators=[threads], levers=own)])
    return replace(found, levers=(lever,) if lever.job == WHOLE else ())


RULE = """
from penstock.core.levers import move_of
from penstock.core.plan import Decision, Reason


def rule(view, memory, settings):
    dial = next(dial for dial in view.dials if dial.kind == "{kind}")
    decision = Decision(Reason.RECONFIGURED, (move_of(dial, 6),), "because", view.at_s, view.utility)
    return ((decision,), {{"told": 6.0}}) if not memory else ((), memory)
"""


def decided(move: Move) -> Decision:
    return Decision(Reason.RECONFIGURED, (move,), "because", 10.0, 5.0)


def moves(plan: Plan) -> list[Move]:
    return [move for decision in plan.decisions for move in decision.moves]


def test_all_but_tables_are_turned_by_a_figure_and_have_words() -> None:
    assert set(WORDS) == {*KINDS} - {"table"}


@every_kind
def test_a_lever_makes_moves_of_its_kind_that_can_be_taken_back(kind: Kind) -> None:
    move = move_of(dial(kind), 6)
    assert (move.kind, move.job, move.before, move.after) == (kind, dial(kind).job, 4, 6)
    assert (move.undo, move.undo.undo) == (move_of(replace(dial(kind), now=6), 4), move)
    assert dial_of(move, seen(kind).dials) is not None


@every_kind
def test_it_is_told_in_its_words(kind: Kind) -> None:
    words = WORDS[kind]
    assert words.name in move_of(dial(kind), 6).text or kind == "tasks"  # those are told by their operator
    assert lever_name(dial(kind)).startswith(kind)
    assert words.figure(4) in now_text(dial(kind))
    assert f"{words.figure(2)}" in limits_text(dial(kind))


@every_kind
def test_no_plan_turns_it_beyond_its_limits(kind: Kind) -> None:
    held = within_limits(Plan((decided(move_of(dial(kind), 9)),)), seen(kind))
    assert moves(held) == [move_of(dial(kind), 6)]


@every_kind
def test_a_person_may_ask_for_it_within_its_limits(kind: Kind) -> None:
    wish = Wish(kind, dial(kind).job, 5, dial(kind).operator)
    check(wish, seen(kind))
    asked = asked_for([Request(Act.TURN, "ann", 5.0, turn=wish)], seen(kind))
    assert moves(with_asked(asked, Plan(), seen(kind))) == [move_of(dial(kind), 5)]
    with pytest.raises(ConfigError, match=r"2.* to 6"):
        check(replace(wish, value=9), seen(kind))


@pytest.mark.parametrize("kind", [kind for kind in WORDS if not WORDS[kind].of_all])
def test_its_tenant_is_asked_first_where_that_is_wanted(kind: Kind) -> None:
    decision = decided(move_of(dial(kind), 6))
    found = split(Plan((decision,)), ["ads"], [])
    assert (moves(found.plan), found.asked) == ([], (decision,))
    assert moves(within_limits(Plan((decision,)), held_still(seen(kind), ["ads"]))) == []


@every_kind
def test_it_is_a_step_and_what_came_of_it_is_judged(kind: Kind) -> None:
    decision = decided(move_of(dial(kind), 6))
    (step,) = order(Plan((decision,)))
    assert (step.job, step.moves) == (dial(kind).job, decision.moves)
    waiting, _ = OpenDecisions().judge(seen(kind), [decision])
    _, verdicts = waiting.judge(seen(kind, 10.0 + settles_s(decision)), [])
    assert [verdict.decided_at_s for verdict in verdicts] == [10.0]


@every_kind
def test_a_file_of_its_name_is_all_that_its_rule_takes(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"rules_of_{kind}").mkdir()
    (tmp_path / f"rules_of_{kind}" / f"{kind}.py").write_text(RULE.format(kind=kind), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    policy = Combined(rules=rules_in(importlib.import_module(f"rules_of_{kind}")))
    first, memory = policy.decide(seen(kind), policy.start())
    second, _ = policy.decide(seen(kind), memory)
    assert (moves(first), moves(second)) == ([move_of(dial(kind), 6)], [])
