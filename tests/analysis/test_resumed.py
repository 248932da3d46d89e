"""A controller that goes on with a run looks again at what the record leaves open, where it is not too late for it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.analysis.verdicts import OpenDecisions, resumed
from penstock.core.cycle import PastCycle
from penstock.core.levers import Tasks
from penstock.core.plan import Decision, Effect, Reason, Verdict
from penstock.core.seen.view import View
from tests.builders import job, view

STEP = Decision(Reason.RECONFIGURED, (Tasks("fraud", "work", 4, 8),), "why", 0.0, 20.0)
NAMES = ("fraud", "geo")


def at(at_s: float, utility: float | None) -> View:
    """One tenant with this utility of 10; None stands for no figures."""
    plain = job("fraud", utility or 0.0)
    return view(at_s, [plain if utility is not None else replace(plain, utility=None)], max_threads=100)


def until(last_s: int, utility: float = 2.0) -> list[PastCycle]:
    """Rounds up to that, every ten seconds; the decision is in the first one, of a tenant that had 5."""
    later = [PastCycle(at(float(at_s), utility)) for at_s in range(10, last_s + 1, 10)]
    return [PastCycle(at(0.0, 5.0), (STEP,)), *later]


def goes_on(past: Sequence[PastCycle], began_s: int, utility: float | None, last_s: int = 700) -> list[Verdict]:
    """All verdicts of the controller that begins then, and sees this utility for good."""
    now_open = resumed(past, float(began_s))
    told: list[Verdict] = []
    for at_s in range(began_s, last_s, 10):
        now_open, verdicts = now_open.judge(at(float(at_s), utility), (), note="converged")
        told += verdicts
    assert now_open.decisions == ()
    return told


BETTER = "better after all: utility of fraud 5.0 -> 9.0; at {} s it was worse"
BEGAN = "; meanwhile: governing restarted at {} s"


@pytest.mark.parametrize(
    ("died_s", "began_s", "judged_s", "text"),
    [
        (70, 90, 120, BETTER.format(60) + BEGAN.format(90)),  # in time for the second look
        (70, 150, 150, BETTER.format(60) + BEGAN.format(150)),  # late for it, but its figures still come
        (70, 190, 300, BETTER.format(60) + BEGAN.format(190)),  # too late for the second, in time for the third
        (130, 200, 300, BETTER.format(120) + BEGAN.format(200)),
        (130, 355, 360, BETTER.format(120) + BEGAN.format(355)),
        (30, 50, 60, "better: utility of fraud 5.0 -> 9.0" + BEGAN.format(50)),  # nobody had looked at all
        (30, 200, 300, "better: utility of fraud 5.0 -> 9.0" + BEGAN.format(200)),
    ],
)
def test_who_goes_on_looks_again_when_it_is_due(died_s: int, began_s: int, judged_s: int, text: str) -> None:
    (verdict,) = goes_on(until(died_s), began_s, 9.0)
    assert verdict.text == text
    assert abs(verdict.judged_at_s - judged_s) < 10.0
    assert (verdict.effect, verdict.again) == (Effect.BETTER, False)


def test_what_stays_worse_is_said_to_be_kept_and_why() -> None:
    told = goes_on(until(130), 200, 2.0)
    assert [(one.effect, one.again) for one in told] == [(Effect.WORSE, False)]
    assert "still worse: utility of fraud 5.0 -> 2.0; at 120 s it was worse; kept because" in told[0].text


def test_a_first_look_that_is_the_last_one_promises_no_other() -> None:
    (verdict,) = goes_on(until(30), 200, 2.0)
    assert (verdict.effect, verdict.again) == (Effect.WORSE, False)
    assert "worse: utility of fraud 5.0 -> 2.0; kept because the policy found nothing better" in verdict.text


def test_what_is_taken_back_by_who_goes_on_is_told_as_such() -> None:
    back = Decision(Reason.REVERTED, tuple(move.undo for move in STEP.moves), "utility fell", 90.0, 20.0)
    now_open, _ = resumed(until(70), 90.0).judge(at(90.0, 2.0), (back,))
    _, (verdict,) = now_open.judge(at(120.0, 2.0), ())
    assert "; taken back at 90 s" in verdict.text


def test_what_was_taken_back_before_is_looked_at_no_more() -> None:
    back = Decision(Reason.REVERTED, tuple(move.undo for move in STEP.moves), "utility fell", 70.0, 20.0)
    past = [replace(one, decisions=(back,)) if one.view.at_s == 70.0 else one for one in until(130)]
    assert goes_on(past, 200, 2.0) == []


@pytest.mark.parametrize(("died_s", "began_s"), [(70, 361), (130, 361), (30, 361), (310, 330)])
def test_nobody_looks_where_it_is_too_late_or_all_is_said(died_s: int, began_s: int) -> None:
    assert goes_on(until(died_s), began_s, 9.0) == []


def test_of_a_tenant_that_is_gone_nothing_is_known_and_what_was_seen_is_not_forgotten() -> None:
    told = goes_on(until(70), 90, None)
    assert [(one.effect, one.again) for one in told] == [(Effect.UNKNOWN, True), (Effect.UNKNOWN, False)]
    assert told[-1].text.startswith("not known: fraud had no figures; at 60 s it was worse")


def test_advice_is_not_judged() -> None:
    past = [
        replace(one, decisions=tuple(replace(d, reason=Reason.ADVISED) for d in one.decisions)) for one in until(30)
    ]
    assert resumed(past, 50.0).decisions == ()


def test_a_verdict_says_until_when_another_may_come() -> None:
    now_open = OpenDecisions()
    for one in until(60):
        now_open, verdicts = now_open.judge(one.view, one.decisions)
    (first,) = verdicts
    assert (first.again, first.again_until_s) == (True, 360.0)  # the figures of its last look come from 270 to 360 s
    told = goes_on(until(60), 120, 2.0)
    assert [one.again_until_s for one in told] == [360.0, None]


utilities = st.fixed_dictionaries({name: st.sampled_from([None, 1.0, 4.0, 4.0, 9.0]) for name in NAMES})


@st.composite
def lived(draw: st.DrawFn) -> list[PastCycle]:
    """Eight minutes of two tenants, with a step now and then, some of which are taken back by the next."""
    past: list[PastCycle] = []
    threads = 4
    for number, values in enumerate(draw(st.lists(utilities, min_size=48, max_size=48))):
        at_s = 10.0 * number
        decisions: tuple[Decision, ...] = ()
        if draw(st.integers(0, 11)) == 0:
            after = 12 - threads
            move = Tasks(draw(st.sampled_from(NAMES)), "work", threads, after)
            decisions, threads = (Decision(Reason.RECONFIGURED, (move,), "why", at_s, 8.0),), after
        past.append(PastCycle(seen(at_s, values), decisions))
    return past


def seen(at_s: float, values: Mapping[str, float | None]) -> View:
    jobs = [job(name, value or 0.0) for name, value in values.items()]
    return view(at_s, [one if values[one.name] is not None else replace(one, utility=None) for one in jobs])


@given(lived(), st.integers(1, 47))
def test_a_controller_started_again_at_once_judges_as_one_that_never_ended(past: list[PastCycle], died: int) -> None:
    def told(now_open: OpenDecisions, rounds: Sequence[PastCycle]) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = []
        for one in rounds:
            now_open, verdicts = now_open.judge(one.view, one.decisions)
            found += [(v.decided_at_s, v.judged_at_s, v.utility_came, v.effect, v.place, v.again) for v in verdicts]
        return found

    whole = told(OpenDecisions(), past)
    began_s = past[died].view.at_s
    again = told(resumed(past[:died], began_s), past[died:])
    assert again == [one for one in whole if one[1] >= began_s]  # type: ignore[operator]
