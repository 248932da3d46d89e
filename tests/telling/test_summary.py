"""What happened, to whom, why, and what it cost."""

import re
from dataclasses import replace

from penstock.core.asked.acts import HeardAct
from penstock.core.asked.orders import Act
from penstock.core.plan import Step, StepOutcome, Verdict, never_judged
from penstock.core.run import EARLIER, DecisionRecord, MostUtility, Note, Run
from penstock.core.seen.states import State, StateChange
from penstock.telling.explain import events
from penstock.telling.report import page
from penstock.telling.run_document import story_document, summary_document
from penstock.telling.summary import Came, came_to, most_utility, summarise
from tests.recorded import RUN, a_decision
from tests.telling.lines import a_line, a_run


def test_an_empty_run_is_told_as_such() -> None:
    assert summarise(Run(RUN, (), (), (), ())).sentences == ("Nothing is recorded of this run yet.",)


def test_a_job_that_met_its_intent_throughout_is_in_no_trouble() -> None:
    summary = summarise(a_run(a_line("ads", [True] * 4)))
    assert (summary.met_share, summary.utility_share) == (1.0, 1.0)
    assert "Every job met its intent whenever it was seen." in summary.sentences


def test_what_nobody_saw_is_not_said_to_be_met() -> None:
    unseen = a_line("fraud", [None] * 4)
    nobody = summarise(a_run(unseen))
    assert (
        nobody.sentences[0] == "Over 30 s no figure was seen of any job, so it is not known whether intents were met."
    )
    assert nobody.utility_share is None  # none is not nothing: it would read as 0 %
    told = summarise(a_run(a_line("ads", [True] * 4), unseen)).sentences
    assert "Every job of which figures were seen met its intent; of fraud none was seen." in told


def test_how_long_a_job_would_take_to_recover_is_told_as_it_was_last_and_at_worst() -> None:
    line = replace(a_line("ads", [True] * 4), recovery_s=(None, 240.0, 171.0, None))
    (job,) = summarise(a_run(line)).jobs
    assert (job.last_recovery_s, job.worst_recovery_s) == (171.0, 240.0)


def test_the_longest_stretch_of_trouble_is_named() -> None:
    summary = summarise(a_run(a_line("ads", [False, True, False, False, False, None, False, True])))
    assert summary.jobs[0].worst == (20.0, 40.0)
    assert summary.jobs[0].met_share == 2 / 7  # the cycle without a figure is neither
    assert any("ads met its intent (juice >= 0.9) 29 % of the time" in sentence for sentence in summary.sentences)


def test_threads_cost_their_time() -> None:
    # Two jobs hold 4 and 6 threads over three rounds of 10 s; the fourth cycle ends the run.
    summary = summarise(a_run(a_line("ads", [True] * 4), a_line("fraud", [True] * 4, threads=6)))
    assert summary.thread_seconds == 300.0


def test_what_broke_is_said_with_its_words() -> None:
    line = replace(a_line("ads", [True] * 4), troubles=(Note(10.0, "its query died: out of memory."), Note(20.0, "")))
    assert "What broke: ads at 0:00:10, its query died: out of memory." in summarise(a_run(line)).sentences


def test_decisions_are_judged_by_what_came_of_them() -> None:
    run = a_run(a_line("ads", [True] * 4))
    decision = a_decision(0.0)  # taken at a utility of 55; half a percent of the maximum of 10 is 0.05

    def judged(came: float) -> Came:
        return came_to(DecisionRecord(decision, (), Verdict(0.0, 60.0, came, "")), most_utility(run))

    assert [judged(came) for came in (56.0, 55.04, 54.0)] == [Came.BETTER, Came.SAME, Came.WORSE]
    failed = StepOutcome(Step("ads", ()), "no slot")
    assert came_to(DecisionRecord(decision, (failed,)), most_utility(run)) is Came.FAILED
    done = StepOutcome(Step("ads", ()))
    assert came_to(DecisionRecord(decision, (done,)), most_utility(run)) is Came.OPEN
    assert (
        came_to(DecisionRecord(decision, (done,), never_judged(0.0, 30.0, missed=False)), most_utility(run))
        is Came.UNKNOWN
    )


def test_of_more_decisions_than_are_told_the_newest_are_counted_and_it_is_said_so() -> None:
    earlier, told = (EARLIER,) * 1234, (DecisionRecord(a_decision(20.0)), DecisionRecord(a_decision(30.0, "fraud")))
    run = replace(a_run(a_line("ads", [True] * 4), a_line("fraud", [True] * 4)), decisions=(*earlier, *told))
    found = summarise(run)
    assert ([job.decisions for job in found.jobs], found.came.total()) == ([1, 1], 2)
    assert any(said.startswith("1,236 decisions, of which the newest 2 are told: 2 Recon") for said in found.sentences)
    assert any(said.startswith("What is told of them begins at 0:00:20 with") for said in found.sentences)
    assert [decision["number"] for decision in summary_document(run)["decisions"]] == [1235, 1236]
    assert len(events(run)) == 2
    assert "The first 1,234 decisions are left out here." in (shown := page(run))
    assert re.findall(r"<title>(\d+): ", shown) == re.findall(r'href="#d(\d+)"', shown) == ["1235", "1236"]


def test_who_starts_has_not_lost_what_nobody_could_have_measured() -> None:
    # fraud has no figure in the first two cycles: 10 of 10 could be had there, 20 of 20 later.
    run = a_run(a_line("ads", [True] * 4), a_line("fraud", [None, None, True, True]))
    assert summarise(run).utility_share == 0.75
    assert summarise(replace(run, possible_utility=(10.0, 10.0, 20.0, 20.0))).utility_share == 1.0


def test_what_a_start_could_not_have_costs_nothing() -> None:
    # fraud starts until 20 s; 10 s of each of four cycles are 30 s in all, in which nobody missed anything.
    run = a_run(a_line("ads", [True] * 4), a_line("fraud", [None, None, True, True]))
    told = " ".join(summarise(replace(run, possible_utility=(10.0, 10.0, 20.0, 20.0))).sentences)
    assert "at the end utility was 20 of 20" in told
    assert "; 0 utility was missing on average." in told


def test_what_was_missing_is_told_with_whose_it_was() -> None:
    run = a_run(a_line("ads", [True] * 4), a_line("fraud", [False, False, True, True]), a_line("geo", [False] * 4))
    told = summarise(run).sentences
    assert any(said.endswith("on average: geo lacked 5 of its 10, fraud lacked 2.5 of its 10.") for said in told)


def test_a_share_is_of_what_could_be_had_at_the_time() -> None:
    # MostUtility 5 until 20 s, and had all of it; worth 10 from then on, of which it has half.
    line = replace(a_line("ads", [False] * 4), worths=(MostUtility(0.0, 5.0), MostUtility(20.0, 10.0)))
    (job,) = summarise(a_run(line)).jobs
    assert (job.utility_share, job.max_utility) == (0.75, 10.0)


def test_who_went_blind_is_named_with_how_long_and_what_waited_and_not_counted_among_the_well() -> None:
    changes = (StateChange(0.0, State.FINE), StateChange(10.0, State.BLIND, 62_614.0), StateChange(30.0, State.FINE))
    line = replace(a_line("ads", [True, None, None, True]), states=changes)
    summary = summarise(a_run(line))
    told = summary.sentences
    assert summary.met_share == 0.5  # it is proven in two of four cycles
    assert "No job was seen to miss its intent, but not all were always seen." in told
    assert ("Without current figures: ads for 20 s, longest from 0:00:10 to 0:00:30, 62,614 rows waiting.") in told


def test_pauses_dry_runs_and_what_people_asked_for_are_told() -> None:
    acts = (
        HeardAct(10.0, "ann", Act.PAUSE),
        HeardAct(20.0, "ann", Act.RESUME),
        HeardAct(30.0, "bob", Act.INTENT, "ads: juice >= 0.5", "ads"),
    )
    told = summarise(replace(a_run(a_line("ads", [True] * 4)), acts=acts, began_dry=True)).sentences
    assert "Governing was paused from 0:00:10 to 0:00:20: nothing was decided then." in told
    assert "It was a dry run from 0:00:00 on: what was decided then was not carried out." in told
    assert "By people: bob changed the intent: ads: juice >= 0.5 at 0:00:30." in told


def test_documents_for_programs_know_acts_and_what_was_asked_for_when() -> None:
    line = replace(a_line("ads", [True] * 4), intents=(Note(0.0, "mean latency <= 20s"), Note(10.0, "juice >= 0.9")))
    acts = (HeardAct(10.0, "bob", Act.INTENT, "ads: juice >= 0.9", "ads"),)
    run = replace(a_run(line), acts=acts, began_dry=True)
    told = summary_document(run)
    assert told["jobs"][0]["asked"] == [
        {"from_s": 0.0, "text": "mean latency <= 20s"},
        {"from_s": 10.0, "text": "juice >= 0.9"},
    ]
    for document in (told, story_document(run)):
        assert document["began_dry"]
        assert document["acts"] == [
            {"act": "intent", "at_s": 10.0, "who": "bob", "line": acts[0].line, "job": "ads"},
        ]


def test_an_intent_that_was_changed_is_told_with_the_one_before() -> None:
    line = a_line("ads", [True, False, False, False])
    changed = replace(line, intents=(Note(0.0, "mean latency <= 20s"), Note(10.0, "juice >= 0.9")))
    (job,) = summarise(a_run(changed)).jobs
    assert job.intent == "juice >= 0.9; mean latency <= 20s until 0:00:10"
