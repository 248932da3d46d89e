"""What is foretold, in words."""

from penstock.core.known.prediction import Foretold, foretold_text
from penstock.core.plan import Decision, Reason
from penstock.core.run import DecisionRecord


def slower(name: str, utility: float) -> Foretold:
    """A tenant whose latency doubles from 1 s, and whose utility of 10 becomes this."""
    return Foretold(name, 2.0, None, utility, 1.0, None, 10.0)


def test_at_most_three_are_named_and_the_rest_are_counted() -> None:
    told = foretold_text([slower(name, 10.0 - loss) for loss, name in enumerate("abcde", start=1)])
    assert told == (
        "e 2.0 s instead of 1.0 s, which costs 5.0 utility; d 2.0 s instead of 1.0 s, which costs 4.0 utility; "
        "c 2.0 s instead of 1.0 s, which costs 3.0 utility; and 2 more change"
    )


def test_who_would_notice_nothing_is_not_named() -> None:
    same = Foretold("geo", 1.04, 0.99, 10.0, 1.0, 1.0, 10.0)  # 4 % later, 1 % less of its input
    assert foretold_text([same]) == "no noticeable change"
    assert foretold_text([same, slower("ads", 9.9)]) == "ads 2.0 s instead of 1.0 s"


def test_a_tenant_with_two_targets_is_told_with_both() -> None:
    both = Foretold("ads", 2.0, 1.0, 30.0, 6.0, 0.8, 20.0)
    assert both.text == "ads 2.0 s instead of 6.0 s and processes 100 % of its input instead of 80 %"


def test_of_a_tenant_without_figures_its_utility_is_told() -> None:
    assert Foretold("ads", None, None, 3.0, None, None, 5.0).text == "ads loses 2.0 utility"


def test_a_latency_that_was_not_known_before_is_news() -> None:
    assert Foretold("ads", 2.0, None, 5.0, None, None, 5.0).text == "ads 2.0 s instead of an unknown latency"


def test_a_decision_is_logged_with_what_it_foretells() -> None:
    decision = Decision(Reason.RECONFIGURED, (), "ads is late", 12.0, 50.0, foretold=(slower("ads", 10.0),))
    told = DecisionRecord(decision).text()
    assert told == "12 s Reconfigured would do | ads is late; predicted: ads 2.0 s instead of 1.0 s"
