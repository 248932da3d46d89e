"""What tenants cost, at the price of the file; and nothing where there is none."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from penstock.core.asked.price import Price
from penstock.core.run import Run
from penstock.core.seen.shares import Pool
from penstock.store.open import open_store
from penstock.telling.money import spent
from penstock.telling.report import page
from penstock.telling.run_document import summary_document
from penstock.telling.summary import summarise
from tests.recorded import RUN
from tests.telling.lines import a_line, a_run

EUR = Price(3.6, "EUR")  # a thousandth of it a second


def priced(run: Run, price: Price | None = EUR, pool: Pool | None = None) -> Run:
    return replace(run, info=replace(run.info, price=price), pool=pool or run.pool)


def test_threads_cost_their_time_and_those_of_a_miss_are_told_apart() -> None:
    # ads holds 4 threads for 30 s, in the middle 10 of which it misses; fraud 6 and always has what it asks for.
    run = priced(a_run(a_line("ads", [True, False, True, True]), a_line("fraud", [True] * 4, threads=6)))
    ads, fraud = spent(run)
    assert (ads.cost, ads.missed_cost, ads.missed_s) == pytest.approx((0.12, 0.04, 10.0))
    assert (fraud.cost, fraud.missed_cost) == pytest.approx((0.18, 0.0))


def test_weights_that_exceed_the_slots_cost_no_more_than_the_slots() -> None:
    # Weights of 4 and 12 share 8 slots: 2 and 6 of them, for 30 s.
    pool = Pool(8, {"ads": 4, "fraud": 12})
    run = priced(a_run(a_line("ads", [True] * 4), a_line("fraud", [True] * 4, threads=12)), pool=pool)
    assert [one.cost for one in spent(run)] == pytest.approx([0.06, 0.18])


def test_an_outage_costs_what_a_cycle_does() -> None:
    run = priced(a_run(a_line("ads", [True] * 4)))
    silent = replace(run, at_s=[0.0, 10.0, 20.0, 90_000.0])
    assert spent(silent)[0].slot_h == spent(run)[0].slot_h


def test_reports_tell_it_in_words_figures_and_columns() -> None:
    run = priced(a_run(a_line("ads", [True, False, True, True])))
    told = summarise(run).sentences[-1]
    assert told == "The slots cost 0.12 EUR (3.60 EUR an hour of each): ads 0.12 EUR, 0.0400 EUR of it while it missed."
    assert summary_document(run)["price"] == {"slot_hour": 3.6, "currency": "EUR"}
    assert summary_document(run)["costs"][0]["missed_cost"] == pytest.approx(0.04)
    assert "of it while it missed" in page(run)


def test_without_a_price_nothing_is_said_of_money() -> None:
    run = priced(a_run(a_line("ads", [True, False, True, True])), None)
    assert spent(run) == ()
    assert not any("cost" in sentence and "slots cost" in sentence for sentence in summarise(run).sentences)
    assert {"price", "costs"} & summary_document(run).keys() == set()
    assert "of it while it missed" not in page(run)


def test_a_price_is_recorded_with_its_run(tmp_path: Path) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:
        store.begin(replace(RUN, price=EUR))
        assert [run.price for run in store.runs()] == [EUR]
        assert store.read_run(RUN.id).info.price == EUR
