"""How it would have gone without a decision is played from the instant at which it was taken."""

from dataclasses import replace

import pytest

from penstock.core.known.counterfactual import Untold, Without
from penstock.core.levers import BatchBound, Executors, Move, Tasks
from penstock.core.plan import Decision, Outcome, Reason, Step, StepOutcome
from penstock.core.run import DecisionRecord
from penstock.whatif.counterfactual import span_of, untellable, without
from penstock.whatif.question import Past
from tests.whatif.line import LINE, NO_LIMIT_S, present

PAST = Past(span_s=60.0, arrivals_rps={}, interval_s=5.0)
REALLY = [(0.0, 1.0), (60.0, 1.0)]
MORE = Tasks("ads", "work", 1, 3)


def record(at_s: float, *moves: Move, error: str | None = None) -> DecisionRecord:
    decision = Decision(Reason.RECONFIGURED, moves, "ads misses its latency", at_s, 3.0)
    steps = tuple(StepOutcome(Step(job, moves), error) for job in decision.jobs)
    return DecisionRecord(decision, Outcome(steps).steps)


def test_threads_that_helped_are_missed_without_them() -> None:
    # 400 rows/s at 4 ms each need 1.6 threads: one falls behind, three do not.
    found = without(present(LINE, 60.0), PAST, 1, [record(60.0, MORE)], REALLY, NO_LIMIT_S)
    assert isinstance(found, Without)
    assert found.with_it > found.without + 0.2
    assert [one.job for one in found.jobs] == ["ads"]
    # Three threads instead of one from the first look on.
    assert found.slot_s_saved == pytest.approx(-120.0, abs=15.0)


def test_the_others_are_as_they_were_so_that_the_same_again_brings_nothing() -> None:
    again = record(65.0, replace(MORE, before=3))
    found = without(present(LINE, 60.0), PAST, 2, [record(60.0, MORE), again], REALLY, NO_LIMIT_S)
    assert isinstance(found, Without)
    assert found.gain == pytest.approx(0.0, abs=0.001)


def test_how_far_off_the_simulator_is_shows_by_what_really_was() -> None:
    right, wrong = (
        without(present(LINE, 60.0), PAST, 1, [record(60.0, MORE)], [(0.0, was), (60.0, was)], NO_LIMIT_S)
        for was in (1.0, 0.0)
    )
    assert isinstance(right, Without)
    assert isinstance(wrong, Without)
    assert right.off + wrong.off == pytest.approx(1.0, abs=0.02)
    assert not wrong.tells


def test_it_is_told_until_its_levers_turn_again() -> None:
    records = [record(10.0, MORE), record(40.0, BatchBound("ads", None, 10)), record(70.0, MORE)]
    assert [span_of(number, records, 1000.0) for number in (1, 2, 3)] == [60.0, 300.0, 300.0]
    assert span_of(3, records, 100.0) == 30.0


def test_what_the_simulator_does_not_have_ends_it_as_well() -> None:
    records = [record(10.0, MORE), record(40.0, Executors(1, 2))]
    assert span_of(1, records, 1000.0) == 30.0


@pytest.mark.parametrize(
    ("found", "span_s", "why"),
    [
        (record(10.0, Executors(1, 2)), 60.0, "the simulator does not play executors"),
        (record(10.0, MORE, error="gone"), 60.0, "it was not carried out"),
        (replace(record(10.0, MORE), outcomes=()), 60.0, "it was not carried out"),
        (record(10.0, MORE), 5.0, "its levers changed again too soon, or the run ended"),
    ],
)
def test_of_what_nothing_can_be_told_the_reason_is(found: DecisionRecord, span_s: float, why: str) -> None:
    assert untellable(1, [found], span_s) == Untold(1, why)


def test_without_time_nothing_is_told() -> None:
    found = without(present(LINE, 60.0), PAST, 1, [record(60.0, MORE)], REALLY, within_s=0.0)
    assert found == Untold(1, "the time to simulate it was over")
