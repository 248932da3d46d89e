"""Error budgets: windows, what is left, how fast it goes, and what a tenant counts for meanwhile."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.asked.budget import (
    MOST_URGENT,
    RUNS_LOW,
    Budget,
    BudgetLedger,
    BudgetWindow,
    Burn,
    SpentBudget,
    WindowLook,
    ledger_of,
    urgency,
)
from penstock.errors import ConfigError

ASKED = Budget.of("99%", windows="5m", over="28d")
A_DAY = Budget.of(0.9, windows="5m", over="1d")  # 288 windows, of which 28.8 may be bad
LOOKS = st.lists(st.sampled_from([WindowLook.GOOD, WindowLook.BAD, WindowLook.UNKNOWN, WindowLook.IDLE]), max_size=60)


def looked(looks: Sequence[WindowLook], asked: Budget = A_DAY, every_s: float = 300.0) -> BudgetLedger:
    ledger = BudgetLedger(asked)
    for number, look in enumerate(looks):
        ledger = ledger.looked(number * every_s, look)
    return ledger


def rate(spent: SpentBudget, over_s: float) -> float | None:
    return next(burn.rate for burn in spent.burns if burn.over_s == over_s)


def test_ninety_nine_percent_of_five_minute_windows_over_four_weeks_are_eighty_bad_ones() -> None:
    ledger = looked([WindowLook.GOOD] * 10 + [WindowLook.BAD] * 2 + [WindowLook.GOOD], ASKED)
    spent = ledger.spent(12 * 300.0)
    assert spent.allowed == pytest.approx(0.01 * 28 * 288)  # 80.64
    assert (spent.good, spent.bad, spent.unknown) == (10, 2, 0)
    assert spent.left == pytest.approx(1 - 2 / 80.64)
    # Of the twelve windows that ended within the hour two are bad: 16.7 % where 1 % may be.
    assert rate(spent, 3600.0) == pytest.approx(2 / 12 / 0.01)
    assert rate(spent, 300.0) == pytest.approx(1 / 0.01)  # the last one alone
    assert spent.text().startswith("budget of 99% of 5m windows over 28d: 97.52% of it left, 2 bad of 80.6 that may be")


def test_a_window_that_is_lost_counts_before_it_is_over() -> None:
    ledger = BudgetLedger(ASKED).looked(0.0, WindowLook.GOOD).looked(10.0, WindowLook.BAD)
    assert ledger.spent(10.0).bad == 1
    lenient = BudgetLedger(replace(ASKED, each=0.5)).looked(0.0, WindowLook.GOOD).looked(10.0, WindowLook.BAD)
    assert lenient.spent(10.0).bad == 0  # the rest of it may yet be good
    assert lenient.looked(290.0, WindowLook.BAD).looked(295.0, WindowLook.BAD).spent(295.0).bad == 1


def test_what_nobody_saw_is_unknown_and_spends_nothing() -> None:
    ledger = looked([WindowLook.UNKNOWN] * 5 + [WindowLook.GOOD])
    spent = ledger.spent(5 * 300.0)
    assert (spent.bad, spent.unknown, spent.left) == (0, 5, 1.0)
    assert rate(spent, 3600.0) is None  # no window of it is known
    assert spent.urgency == 1.0


def test_windows_in_which_nothing_is_asked_allow_no_bad_ones() -> None:
    ledger = looked([WindowLook.IDLE] * 144 + [WindowLook.GOOD])
    assert ledger.spent(144 * 300.0).allowed == pytest.approx(0.1 * (288 - 144))
    assert ledger.spent(144 * 300.0, asked_share=0.25).allowed == pytest.approx(0.1 * 288 * 0.25)


def test_a_period_rolls() -> None:
    ledger = looked([WindowLook.BAD] * 10 + [WindowLook.GOOD] * 281)
    assert ledger.spent(290 * 300.0).bad == 8  # a day before is window 2
    assert len(ledger.starts) <= 289


def test_a_clock_that_is_set_back_stays_in_its_window() -> None:
    ledger = BudgetLedger(ASKED).looked(600.0, WindowLook.GOOD).looked(290.0, WindowLook.GOOD)
    assert ledger.open == BudgetWindow(600.0, good=2)


@given(LOOKS)
def test_a_store_that_kept_the_windows_comes_to_the_same(looks: list[WindowLook]) -> None:
    ledger = BudgetLedger(A_DAY)
    kept: dict[float, BudgetWindow] = {}
    for number, look in enumerate(looks):
        ledger = ledger.looked(number * 100.0, look)
        assert ledger.open is not None
        kept[ledger.open.from_s] = ledger.open
    now_s = max(0, len(looks) - 1) * 100.0
    assert ledger_of(A_DAY, kept.values(), now_s).spent(now_s) == ledger.spent(now_s)


@given(st.floats(-5, 1), st.floats(0, 1), st.floats(0, 100), st.floats(0, 50))
def test_more_burn_or_less_left_never_lowers_priority(left: float, less: float, burn: float, more: float) -> None:
    assert 1.0 <= urgency(left, burn) <= urgency(left, burn + more) <= MOST_URGENT
    assert urgency(left, burn) <= urgency(left - less, burn)


@given(st.floats(RUNS_LOW, 1.0), st.one_of(st.none(), st.floats(0, 1000)))
def test_nothing_changes_while_half_of_the_budget_is_left(left: float, burn: float | None) -> None:
    assert urgency(left, burn) == 1.0


@given(LOOKS, st.data())
def test_a_window_that_turns_bad_never_lowers_priority(looks: list[WindowLook], data: st.DataObject) -> None:
    good = [number for number, look in enumerate(looks) if look is WindowLook.GOOD]
    if not good:
        return
    turned = data.draw(st.sampled_from(good))
    worse = [WindowLook.BAD if number == turned else look for number, look in enumerate(looks)]
    now_s = (len(looks) - 1) * 300.0
    tight = Budget.of(0.99, windows="5m", over="1d")  # 2.88 windows may be bad: runs low at once
    before, after = looked(looks, tight).spent(now_s), looked(worse, tight).spent(now_s)
    assert after.left <= before.left
    assert after.urgency >= before.urgency


def test_a_budget_that_runs_low_is_told_with_what_follows() -> None:
    spent = SpentBudget(
        A_DAY, allowed=28.8, good=240, bad=24, unknown=0, burns=(Burn(3600.0, 6.0), Burn(21_600.0, 2.0))
    )
    assert spent.left == pytest.approx(1 - 24 / 28.8)  # a sixth
    assert spent.urgency == 2.25  # 1 + 2 x (0.5 - 0.167) / 0.5 x 6 / 6, in quarters
    assert spent.text().endswith("it burns 6.0 over 1h, 2.0 over 6h; worth 2.25 times as much meanwhile")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"keep": 1.0}, "keep: 1.0 cannot be used"),
        ({"keep": "most"}, "keep: 'most' cannot be used; write a share such as 0.99 or 99%"),
        ({"keep": 0.99, "windows": "1s"}, "windows: '1s' cannot be used"),
        ({"keep": 0.99, "over": "1y"}, "over: '1y' cannot be used"),
        ({"keep": 0.99, "over": "93d"}, "over: '93d' cannot be used"),
        ({"keep": 0.99, "windows": "1d", "over": "2d"}, "over: '2d' cannot be used; write ten windows or more"),
        ({"keep": 0.99, "windows": "10s"}, "windows: '10s' cannot be used; write longer ones"),
        ({"keep": 0.99, "each": 0.2}, "each: 0.2 cannot be used"),
    ],
)
def test_what_is_no_budget_is_said(fields: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError) as error:
        Budget.of(**fields)
    assert str(error.value).startswith(told)
