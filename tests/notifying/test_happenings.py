"""What is told of a run: each event once, when it begins or is over."""

from collections.abc import Sequence
from dataclasses import replace

from penstock.core.asked.budget import Budget, SpentBudget
from penstock.core.asked.hours import Excluded
from penstock.core.asked.intent_hours import asked_at
from penstock.core.cycle import GOVERNING_ENDED, Cycle
from penstock.core.seen.trouble import TroubleId, TroubleKind
from penstock.core.seen.view import JobView
from penstock.notifying.happenings import HOLD_S, Happening, HappeningKind, Told, happened
from tests.recorded import SHORTFALL, a_cycle, a_foretelling_cycle, a_job, a_judging_cycle, a_view, an_acting_cycle

WELL, BAD = a_job("fraud", utility=70.0), a_job("fraud", utility=10.0)


def told_of(cycles: Sequence[Cycle]) -> list[Happening]:
    told, found = Told(), list[Happening]()
    for cycle in cycles:
        told, news = happened(told, cycle)
        found += news
    return found


def rounds(*jobs: JobView, from_s: float = 0.0) -> list[Cycle]:
    """One every ten seconds."""
    return [a_cycle(from_s + 10.0 * n, a_view(from_s + 10.0 * n, [job])) for n, job in enumerate(jobs)]


def test_a_tenant_that_lacks_something_for_an_hour_is_told_of_once() -> None:
    found = told_of(rounds(*[BAD] * 360))
    assert [(one.kind, one.at_s, one.job) for one in found] == [(HappeningKind.MISSING, HOLD_S, "fraud")]
    assert found[0].text == (
        "fraud has been missing for 1m: it asks for p95 latency <= 2s, juice >= 1, recovery <= 1m and has 3s"
    )


def test_another_kind_of_trouble_that_comes_to_who_is_known_to_lack_something_is_told_of_once() -> None:
    """Its latency was told an hour ago; that its query died, and tries in vain, was told to nobody."""

    def ill(count: int, kind: TroubleKind = TroubleKind.NOT_RUNNING) -> JobView:
        which = TroubleId(kind, "no topic")
        return replace(BAD, figures=replace(BAD.figures, trouble=f"{kind}, tried {count} times", trouble_id=which))

    again = [ill(1), ill(2), BAD] * 20  # started now and then
    found = told_of(rounds(*[BAD] * 10, *again, *map(ill, range(40)), *[ill(0, TroubleKind.GIVEN_UP)] * 20))
    assert [(one.kind, one.at_s, one.data["trouble"]) for one in found] == [
        (HappeningKind.MISSING, HOLD_S, None),
        (HappeningKind.MISSING, 700.0 + HOLD_S, "not running"),
        (HappeningKind.MISSING, 1100.0 + HOLD_S, "given up"),
    ]


def test_one_that_is_well_again_is_told_of_once_too() -> None:
    found = told_of(rounds(*[BAD] * 8, *[WELL] * 30))
    assert [(one.kind, one.at_s) for one in found] == [
        (HappeningKind.MISSING, 60.0),
        (HappeningKind.FINE, 80.0 + HOLD_S),
    ]


def test_one_that_goes_back_and_forth_is_told_of_by_nobody() -> None:
    assert told_of(rounds(*[BAD, BAD, WELL] * 50)) == []


def test_one_that_starts_again_goes_on_as_it_was() -> None:
    figures = replace(BAD.figures, up_s=1.0)
    starting = replace(BAD, figures=figures, utility=None, met=False)
    found = told_of(rounds(*[BAD] * 4, starting, *[BAD] * 4))
    assert [(one.kind, one.at_s) for one in found] == [(HappeningKind.MISSING, 60.0)]


def test_nobody_is_told_of_a_tenant_at_rest() -> None:
    """Neither that it lacks something in an excluded period, nor that it is well again because nothing is asked."""
    resting = replace(BAD, intent=asked_at(BAD.intent.lasting(excluded=[Excluded(0.0, 1.0, "maintenance")]), 0.0))
    assert told_of(rounds(*[resting] * 30)) == []
    found = told_of(rounds(*[BAD] * 8, *[resting] * 30, *[WELL] * 8))
    assert [(one.kind, one.at_s) for one in found] == [(HappeningKind.MISSING, 60.0), (HappeningKind.FINE, 440.0)]


def test_a_spent_error_budget_is_told_of_once() -> None:
    spent = SpentBudget(Budget.of("99%"), allowed=80.64, good=10, bad=81, unknown=0)
    some, none = replace(WELL, spent=replace(spent, bad=80)), replace(WELL, spent=spent)
    found = told_of(rounds(some, none, none, some, none))
    assert [(one.kind, one.at_s, one.job) for one in found] == [
        (HappeningKind.BUDGET, 10.0, "fraud"),
        (HappeningKind.BUDGET, 40.0, "fraud"),
    ]
    assert found[0].text == "fraud has a budget of 99% of 5m windows over 28d: spent, 81 bad of 80.6 that may be"


def test_decisions_and_verdicts_are_told_each() -> None:
    found = told_of([an_acting_cycle(20.0), a_judging_cycle(80.0, decided_at_s=20.0)])
    assert [one.kind for one in found][:2] == [HappeningKind.DECISION, HappeningKind.VERDICT]
    assert found[0].data["changes"][0]["text"] == "map 3 -> 6"
    assert found[1].text == "of what was decided at 20 s: better: utility 55.0 -> 64.0 (expected 65.0)"


def test_a_shortfall_is_told_when_it_begins_whatever_words_it_goes_on_with() -> None:
    cycles = [a_foretelling_cycle(10.0 * n, shortfall=f"{SHORTFALL} {n}") for n in range(5)]
    assert [one.kind for one in told_of(cycles)].count(HappeningKind.SHORTFALL) == 1
    again = [*cycles, a_cycle(60.0), a_foretelling_cycle(70.0)]
    assert [one.kind for one in told_of(again)].count(HappeningKind.SHORTFALL) == 2


def test_what_goes_wrong_in_governing_is_told_when_it_begins_and_the_end_always() -> None:
    wrong = [replace(a_cycle(10.0 * n), error="observing failed: no answer") for n in range(5)]
    over = replace(a_cycle(60.0), error=f"{GOVERNING_ENDED}another controller took over")
    assert [one.kind for one in told_of([*wrong, over])] == [HappeningKind.FAILING, HappeningKind.ENDED]
