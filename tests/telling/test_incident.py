"""An incident on one page: what happened, to whom, why, what was done, what it cost."""

from dataclasses import replace

import pytest

from penstock.core.asked.acts import HeardAct
from penstock.core.asked.orders import Act
from penstock.core.asked.price import Price
from penstock.core.plan import Verdict
from penstock.core.run import DecisionRecord
from penstock.telling.binding import Bind
from penstock.telling.incident import Facts, incident, lines
from penstock.telling.incident_page import page
from tests.recorded import RUN, a_decision

# Six figures of 60 s each: fine, four that miss (in one of them half of the time unseen), fine again.
FACTS = Facts(
    run=RUN,
    tenant="ads",
    intent="p95 latency <= 2s",
    from_s=0.0,
    to_s=360.0,
    at_s=(0.0, 60.0, 120.0, 180.0, 240.0, 300.0),
    latency_s=(1.0, 5.0, 9.0, None, 4.0, 1.0),
    met=(1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    unseen=(0.0, 0.0, 0.0, 0.5, 0.0, 0.0),
    utility=(35.0, 10.0, 5.0, 5.0, 15.0, 35.0),
    max_utility=(35.0,) * 6,
    backlog_rows=(0.0, 400.0, 62_614.0, None, 90.0, 0.0),
    slots=(2.0, 2.0, 2.0, 5.0, 5.0, 5.0),
    others={},
    decisions=(),
    acts=(),
)
DECIDED = (3, DecisionRecord(a_decision(150.0), (), Verdict(150.0, 210.0, 64.0, "better: utility 55 -> 64")))


def chapter(facts: Facts, name: str) -> str:
    return " ".join(incident(facts).chapters[name])


def test_how_long_it_missed_and_how_bad_it_was_is_told_first() -> None:
    told = chapter(FACTS, "What happened")
    # Three minutes, and half of the one in which it was seen half of the time.
    assert "ads asked for p95 latency <= 2s and missed it for 3 min 30 s of 6 min" in told
    assert "longest from 0:01:00 to 0:05:00" in told
    assert "For 30 s it had no current metrics" in told
    assert "Its latency was 9.0 s at worst, at 0:02:00." in told
    assert "At most 62,614 rows waited." in told


def test_what_it_cost_is_its_lost_utility_and_the_slots_that_were_held_in_vain() -> None:
    cost = incident(FACTS).cost
    assert cost.utility_lost == pytest.approx((25 + 30 + 30 + 20) / (35 * 6))
    assert cost.slot_h == pytest.approx((2 * 180 + 5 * 180) / 3600)
    assert cost.missed_slot_h == pytest.approx((2 * 60 + 2 * 60 + 5 * 30 + 5 * 60) / 3600)
    assert (
        chapter(FACTS, "What it cost")
        == "50 % of its utility was lost. It held 0.35 slot-hours, 0.19 of them while it missed."
    )


def test_with_a_price_it_is_told_in_money_too() -> None:
    priced = replace(FACTS, run=replace(RUN, price=Price(2.0, "EUR")))
    told = chapter(priced, "What it cost")
    assert told.endswith("That is 0.70 EUR, 0.38 EUR of it while it missed, at 2.00 EUR an hour of a slot.")


def test_whom_else_it_hit_is_named_the_worst_first() -> None:
    assert chapter(FACTS, "To whom").startswith("ads alone: every other tenant met its intent")
    others = {"fine": 0.0, "geo": 0.4, "web": 0.05, "a": 0.01, "b": 0.01, "c": 0.01}
    assert "geo 40 %, web 5 %, c 1 %, b 1 % of it and 1 more tenant." in chapter(
        replace(FACTS, others=others), "To whom"
    )


def test_why_is_what_bound_it_when_it_was_worst() -> None:
    bound = replace(FACTS, worst_s=120.0, binds=(Bind("it has all 2 slots that it may have", "a higher max_slots"),))
    assert chapter(bound, "Why") == (
        "At 0:02:00, when it was worst, it has all 2 slots that it may have; "
        "what would have helped: a higher max_slots."
    )
    broken = replace(FACTS, worst_s=120.0, trouble="its query died: Connection refused.")
    assert "something was wrong with it: its query died: Connection refused." in chapter(broken, "Why")


def test_without_a_cause_what_decisions_said_is_told_or_that_there_is_none() -> None:
    assert chapter(FACTS, "Why") == "The figures of that time name no single cause."
    assert chapter(replace(FACTS, decisions=(DECIDED,)), "Why").startswith("Decisions said: ")


def test_what_was_done_by_decisions_and_people_is_told_and_stands_in_its_order() -> None:
    act = HeardAct(200.0, "ann", Act.PAUSE)
    found = incident(replace(FACTS, decisions=(DECIDED,), acts=(act,)))
    assert "better: utility 55 -> 64" in " ".join(found.chapters["What was done"])
    assert "By people: ann paused governing at 0:03:20." in found.chapters["What was done"]
    assert [at_s for at_s, _ in found.events] == [60.0, 150.0, 180.0, 200.0, 240.0, 300.0]
    assert found.events[0][1] == "ads misses what it asked for"
    assert found.events[-1][1] == "ads has what it asked for"


def test_a_time_in_which_all_was_well_is_told_as_such() -> None:
    well = replace(FACTS, met=(1.0,) * 6, unseen=(0.0,) * 6)
    assert chapter(well, "What happened").startswith("ads asked for p95 latency <= 2s and had it all the time.")
    assert "it missed" not in " ".join(lines(incident(well)))
    assert incident(well).events == ()


def test_a_time_of_which_nothing_is_recorded_says_so() -> None:
    none = replace(FACTS, at_s=(), latency_s=(), met=(), unseen=())
    none = replace(none, utility=(), max_utility=(), backlog_rows=(), slots=())
    assert chapter(none, "What happened") == "Nothing is recorded of ads in this time."


def test_an_outage_counts_for_no_longer_than_a_figure() -> None:
    silent = replace(FACTS, at_s=(0.0, 60.0, 120.0, 180.0, 240.0, 9_000.0), to_s=9_060.0)
    assert incident(silent).cost.missed_s == pytest.approx(210.0)


def test_the_page_holds_the_same_and_escapes_what_users_wrote() -> None:
    text = page(incident(replace(FACTS, tenant="<b>ads</b>", decisions=(DECIDED,))))
    assert "&lt;b&gt;ads&lt;/b&gt; asked for p95 latency ≤ 2s and missed it for 3 min 30 s" in text
    assert "<b>ads" not in text
    assert "script" not in text.partition("<body>")[2]
