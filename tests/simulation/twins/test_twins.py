"""Twins: named cases that run in the ordinary loop, under a policy or with what is fixed."""

import numpy as np
import pytest

from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.levers import Slots
from penstock.core.seen.view import View
from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchJob, MicroBatchStage
from penstock.simulation.twins import Fixed, Twin, TwinResult, run, twin_named, twins

SHORT_S = 40


def test_every_case_has_a_name_of_its_own_and_an_intent_for_every_job() -> None:
    cases = list(twins(SHORT_S))
    assert len({twin.name for twin in cases}) == len(cases) == 17
    for twin in cases:
        assert set(twin.intents) == {job.name for job in twin.jobs}
        assert sum(intent.max_utility for intent in twin.intents.values()) > 0


def test_a_fleet_wants_a_third_more_than_its_slots() -> None:
    twin = twin_named("12 tenants", SHORT_S)
    wanted = sum(job.arrivals.mean() * sum(s.cpu_s_per_row + s.wait_s_per_row for s in job.stages) for job in twin.jobs)
    assert wanted / twin.cluster.slots == pytest.approx(4 / 3, rel=0.02)  # rates are whole rows
    assert max(twin.intents, key=lambda name: twin.intents[name].max_utility).startswith("payments")


def test_a_run_is_the_same_for_the_same_seed_and_another_for_another() -> None:
    twin = twin_named("constrained", SHORT_S)
    first, again, other = (run(twin, "fair", seed).utility_share for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_what_is_fixed_stays_so_and_helps_whom_it_is_to_help() -> None:
    twin = twin_named("constrained", SHORT_S)
    plain, fixed = run(twin, Fixed()), run(twin, Fixed({"payments": 6}, {"clicks": 100}))
    figures = fixed.views[-1].job("payments").figures
    assert (figures.threads, fixed.decisions) == (6, ())
    assert {dial.now for dial in fixed.views[-1].job("clicks").figures.levers if dial.kind == "bound"} == {100}
    assert fixed.job_share("payments") > plain.job_share("payments")


def test_a_policy_acts_within_the_limits_of_the_twin() -> None:
    found = run(twin_named("constrained"), "henge", seed=1)
    moves = [move for record in found.decisions for move in record.decision.moves]
    assert moves
    assert all(isinstance(move, Slots) and 1 <= move.after <= 7 for move in moves)


def test_only_views_after_the_beginning_count() -> None:
    assert run(twin_named("feasible", SHORT_S), "fair").views[0].at_s == 10.0


def test_a_view_counts_as_long_as_it_stands_however_close_rounds_are() -> None:
    views = tuple(
        View(at_s, (), (), utility, 10.0) for at_s, utility in ((20.0, 8.0), (30.0, 1.0), (32.0, 1.0), (34.0, 8.0))
    )
    assert TwinResult(views, ()).utility_share == pytest.approx((10 * 0.8 + 4 * 0.1 + 2 * 0.8) / 16)
    assert TwinResult(views[:1], ()).utility_share == 0.8


def beside_a_flood(seconds: int = 240) -> Twin:
    """An urgent tenant that needs a third of a slot, beside one that would need fifteen of the four."""

    def job(name: str, rate: float) -> MicroBatchJob:
        work = MicroBatchStage("work", 8, 0.0, 0.01, task_overhead_s=0.005)
        arrivals = np.full(seconds, rate)
        return MicroBatchJob(
            name, (work,), arrivals, trigger_s=1.0, source_step_s=1.0, batch_overhead_s=0.1, commit_s=0.05
        )

    intents = {"payments": Intent(Latency("3s", utility=40)), "flood": Intent(Juice(0.9, utility=10))}
    cluster = MicroBatchCluster(4, 4, noise=0.1, driver_noise=0.3, window_s=60.0)
    jobs = (job("payments", 30.0), job("flood", 1500.0))
    return Twin("flood", cluster, jobs, intents, seconds, govern_from_s=10.0, interval_s=10.0, measure_from_s=20.0)


def test_one_whom_nothing_can_serve_does_not_take_the_urgent_one_along() -> None:
    # Its batches, each of what came during the one before, would hold all slots for minutes.
    assert run(beside_a_flood(), "fair", seed=1).job_share("payments") < 0.3
    assert run(beside_a_flood(), "penstock", seed=1).job_share("payments") > 0.8
