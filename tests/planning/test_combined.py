"""The combined policy: who is planned ahead, who is searched for, and that both share one cluster."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.plan import Plan, Reason
from penstock.core.seen.evidence import Observation
from penstock.core.seen.view import JobView, View
from penstock.errors import ConfigError
from penstock.planning.combined import Combined, as_planned, part
from penstock.planning.combined_settings import CombinedSettings
from penstock.planning.henge.policy import Henge
from penstock.planning.registry import policy_named
from tests.builders import job, operator, rounds, view

# Each executor of "ahead" takes 100 rows/s.
PROFILE = {"ahead": tuple(Observation(n, 100.0 * n, 1.0, saturated=True, at_s=0.0) for n in (1, 2, 4, 8, 12))}


def ahead(threads: int, rate_rps: float) -> JobView:
    """A job that states a recovery target."""
    made = job("ahead", 10, 10, [operator(threads=threads)], arrival_rps=rate_rps, up_s=10_000.0)
    return replace(made, intent=Intent(Latency("1s", utility=10), recovery="180s"))


def _ahead(job: JobView) -> bool:
    return job.name == "ahead"


def steady(jobs: Sequence[JobView], minutes: int = 30, max_threads: int | None = None) -> list[View]:
    """The same fleet, seen every ten seconds."""
    return [view(10.0 * n, jobs, max_threads=max_threads) for n in range(6 * minutes)]


def test_without_recovery_targets_it_decides_as_henge_does() -> None:
    views = steady([job("a", 4, 10), job("b", 9, 20)])
    combined, _ = rounds(Combined(), views)
    henge, _ = rounds(Henge(), views)
    assert [plan.decisions for plan in combined] == [plan.decisions for plan in henge]
    assert any(plan.decisions for plan in henge)


def test_a_job_with_a_recovery_target_is_sized_for_it_though_it_meets_its_slo() -> None:
    plans, _ = rounds(Combined(CombinedSettings(profiles=PROFILE)), steady([ahead(4, 390.0), job("b", 10, 10)]))
    first = next(decision for plan in plans for decision in plan.decisions)
    assert (first.reason, first.jobs) == (Reason.RESCALED, ("ahead",))
    assert first.thread_moves[0].after > 4  # at 400 rows/s the backlog of a failure would take minutes to work off


def test_outlooks_of_what_is_planned_ahead_are_handed_on() -> None:
    plans, _ = rounds(Combined(CombinedSettings(profiles=PROFILE)), steady([ahead(4, 390.0), job("b", 10, 10)]))
    first, *_, last = [outlook for plan in plans for outlook in plan.outlooks]
    assert {first.job, last.job} == {"ahead"}
    assert (first.forecast, last.forecast is None) == (None, False)  # ten minutes of history are needed
    after = next(decision for plan in plans for decision in plan.decisions).thread_moves[0].after
    needed, given = first.recovery_s(4), first.recovery_s(after)
    assert needed is not None
    assert given is not None
    assert given <= 180.0 < needed


def test_threads_that_one_part_takes_are_not_there_for_the_other() -> None:
    fleet = view(0.0, [ahead(4, 390.0), job("b", 4, 10)], max_threads=20)
    assert part(fleet, _ahead).max_threads == 16
    assert part(fleet, lambda job: not _ahead(job)).max_threads == 16
    grown = as_planned(fleet, _growing(fleet))
    assert part(grown, lambda job: not _ahead(job)).max_threads == 20 - grown.job("ahead").figures.threads < 16


def _growing(fleet: View) -> Plan:
    policy = Combined(CombinedSettings(profiles=PROFILE))
    plans, _ = rounds(policy, [replace(fleet, at_s=10.0 * n) for n in range(180)])
    return next(plan for plan in plans if plan.decisions)


def test_what_is_expected_is_the_utility_of_the_whole_fleet() -> None:
    plans, _ = rounds(Combined(), steady([ahead(4, 100.0), job("b", 4, 10)]))
    decision = next(d for plan in plans for d in plan.decisions if d.jobs == ("b",))
    assert decision.utility_before == 14.0
    assert decision.expected_utility == 20.0


def test_settings_of_its_parts_are_given_by_name_and_checked() -> None:
    made = policy_named("penstock", {"henge": {"blocklist_s": 60.0}})
    assert made.name == "penstock"
    with pytest.raises(ConfigError, match=r"settings\.penstock\.henge\.blocklists"):
        policy_named("penstock", {"henge": {"blocklists": 60.0}})
