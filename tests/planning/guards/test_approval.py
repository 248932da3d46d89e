"""What needs a tenant's yes is split off a plan."""

from dataclasses import replace

from penstock.core.asked.orders import Answer, Proposal
from penstock.core.levers import Memory, Tasks
from penstock.core.plan import Plan, Reason
from penstock.planning.guards.approval import Split, held_still, renewed, split
from tests.recorded import a_decision, a_job, a_view

VIEW = a_view(10.0)


def test_decisions_on_others_go_ahead() -> None:
    parts = split(Plan((a_decision(10.0), a_decision(10.0, "fraud"))), {"ads"}, ())
    assert ([d.jobs for d in parts.plan.decisions], [d.jobs for d in parts.asked]) == ([("fraud",)], [("ads",)])


def test_what_a_person_asked_for_goes_ahead() -> None:
    asked = replace(a_decision(10.0), reason=Reason.ASKED)
    parts = split(Plan((asked,)), {"ads"}, {"ads"})
    assert (parts.plan.decisions, parts.asked) == ((asked,), ())


def test_a_held_job_is_neither_touched_nor_asked_again() -> None:
    parts = split(Plan((a_decision(10.0),)), {"ads"}, {"ads"})
    assert (parts.plan.decisions, parts.asked) == ((), ())


def test_what_starts_every_query_again_is_asked_of_all_who_want_to_be_asked() -> None:
    restart = replace(a_decision(10.0), moves=(Memory(1024, 2048),))
    parts = split(Plan((restart,)), {"ads"}, ())
    assert (parts.plan.decisions, parts.asked) == ((), (restart,))
    assert parts.plan.note == "ads must approve first"
    assert split(Plan((restart,)), (), {"ads"}) == Split(Plan(), ())  # ads is held
    assert split(Plan((restart,)), (), ()).plan.decisions == (restart,)


def test_a_held_job_has_no_room_in_the_view_of_a_policy() -> None:
    still = held_still(VIEW, {"ads"}).job("ads").figures
    assert still.max_threads == still.threads
    assert all(op.min_threads == op.threads == op.max_threads for op in still.operators)
    assert held_still(VIEW, {"ads"}).job("fraud") == VIEW.job("fraud")


def test_an_approved_decision_is_renewed_with_the_figures_of_now() -> None:
    approved = Proposal(1, a_decision(1.0), Answer.APPROVED, "ann")
    ((_, answer, decision),) = renewed([approved], VIEW)
    assert decision is not None
    assert answer is Answer.DONE
    # It was to bring 10 (55 -> 65), and utility is 20 + 35 now.
    assert (decision.at_s, decision.utility_before, decision.expected_utility) == (10.0, 55.0, 65.0)


def test_an_approved_decision_about_another_state_of_things_is_not_done() -> None:
    moved = replace(VIEW, jobs=(a_job("ads", threads=9),))
    ((_, answer, decision),) = renewed([Proposal(1, a_decision(1.0), Answer.APPROVED, "ann")], moved)
    assert (answer, decision) == (Answer.EXPIRED, None)


def test_what_stands_already_as_it_was_approved_is_done_and_only_the_rest_is_left_to_do() -> None:
    both = replace(a_decision(1.0), moves=(Tasks("ads", "map", 3, 6), Tasks("fraud", "map", 3, 5)))
    partly = replace(VIEW, jobs=(a_job("ads", threads=7), a_job("fraud")))
    ((_, answer, decision),) = renewed([Proposal(1, both, Answer.APPROVED, "ann")], partly)
    assert decision is not None
    assert (answer, decision.moves) == (Answer.DONE, (Tasks("fraud", "map", 3, 5),))
    ((_, answer, decision),) = renewed([Proposal(1, a_decision(1.0), Answer.APPROVED, "ann")], partly)
    assert (answer, decision) == (Answer.DONE, None)
