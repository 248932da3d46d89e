"""Plans: changes have an undo, decisions know their jobs, outcomes know what failed."""

from penstock.core.levers import Slots, Tasks
from penstock.core.plan import Decision, Outcome, Reason, Step, StepOutcome

GROW = Tasks("job", "parse", 2, 5)


def test_the_undo_of_a_change_takes_it_back() -> None:
    assert GROW.undo == Tasks("job", "parse", 5, 2)
    assert GROW.undo.undo == GROW


def test_a_decision_names_each_job_it_touches_once_in_order() -> None:
    changes = (Slots("z", 1, 2), GROW, Tasks("job", "count", 1, 2))
    assert Decision(Reason.RECONFIGURED, changes, "why", 10.0, 22.0).jobs == ("job", "z")


def test_an_outcome_tells_the_steps_that_were_not_done() -> None:
    done, refused = StepOutcome(Step("a", ())), StepOutcome(Step("b", (GROW,)), "no slots are left")
    assert Outcome((done, refused)).failed == (refused,)
    assert Outcome().failed == ()


def test_reasons_are_short_camel_case_words() -> None:
    assert all(str(reason).isalpha() and str(reason)[0].isupper() for reason in Reason)
