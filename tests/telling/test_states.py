"""States in words: no tenant is left out of the headline, and nothing is said to be well that nobody measured."""

from dataclasses import replace
from math import inf, nan

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.seen.contacts import Contacts
from penstock.core.seen.states import LastLatency
from penstock.core.seen.view import JobView, View
from penstock.telling.states import beside, blind_text, headline, unasked_latency
from tests.recorded import a_job, a_view

FAST = Intent(Latency("2s", percentile=95, utility=35))


def blind(name: str, **figures: object) -> JobView:
    plain = a_job(name, None, intent=FAST)
    known = {"up_s": 400.0, "latency": None, "backlog_rows": 62_614.0} | figures
    return replace(plain, figures=replace(plain.figures, **known))  # type: ignore[arg-type]


def stale(name: str, age_s: float = 40.0) -> JobView:
    plain = a_job(name, 35.0)
    return replace(plain, fresh=False, figures=replace(plain.figures, age_s=age_s))


def starting(name: str) -> JobView:
    return blind(name, up_s=5.0, backlog_rows=None)


def fleet(*utilities: float) -> View:
    return a_view(0.0, [a_job(f"job-{number}", utility) for number, utility in enumerate(utilities, start=1)])


def test_the_headline_names_the_worst_first() -> None:
    assert headline(fleet(35, 35)) == "All 2 tenants have what they asked for."
    assert headline(fleet(35)) == "The tenant has what it asked for."
    assert headline(fleet(35, 3, 2)) == "2 of 3 tenants miss what was asked: job-3, job-2."
    assert headline(fleet(5, 4, 3, 2, 1)).endswith("job-5, job-4, job-3 and 2 more.")


def test_a_tenant_that_went_blind_is_told_with_its_backlog_and_the_last_that_was_known_of_it() -> None:
    view = a_view(100.0, [a_job("geo", 35.0), blind("ads")])
    assert headline(view, {"ads": LastLatency(342.0, 60.0)}) == (
        "No figures of ads (62,614 rows wait, 40 s ago latency was 342 s). The other has what it asked for."
    )


def test_a_tenant_that_misses_does_not_hide_one_that_is_blind_or_stale_or_starting() -> None:
    view = a_view(100.0, [a_job("slow", 3.0), blind("ads"), stale("fraud"), starting("geo"), a_job("well", 35.0)])
    assert headline(view) == (
        "1 of 5 tenants misses what was asked: slow. No figures of ads (62,614 rows wait). "
        "Figures of fraud (40 s ago latency was 3.0 s) are 40 s old. geo is starting."
    )


def in_a_fleet(jobs: list[JobView], agents_s: dict[str, float], cluster_s: float = 1.0) -> View:
    return replace(a_view(100.0, jobs), jobs=tuple(jobs), contacts=Contacts(agents_s, cluster_s))


def test_which_agent_is_silent_is_told_and_whose_figures_are_old_all_the_same() -> None:
    view = in_a_fleet([stale("shop/ads", 80.0), stale("geo", 70.0), a_job("fraud", 35.0)], {"shop": 75.0, "geo": 1.0})
    ads, geo, _ = view.jobs
    assert headline(view) == (
        "The agent of shop/ads (1 min 20 s ago latency was 3.0 s) has not reported for 1 min 15 s. "
        "Figures of geo (1 min 10 s ago latency was 3.0 s) are 1 min 10 s old. The other has what it asked for."
    )
    assert blind_text(ads, view) == (
        "Its agent has not reported for 1 min 15 s; it keeps its executors. "
        "Its figures are 1 min 20 s old; 1 min 20 s ago latency was 3.0 s."
    )
    assert blind_text(geo, view).startswith("Its figures are 1 min 10 s old")


def test_of_several_silent_agents_the_longest_silence_is_told() -> None:
    view = in_a_fleet([stale("ads", 80.0), stale("geo", 90.0)], {"ads": 75.0, "geo": 85.0})
    told = headline(view)
    assert told.startswith("The agents of ads (")
    assert told.endswith("have not reported for 1 min 25 s.")


def test_that_the_cluster_manager_does_not_answer_is_told_beside_everything_else() -> None:
    away = "The cluster manager has not answered for 40 s: no executor is promised."
    assert headline(in_a_fleet([a_job("ads", 35.0)], {}, 40.0)) == f"The tenant has what it asked for. {away}"
    assert headline(in_a_fleet([], {}, 40.0)) == f"There is no tenant yet. {away}"
    for silent_s in (30.0, inf, nan):  # at the limit, and what another program wrote into a store
        assert headline(in_a_fleet([], {}, silent_s)) == "There is no tenant yet."


def test_who_starts_does_not_make_the_fleet_well() -> None:
    told = headline(a_view(0.0, [a_job("ads", 35.0), a_job("fraud", 35.0), starting("geo")]))
    assert told == "geo is starting. The other 2 have what they asked for."


def test_an_empty_fleet_is_neither_well_nor_ill() -> None:
    assert headline(replace(a_view(0.0), jobs=())) == "There is no tenant yet."


def test_what_a_tenant_lacks_is_named_with_what_is_known_all_the_same() -> None:
    told = blind_text(blind("ads"), a_view(100.0, []), LastLatency(342.0, 60.0))
    assert told == "No figures for its latency, although it runs; 62,614 rows wait, 40 s ago latency was 342 s."
    assert blind_text(starting("geo"), a_view(100.0, [])) == "It is starting, no figures yet."
    assert blind_text(stale("ads"), a_view(100.0, [])) == "Its figures are 40 s old; 40 s ago latency was 3.0 s."
    assert beside(blind("ads", backlog_rows=None), 100.0) == ""


def test_a_latency_that_nobody_asked_for_is_told_all_the_same() -> None:
    asks_for_juice = a_job("clicks", 35.0, intent=Intent(Juice(0.9, utility=35)))
    assert unasked_latency(asks_for_juice) == "its latency is 1.5 s, for which it asks nothing"
    assert unasked_latency(a_job("ads", 35.0)) is None
