"""What was foretold beside what came, of decisions that were taken before anybody missed anything."""

from dataclasses import replace

import pytest

from penstock.analysis.verdicts import OpenDecisions
from penstock.core.known.prediction import Foretold
from penstock.core.levers import Tasks
from penstock.core.plan import Decision, Reason, Verdict
from tests.builders import job, view

AT_S = 60.0
SAID = "(without it a fall from 10.0 to 4.0 utility was predicted, and nobody can tell whether it would have come)"


def verdict_text(foretold: Foretold, before: float, after: float) -> str:
    """Of a decision on clicks at 60 s, where fraud had so much utility before it and after it."""
    moves = (Tasks("clicks", "work", 4, 4),)
    decision = replace(Decision(Reason.RECONFIGURED, moves, "why", AT_S, 20.0), foretold=(foretold,))
    open_ones = OpenDecisions()
    told: list[Verdict] = []
    for at_s in range(0, 130, 10):
        now = view(float(at_s), [job("clicks", 10.0), job("fraud", before if at_s <= AT_S else after)], max_threads=100)
        open_ones, verdicts = open_ones.judge(now, [decision] if at_s == AT_S else [])
        told += verdicts
    return told[0].text


@pytest.mark.parametrize(
    ("before", "after", "was", "then", "said"),
    [
        (10.0, 10.0, 4.0, 10.0, True),  # it had all, and would have missed by what was foretold
        (10.0, 7.0, 4.0, 10.0, True),  # the miss came, though a smaller one
        (4.0, 10.0, 4.0, 10.0, False),  # it missed already
        (10.0, 10.0, 10.0, 4.0, False),  # it is the one that pays
    ],
)
def test_what_a_decision_was_to_prevent_is_said_and_that_nobody_saw_it(
    before: float, after: float, was: float, then: float, said: bool
) -> None:
    text = verdict_text(Foretold("fraud", None, None, then, None, None, was), before, after)
    assert f"fraud: predicted {then:.1f} utility, actual {after:.1f}" in text
    assert (SAID in text) is said
