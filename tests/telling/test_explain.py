"""The story as text."""

from dataclasses import replace

from penstock.core.asked.acts import HeardAct
from penstock.core.asked.orders import Act
from penstock.core.plan import Plan
from penstock.core.run import Note, Run
from penstock.core.seen.deeds import Deed
from penstock.store.memory import MemoryStore
from penstock.telling.explain import explain
from tests.recorded import RUN, SHORTFALL, a_cycle, a_foretelling_cycle, a_job, a_judging_cycle, a_view, an_acting_cycle
from tests.telling.sample import renamed, sample_run


def recorded() -> Run:
    store = MemoryStore(RUN)
    for at_s in (10.0, 20.0, 30.0):
        store.append(a_cycle(at_s))
    store.append(an_acting_cycle(40.0))
    store.append(a_judging_cycle(100.0, 40.0))
    return store.read_run(RUN.id)


def test_a_decision_is_told_with_why_expectation_and_outcome() -> None:
    story = explain(recorded())
    assert (
        " 0:00:40   Reconfigured ads: map 3 -> 6\n"
        "           why:      ads misses its latency\n"
        "           expected: utility 55 -> 65\n"
        "           result:   0:01:40 better: utility 55.0 -> 64.0 (expected 65.0)\n"
    ) in story


def foreseen() -> Run:
    store = MemoryStore(RUN)
    store.append(a_foretelling_cycle(10.0))
    for at_s in (20.0, 30.0):
        store.append(a_cycle(at_s))
    return store.read_run(RUN.id)


def test_a_decision_is_told_with_the_prediction_that_it_was_made_on() -> None:
    story = " ".join(explain(foreseen()).split())
    assert (
        "why: ads misses its latency expected: utility 55 -> 65; ads 2.1 s instead of 6.4 s; "
        "fraud processes 72 % of its input instead of 100 %, which costs 3.0 utility"
    ) in story


def test_how_far_off_predictions_were_and_that_no_shares_meet_all_stand_in_the_head() -> None:
    head = " ".join(explain(foreseen()).split("\n\n")[0].split())
    # (3.1 % of 12 comparisons and 0 % of 3) / 15 = 2.48 %
    assert "were off by 2.5 % of the maximum on average: ads 3.1 % over 12, fraud 0.0 % over 3." in head
    assert f"Until 0:00:20 {SHORTFALL}." in head


def test_that_no_shares_meet_all_is_an_event_until_they_do() -> None:
    story = " ".join(explain(foreseen()).split("\n\n")[1].split())
    assert f"0:00:10 {SHORTFALL}" in story
    assert "0:00:20 all intents can be met again" in story


def test_what_the_engine_did_by_itself_is_a_line() -> None:
    deed = Deed(25.0, "ads", "weight 6 -> 3", "the cluster gives 4 in all")
    run = replace(recorded(), deeds=(deed,))
    assert " 0:00:25   by itself: ads: weight 6 -> 3; the cluster gives 4 in all\n" in explain(run)


def test_a_quiet_stretch_is_one_line_with_what_the_policy_said() -> None:
    assert " 0:00:10   quiet to 0:00:30 (3 cycles), utility 55 of 70: all is quiet\n" in explain(recorded())


def test_nothing_has_converged_while_nobody_has_figures() -> None:
    store = MemoryStore(RUN)
    for at_s, utility in ((10.0, None), (20.0, None), (30.0, 35.0), (40.0, 35.0)):
        store.append(a_cycle(at_s, a_view(at_s, [a_job("ads", utility)]), Plan(note="converged: all have it")))
    story = explain(store.read_run(RUN.id))
    assert " 0:00:10   ads is blind: no figures\n" in story
    assert " 0:00:30   ads is seen again after 20 s: it has what it asked for\n" in story
    assert "utility 0 of 35: no figures yet\n" in story
    assert "utility 35 of 35: converged: all have it\n" in story
    assert "1 job had 100 % of the utility that they could have" in story


def test_a_real_run_is_not_said_to_be_in_simulated_time() -> None:
    real, simulated = (replace(RUN, engine=engine, started_at_s=None) for engine in ("spark", "simulator"))
    told = [explain(MemoryStore(info).read_run(info.id)).splitlines()[0] for info in (real, simulated)]
    assert told == [
        "demo (demo-1): henge on spark, start not recorded",
        "demo (demo-1): henge on simulator, in simulated time",
    ]


def test_the_head_says_which_run_it_is() -> None:
    assert explain(recorded()).startswith("demo (demo-1): henge on sim, started 1970-01-12 13:46 UTC\n")


def test_a_step_that_failed_and_one_that_was_never_taken_are_told() -> None:
    store = MemoryStore(RUN)
    store.append(an_acting_cycle(10.0, error="no free slot"))
    store.append(replace(an_acting_cycle(20.0), outcome=a_cycle(20.0).outcome))
    story = explain(store.read_run(RUN.id))
    assert "result:   not done: ads: no free slot" in story
    assert "result:   not carried out" in story


def test_outages_and_troubles_are_events() -> None:
    story = explain(sample_run())
    assert "geo is in trouble: its query died: Connection refused" in story
    assert "geo is out of trouble" in story
    assert "nothing was recorded for 10 min 10 s; back again" in story


def test_what_went_wrong_in_governing_is_an_event_until_it_is_over() -> None:
    store = MemoryStore(RUN)
    store.append(a_cycle(10.0))
    store.append(replace(a_cycle(20.0), error="observing failed: no answer"))
    store.append(a_cycle(30.0))
    story = explain(store.read_run(RUN.id))
    assert " 0:00:20   governing is in trouble: observing failed: no answer\n" in story
    assert " 0:00:30   governing is well again\n" in story
    assert "What broke: governing at 0:00:20, observing failed: no answer." in story


def test_a_dip_within_a_quiet_stretch_is_not_hidden() -> None:
    store = MemoryStore(RUN)
    for at_s, utility in ((10.0, 60.0), (20.0, 12.0), (30.0, 61.0)):
        store.append(a_cycle(at_s, replace(a_view(at_s), utility=utility)))
    assert "utility 60 -> 61, lowest 12 of 70" in explain(store.read_run(RUN.id))


def test_no_line_is_wider_than_asked_and_nothing_moves_the_cursor() -> None:
    story = explain(renamed(sample_run(), "evil\x1b[2J\nname"), width=80)
    assert max(len(line) for line in story.splitlines()) <= 80
    assert "\x1b" not in story


def test_a_tenant_that_goes_blind_is_an_event_with_what_waits_and_its_last_latency() -> None:
    store = MemoryStore(RUN)
    well, plain = a_job("ads", 35.0), a_job("ads", None)
    blind = replace(plain, figures=replace(plain.figures, latency=None, backlog_rows=62_614.0))
    for at_s, job in ((10.0, well), (20.0, blind), (30.0, blind), (40.0, well)):
        store.append(a_cycle(at_s, a_view(at_s, [job])))
    story = explain(store.read_run(RUN.id))
    assert " 0:00:20   ads is blind: no figures; 62,614 rows wait, latency was 3.0 s when last known\n" in story
    assert " 0:00:40   ads is seen again after 20 s: it has what it asked for\n" in story


def test_acts_of_people_and_changed_intents_are_events() -> None:
    intents = (Note(10.0, "mean latency <= 20s"), Note(20.0, "p95 latency <= 3s"))
    plain = recorded()
    ads = replace(plain.job("ads"), intents=intents)
    acts = (
        HeardAct(20.0, "bob", Act.INTENT, "ads: p95 latency <= 3s", "ads"),
        HeardAct(30.0, "ann", Act.PAUSE),
    )
    story = explain(replace(plain, jobs=(ads, *plain.jobs[1:]), acts=acts, began_dry=True))
    assert " 0:00:10   a dry run from its beginning: decisions are said and not carried out\n" in story
    told = " 0:00:20   ads asks for p95 latency <= 3s from now on (bob), until then mean latency <= 20s\n"
    assert told in story
    assert " 0:00:30   ann paused governing\n" in story
