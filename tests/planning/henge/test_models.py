"""Henge's first step for a job with models, and the search from there."""

from dataclasses import replace

from penstock.core.levers import Tasks
from penstock.core.seen.view import JobView
from tests.builders import job, operator, rounds
from tests.planning.henge.searches import HENGE, steady


def test_the_first_step_for_a_job_with_models_is_what_they_say_and_the_search_goes_on_from_there() -> None:
    def fleet(threads: int, utility: float) -> list[JobView]:
        modelled = replace(job("a", utility, 10, [operator(threads=threads)]), modelled_threads={"work": 30})
        return [modelled, job("b", 20, 20)]

    plans, memory = rounds(HENGE, steady(lambda: fleet(4, 1), 0, 7))
    (decision,) = plans[-1].decisions
    assert decision.moves == (Tasks("a", "work", 4, 30),)
    assert "its performance models give" in decision.why
    plans, _ = rounds(HENGE, steady(lambda: fleet(30, 5), 7, 6), memory)
    assert plans[-1].decisions[0].moves == (Tasks("a", "work", 30, 37),)  # equation 4, as without models


def test_all_who_miss_their_slo_are_given_what_their_models_say_in_one_round() -> None:
    def fleet() -> list[JobView]:
        a = replace(job("a", 1, 10, [operator(threads=4)]), modelled_threads={"work": 30})
        b = replace(job("b", 1, 20, [operator(threads=4)]), modelled_threads={"work": 20})
        return [a, b, replace(job("c", 5, 5), modelled_threads={"work": 9}), job("d", 1, 10)]

    plans, memory = rounds(HENGE, steady(fleet, 0, 7))
    # c has what it asked for, d has no models. All hope for 10 + 20 + 5, and d's 1 of 10.
    assert [decision.moves for decision in plans[-1].decisions] == [
        (Tasks("b", "work", 4, 20),),
        (Tasks("a", "work", 4, 30),),
    ]
    assert {decision.expected_utility for decision in plans[-1].decisions} == {36}
    assert memory.modelled == {"a", "b"}


def test_models_that_agree_with_what_is_there_do_not_delay_the_search() -> None:
    modelled = replace(job("a", 1, 10), modelled_threads={"work": 4})
    plans, _ = rounds(HENGE, steady(lambda: [modelled], 0, 7))
    assert plans[-1].decisions[0].moves == (Tasks("a", "work", 4, 11),)


def test_a_step_of_models_that_did_harm_is_taken_back_and_the_search_begins() -> None:
    def fleet(threads: int, utility: float) -> list[JobView]:
        modelled = replace(job("a", utility, 10, [operator(threads=threads)]), modelled_threads={"work": 2})
        return [modelled, job("b", 20, 20)]

    plans, memory = rounds(HENGE, steady(lambda: fleet(4, 5), 0, 7))
    assert plans[-1].decisions[0].moves == (Tasks("a", "work", 4, 2),)
    plans, memory = rounds(HENGE, steady(lambda: fleet(2, 1), 7, 6), memory)
    assert plans[-1].decisions[0].moves == (Tasks("a", "work", 2, 4),)
    plans, _ = rounds(HENGE, steady(lambda: fleet(4, 5), 13, 12), memory)
    assert Tasks("a", "work", 4, 11) in [change for plan in plans for d in plan.decisions for change in d.moves]


def test_the_step_of_models_keeps_to_limits_so_that_it_is_judged_as_what_came() -> None:
    limited = job("a", 1, 10, [operator(threads=4, max_threads=9)], max_threads=12)
    plans, _ = rounds(HENGE, steady(lambda: [replace(limited, modelled_threads={"work": 30})], 0, 7))
    assert plans[-1].decisions[0].moves == (Tasks("a", "work", 4, 9),)
    floored = job("a", 1, 10, [operator(threads=4, min_threads=3)])
    plans, _ = rounds(HENGE, steady(lambda: [replace(floored, modelled_threads={"work": 1})], 0, 7))
    assert plans[-1].decisions[0].moves == (Tasks("a", "work", 4, 3),)
