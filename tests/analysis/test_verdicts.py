"""Verdicts: what came of decisions, a minute later or just before the next one."""

import pytest

from penstock.analysis.verdicts import OpenDecisions
from penstock.core.levers import Slots
from penstock.core.plan import Decision, Reason
from penstock.core.view import View


def decision(at_s: float, before: float = 20.0, expected: float | None = None) -> Decision:
    return Decision(Reason.RECONFIGURED, (Slots("a", 1, 2),), "why", at_s, before, expected)


def view(at_s: float, utility: float = 20.0) -> View:
    return View(at_s, (), (), utility=utility, max_utility=40.0)


def test_a_decision_is_judged_after_a_minute() -> None:
    waiting = OpenDecisions((decision(0.0),))
    early, none = waiting.judge(view(59.9), [])
    late, verdicts = waiting.judge(view(60.0, utility=30.0), [])
    assert (early, none) == (waiting, ())
    assert late == OpenDecisions()
    assert [(verdict.decided_at_s, verdict.judged_at_s, verdict.utility_came) for verdict in verdicts] == [
        (0.0, 60.0, 30.0)
    ]


def test_a_new_decision_closes_those_before_it_and_is_open_itself() -> None:
    taken = decision(20.0)
    now_open, verdicts = OpenDecisions((decision(0.0), decision(10.0))).judge(view(20.0), [taken])
    assert now_open == OpenDecisions((taken,))
    assert [verdict.decided_at_s for verdict in verdicts] == [0.0, 10.0]


@pytest.mark.parametrize(
    ("came", "expected", "text"),
    [
        (30.0, 35.0, "better: utility 20.0 -> 30.0 (expected 35.0)"),
        (10.0, None, "worse: utility 20.0 -> 10.0"),
        (20.1, None, "no change: utility 20.0 -> 20.1"),  # half a percent of 40 is 0.2
        (19.9, 25.0, "no change: utility 20.0 -> 19.9 (expected 25.0)"),
    ],
)
def test_a_verdict_says_what_came_and_what_was_expected(came: float, expected: float | None, text: str) -> None:
    _, verdicts = OpenDecisions((decision(0.0, expected=expected),)).judge(view(60.0, utility=came), [])
    assert verdicts[0].text == text
