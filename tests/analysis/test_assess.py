"""Assessment: figures and intents make utilities; what is unknown stays unknown."""

from dataclasses import replace
from math import inf, nan

import pytest

from penstock.analysis.assess import assess
from penstock.core.asked.intents import Intent, Juice, Latency, Recovery
from penstock.core.known.outlook import JobOutlook
from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures, Snapshot

INTENTS = {"a": Intent(Latency("2s", utility=35)), "b": Intent(Juice(0.9, utility=10))}


def snapshot(*jobs: JobFigures) -> Snapshot:
    return Snapshot(100.0, jobs, (MachineFigures("m", cores=4),), max_threads=12)


def test_utilities_add_up_over_the_jobs() -> None:
    late, thirsty = JobFigures("a", (), latency=LatencyFigures(4.0)), JobFigures("b", (), juice=0.45)
    view = assess(snapshot(late, thirsty), INTENTS)
    assert [job.utility for job in view.jobs] == [17.5, 5.0]  # 35 x 2/4 and 10 x 0.45/0.9
    assert (view.utility, view.max_utility) == (22.5, 45.0)


def test_what_the_snapshot_says_of_the_cluster_is_handed_on() -> None:
    view = assess(snapshot(), INTENTS)
    assert (view.at_s, view.max_threads, len(view.machines)) == (100.0, 12, 1)


def test_a_job_without_an_intent_is_not_governed() -> None:
    assert assess(snapshot(JobFigures("guest", ())), INTENTS).jobs == ()


def test_a_job_without_figures_has_no_utility_and_has_not_met_its_intent() -> None:
    view = assess(snapshot(JobFigures("a", ())), INTENTS)
    assert (view.jobs[0].utility, view.jobs[0].met) == (None, False)
    assert (view.utility, view.max_utility) == (0.0, 35.0)


def test_a_met_intent_is_said_to_be_met() -> None:
    view = assess(snapshot(JobFigures("a", (), latency=LatencyFigures(1.0))), INTENTS)
    assert (view.jobs[0].met, view.jobs[0].utility) == (True, 35.0)


@pytest.mark.parametrize(
    ("at_s", "threads", "utility", "recovery_s"),
    [
        (100.0, 4, 25.0, 120.0),  # the mean of 30 and of 20, half of 40: 120 s is twice what was asked
        (100.0, 5, 35.0, 60.0),
        (100.0, 6, 35.0, None),  # nobody worked it out for six threads: latency alone, of the same maximum
        (700.0, 4, 35.0, None),  # the outlook is over
    ],
)
def test_an_estimated_recovery_counts_where_it_is_known(
    at_s: float, threads: int, utility: float, recovery_s: float | None
) -> None:
    intent = Intent(Latency("2s", utility=30), Recovery("60s", utility=40))
    job = JobFigures("a", (OperatorFigures("map", threads),), latency=LatencyFigures(1.0))
    outlook = JobOutlook("a", 50.0, 600.0, None, ((4, 120.0), (5, 60.0)))
    (seen,) = assess(replace(snapshot(job), at_s=at_s), {"a": intent}, outlooks={"a": outlook}).jobs
    assert (seen.utility, seen.recovery_s, seen.met) == (utility, recovery_s, recovery_s != 120.0)


@pytest.mark.parametrize(("age_s", "fresh"), [(0.0, True), (15.0, True), (15.1, False)])
def test_figures_older_than_a_round_and_a_half_are_not_fresh(age_s: float, fresh: bool) -> None:
    assert assess(snapshot(JobFigures("a", (), age_s=age_s)), INTENTS).jobs[0].fresh is fresh


def test_how_old_is_too_old_can_be_set() -> None:
    assert not assess(snapshot(JobFigures("a", (), age_s=6.0)), INTENTS, stale_after_s=5.0).fresh


def test_what_is_no_figure_is_not_known_and_leaves_the_sums_of_all_as_they_are() -> None:
    wrong = JobFigures("a", (), latency=LatencyFigures(nan), arrival_rps=inf, backlog_rows=nan)
    partly = JobFigures("b", (), latency=LatencyFigures(1.0, ((50.0, 1.0), (99.0, inf))), juice=0.45)
    view = assess(snapshot(wrong, partly), INTENTS)
    assert [job.utility for job in view.jobs] == [None, 5.0]
    assert (view.utility, view.max_utility) == (5.0, 45.0)
    first, second = (job.figures for job in view.jobs)
    assert (first.latency, first.arrival_rps, first.backlog_rows) == (None, None, None)
    assert (second.latency, second.juice) == (LatencyFigures(1.0, ((50.0, 1.0),)), 0.45)
