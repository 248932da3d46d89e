"""Phoebe's decisions: ahead of the load, in time for every failure, few, and told in a sentence."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.plan import Decision, Plan
from penstock.core.seen.evidence import Observation
from penstock.planning.phoebe.memory import JobMemory, PhoebeMemory
from penstock.planning.phoebe.policy import Phoebe
from penstock.planning.phoebe.settings import PhoebeSettings
from tests.analysis.models.profiles import profile
from tests.planning.phoebe.rounds import changes_of, seen, view

PROFILED = PhoebeSettings(profiles={"a": profile(), "b": profile()})
Rate = Callable[[float], float]


def lived(rate: Rate, executors: int, until_s: float, policy: Phoebe) -> tuple[list[Plan], PhoebeMemory]:
    """One job from 0 to `until_s` that gets what is decided for it at once."""
    plans, memory, at_s, up_since = [], policy.start(), 0.0, -5000.0
    while at_s < until_s:
        at_s += 10.0
        plan, memory = policy.decide(view(at_s, seen(rate(at_s), executors, up_s=at_s - up_since)), memory)
        for change in changes_of(plan.decisions):
            executors, up_since = change, at_s
        plans.append(plan)
    return plans, memory


def decisions_of(plans: Sequence[Plan]) -> list[Decision]:
    return [decision for plan in plans for decision in plan.decisions]


def test_a_rate_that_will_rise_is_met_before_it_comes() -> None:
    plans, _ = lived(lambda t: 40_000 + 12 * max(0.0, t - 600), 8, 1800, Phoebe(PROFILED))
    rising = decisions_of(plans)[-1]
    assert rising.thread_moves[0].after > rising.thread_moves[0].before
    assert "in 8 min the rate will be" in rising.why or "in 10 min the rate will be" in rising.why
    assert f"{rising.thread_moves[0].after} executors recover in" in rising.why
    assert f"{rising.thread_moves[0].after - 1} would need" in rising.why


def test_there_is_one_decision_in_an_interval() -> None:
    plans, _ = lived(lambda t: 60_000 + 40_000 * (int(t / 300) % 2), 12, 7200, Phoebe(PROFILED))
    times = [decision.at_s for decision in decisions_of(plans)]
    assert all(later - earlier >= 600.0 for earlier, later in pairwise(times))


def test_a_job_that_failed_a_moment_ago_is_left_alone() -> None:
    _, memory = lived(lambda t: 50_000.0, 12, 1200, Phoebe(PROFILED))
    policy = Phoebe(PROFILED)
    for at_s in range(1210, 2400, 10):
        plan, memory = policy.decide(view(at_s, seen(100_000.0, 12, up_s=at_s - 1900.0)), memory)
        assert not plan.decisions


def test_too_little_history_is_said_and_what_arrives_now_decides() -> None:
    plan, _ = Phoebe(PROFILED).decide(view(60.0, seen(54_000.0, 24)), PhoebeMemory())
    (decision,) = plan.decisions
    assert "too short for a forecast" in decision.why
    assert decision.thread_moves[0].after < 24


def test_a_job_that_has_not_begun_is_left_as_it_was_started() -> None:
    begun = seen(0.0, 12, cpu_share=0.0, up_s=None)
    before = replace(begun, figures=replace(begun.figures, arrival_rps=None, processed_rps=None))
    plan, memory = Phoebe(PROFILED).decide(view(5.0, before), PhoebeMemory())
    assert plan.decisions == ()
    assert memory.jobs["a"].looked_at_s is None


def test_a_job_that_is_down_keeps_what_it_had_and_is_looked_at_when_it_is_back() -> None:
    policy = Phoebe(PROFILED)
    _, memory = lived(lambda t: 50_000.0, 12, 1800, policy)
    down = seen(0.0, 12, cpu_share=0.01, up_s=None)  # its tasks of before are still counted
    gone = replace(down, figures=replace(down.figures, arrival_rps=None, processed_rps=None))
    plan, after = policy.decide(view(2500.0, gone), memory)
    assert (plan.decisions, after.jobs["a"].looked_at_s) == ((), memory.jobs["a"].looked_at_s)


def test_a_job_about_which_nothing_is_known_is_sized_by_its_cpu_use() -> None:
    plan, _ = Phoebe().decide(view(60.0, seen(100.0, 4, cpu_share=0.7)), PhoebeMemory())
    (decision,) = plan.decisions
    assert decision.thread_moves[0].after == 8  # twice the target of 35 %
    assert "by CPU use" in decision.why


def test_without_even_its_cpu_use_it_is_left_as_it_is() -> None:
    plan, _ = Phoebe().decide(view(60.0, seen(100.0, 4)), PhoebeMemory())
    assert not plan.decisions
    assert "left unchanged" in plan.note


def test_what_the_cluster_cannot_give_is_taken_as_far_as_it_goes_and_said() -> None:
    plan, _ = Phoebe(PROFILED).decide(view(60.0, seen(150_000.0, 8)), PhoebeMemory())
    (decision,) = plan.decisions
    assert 20 <= decision.thread_moves[0].after <= 24
    assert "only 24 are available: recovery takes" in decision.why
    assert "instead of 180 s" in decision.why


def test_beyond_the_profile_it_warns_and_prefers_more() -> None:
    small = PhoebeSettings(profiles={"a": profile((2, 5, 8))})
    plan, _ = Phoebe(small).decide(view(60.0, seen(60_000.0, 8)), PhoebeMemory())
    (decision,) = plan.decisions
    usual, _ = Phoebe(PROFILED).decide(view(60.0, seen(60_000.0, 8)), PhoebeMemory())
    assert "extrapolated" in decision.why
    assert changes_of(plan.decisions)[0] > changes_of(usual.decisions)[0]


def test_a_tenant_who_asks_for_certainty_gets_more() -> None:
    chance = random.Random(1)
    _, memory = lived(lambda t: chance.gauss(50_000.0, 30_000.0) % 100_000.0, 12, 3600, Phoebe(PROFILED))
    memory = PhoebeMemory({"a": replace(memory.jobs["a"], looked_at_s=0.0)})
    usual, sure = seen(50_000.0, 24), seen(50_000.0, 24)
    sure = replace(sure, intent=Intent(Latency("2s", utility=10), recovery="180s", certainty=0.95))
    plans = [Phoebe(PROFILED).decide(view(3610.0, job), memory)[0] for job in (usual, sure)]
    assert changes_of(plans[0].decisions)[0] < (changes_of(plans[1].decisions) or [24])[0]


def test_of_two_jobs_with_too_few_slots_the_more_valuable_gets_its_wish() -> None:
    dear = replace(seen(60_000.0, 6, "a"), intent=Intent(Latency("2s", utility=40), recovery="180s"))
    plain = seen(60_000.0, 6, "b")
    plan, _ = Phoebe(PROFILED).decide(view(60.0, dear, plain, max_threads=16), PhoebeMemory())
    after = {change.job: change.after for decision in plan.decisions for change in decision.thread_moves}
    assert after["a"] > after.get("b", 6)
    assert sum({"a": 6, "b": 6, **after}.values()) <= 16


def test_a_downtime_longer_than_assumed_leads_to_more_executors() -> None:
    short, _ = Phoebe(PROFILED).decide(view(60.0, seen(54_000.0, 6, downtime_s=100.0)), PhoebeMemory())
    long, _ = Phoebe(PROFILED).decide(view(60.0, seen(54_000.0, 6, downtime_s=150.0)), PhoebeMemory())
    assert changes_of(short.decisions)[0] < changes_of(long.decisions)[0]


def test_without_a_recovery_target_capacity_alone_decides() -> None:
    plan, _ = Phoebe(PROFILED).decide(view(60.0, seen(54_000.0, 24, recovery=None)), PhoebeMemory())
    assert changes_of(plan.decisions)[0] == 4
    assert "3 would fall behind" in plan.decisions[0].why


@pytest.mark.parametrize("more", [{"settling": True}, {"up_s": 20.0}])
def test_a_job_that_has_only_just_started_is_waited_for(more: dict[str, object]) -> None:
    plan, _ = Phoebe(PROFILED).decide(view(60.0, seen(54_000.0, 24, **more)), PhoebeMemory())  # type: ignore[arg-type]
    assert not plan.decisions
    assert plan.note.startswith("waiting")


def test_its_own_catching_up_teaches_it_the_capacity() -> None:
    policy, memory = Phoebe(PROFILED), PhoebeMemory()
    for at_s in range(10, 600, 10):
        late = seen(50_000.0, 12, up_s=float(at_s), backlog_rows=5e6, latency=None)
        late = replace(late, figures=replace(late.figures, working_rps=150_000.0))
        _, memory = policy.decide(view(float(at_s), late), memory)
    assert Observation(12, 150_000.0, None, saturated=True, at_s=130.0) in memory.jobs["a"].evidence


def test_without_a_profile_what_its_use_told_at_each_scale_out_is_remembered() -> None:
    served = (
        Observation(12, 60_000.0, 1.0, at_s=50.0, busy_share=0.3),
        Observation(4, 40_000.0, 1.0, at_s=55.0, busy_share=0.5),
    )
    idle = seen(50.0, 6)  # nobody could tell from this what it can do
    plan, _ = Phoebe().decide(view(60.0, idle), PhoebeMemory({"a": JobMemory(evidence=served)}))
    assert "by CPU use" not in plan.note
    (decision,) = plan.decisions
    assert "would need" in decision.why or "would fall behind" in decision.why or "recover in" in decision.why
