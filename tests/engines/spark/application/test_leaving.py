"""Who leaves, and who is ended because it did not."""

from penstock.engines.spark.application.leaving import LEAVES_WITHIN_S, parting

FOUR = ("0", "1", "2", "3")


def test_whoever_is_asked_again_while_they_leave_asks_no_others() -> None:
    first = parting(FOUR, 2, {}, now=0.0)
    assert (first.asked, first.ended) == (("3", "2"), ())
    again = parting(FOUR, 2, first.since_s, now=0.5)
    assert (again.asked, again.ended, again.since_s) == ((), (), first.since_s)


def test_one_more_is_asked_when_one_more_is_to_go() -> None:
    first = parting(FOUR, 3, {}, now=0.0)
    assert parting(FOUR, 2, first.since_s, now=5.0).asked == ("2",)


def test_in_the_place_of_one_that_has_gone_nobody_else_leaves() -> None:
    first = parting(FOUR, 3, {}, now=0.0)
    assert first.asked == ("3",)
    assert parting(("0", "1", "2"), 3, first.since_s, now=3.0).asked == ()


def test_one_that_has_gone_is_forgotten() -> None:
    first = parting(FOUR, 2, {}, now=0.0)
    assert parting(("0", "1", "2"), 2, first.since_s, now=3.0).since_s == {"2": 0.0}


def test_who_has_not_gone_in_time_is_ended_and_the_others_have_their_time() -> None:
    first = parting(FOUR, 3, {}, now=0.0)
    second = parting(FOUR, 2, first.since_s, now=20.0)
    assert parting(FOUR, 2, second.since_s, now=LEAVES_WITHIN_S).ended == ("3",)


def test_who_leaves_goes_on_leaving_though_fewer_are_to_go_by_now() -> None:
    first = parting(FOUR, 2, {}, now=0.0)
    later = parting(FOUR, 3, first.since_s, now=LEAVES_WITHIN_S)
    assert (later.asked, set(later.ended)) == ((), {"2", "3"})  # they run no more tasks


def test_where_nothing_can_move_they_are_ended_at_once() -> None:
    found = parting(FOUR, 2, {}, now=0.0, within_s=0.0)
    assert (found.asked, found.ended) == ((), ("3", "2"))
