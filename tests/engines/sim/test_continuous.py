"""The continuous-operator engine against arithmetic done by hand, and its laws."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.levers import Tasks
from penstock.core.plan import Step
from penstock.core.seen.figures import JobFigures, Snapshot
from penstock.core.seen.juice import juice
from penstock.core.seen.topology import Topology
from penstock.engines.sim.continuous import ContinuousCluster
from penstock.engines.sim.layout import lay_out
from penstock.engines.sim.meters import juice_by_job
from penstock.engines.sim.physics import Physics
from penstock.engines.sim.spec import Fault, SimCluster, SimJob, SimOperator
from penstock.errors import ConfigError
from tests.engines.sim.cases import QUIET, line, run


def only(snapshot: Snapshot) -> JobFigures:
    (job,) = snapshot.jobs
    return job


def test_below_saturation_latency_is_service_stretched_by_business_and_nothing_waits() -> None:
    job = only(run(line(rate=100.0)).observe(300.0))
    # 100 rows/s x 5 ms over 2 threads: busy 0.25; 5 ms x (1 + 0.25 / 0.75) = 6.67 ms, plus two of 0.1 ms.
    assert job.operator("work").capacity == pytest.approx(0.25, abs=0.01)
    assert job.latency is not None
    assert job.latency.mean_s == pytest.approx(0.00667 + 0.0002, rel=0.05)
    assert job.juice == pytest.approx(1.0)
    assert job.backlog_rows == pytest.approx(0.0)


def test_above_saturation_the_backlog_grows_by_the_difference_and_juice_is_the_quotient() -> None:
    job = only(run(line(rate=500.0)).observe(300.0))
    # 2 threads x 200 rows/s = 400 of 500 rows/s.
    assert job.backlog_rows == pytest.approx(300 * 100, rel=0.02)
    assert job.juice == pytest.approx(0.8, abs=0.01)
    assert job.latency is not None
    assert job.latency.mean_s == pytest.approx(30000 / 400, rel=0.05)


def test_percentiles_of_one_operator_are_those_of_an_exponential() -> None:
    latency = only(run(line(rate=100.0)).observe(300.0)).latency
    assert latency is not None
    # The source and the sink are negligible: p95 of an exponential is 3.0 of its mean.
    assert latency.at(95) == pytest.approx(3.0 * latency.mean_s, rel=0.06)


def test_waiting_is_not_slowed_by_a_crowd_but_cpu_work_is() -> None:
    waits = line("waits", 100.0, work=SimOperator("work", 2, cpu_s=0.0001, wait_s=0.005))
    burns = line("burns", 400.0, work=SimOperator("work", 40, cpu_s=0.02))
    waiting, burning = run(waits, burns).observe(300.0).jobs
    assert waiting.juice == pytest.approx(1.0, abs=0.01)
    assert burning.juice == pytest.approx(1.0, abs=0.01)
    crowded = line("burns", 800.0, work=SimOperator("work", 80, cpu_s=0.02))  # 16 of 8 cores
    waiting, burning = run(waits, crowded).observe(300.0).jobs
    assert waiting.juice == pytest.approx(1.0, abs=0.02)
    assert burning.juice == pytest.approx(0.5, abs=0.03)


def test_two_jobs_share_a_saturated_cluster_by_their_threads() -> None:
    one = line("one", 2000.0, work=SimOperator("work", 30, cpu_s=0.02))
    two = line("two", 2000.0, work=SimOperator("work", 10, cpu_s=0.02))
    first, second = run(one, two).observe(300.0).jobs
    assert first.processed_rps is not None
    ratio = first.operator("sink").rows_in_rps / second.operator("sink").rows_in_rps
    assert ratio == pytest.approx(3.0, rel=0.02)
    # 8 cores, less 0.4 for two sources at 2,000 rows/s and 0.04 for the sinks, at 20 ms a row: 378 rows/s in all.
    total = first.operator("sink").rows_in_rps + second.operator("sink").rows_in_rps
    assert total == pytest.approx(378.0, rel=0.03)


def test_context_switching_makes_a_crowd_cost_more_than_its_share() -> None:
    crowd = line("crowd", 2000.0, work=SimOperator("work", 80, cpu_s=0.02))
    free = run(crowd).observe(300.0).jobs[0].juice
    costly = run(crowd, cluster=replace(QUIET, context_switch=0.05)).observe(300.0).jobs[0].juice
    # 80 runnable threads on 8 cores: 9 too many for each, 5 % each: 1 / 1.45 of the work.
    assert costly == pytest.approx(free / 1.45, rel=0.05)


def test_a_full_queue_drops_and_a_blocking_one_holds_back_the_source() -> None:
    bounded = SimOperator("work", 2, cpu_s=0.005, queue_limit=100)
    dropping = run(line(rate=500.0, work=bounded))
    _, _, dropped, queued = dropping.totals
    assert dropped.sum() == pytest.approx(300 * 100, rel=0.05)
    assert queued[1] == pytest.approx(200.0)
    blocking = run(line(rate=500.0, work=bounded, overflow="block"))
    _, _, dropped, queued = blocking.totals
    assert dropped.sum() == 0
    assert queued[0] == pytest.approx(300 * 100, rel=0.05)
    assert queued[1] <= 200.0 + 1e-6


def test_memory_pressure_slows_a_machine_down() -> None:
    hoarder = SimOperator("work", 2, cpu_s=0.005, retention_s=60, bytes_per_tuple=1_000_000)
    job = only(run(line(rate=380.0, work=hoarder), cluster=replace(QUIET, memory_mb=12_000)).observe(300.0))
    assert job.juice is not None
    assert job.juice < 0.97  # 380 x 60 MB kept on 24 GB: 95 %


def test_more_threads_are_placed_and_take_effect_after_the_pause() -> None:
    cluster = run(line(rate=500.0, pause_s=5.0))
    outcome = cluster.apply([Step("a", (Tasks("a", "work", 2, 4),))])
    assert outcome.failed == ()
    assert only(cluster.observe(300.0)).settling
    cluster.advance_to(900.0)
    job = only(cluster.observe(900.0))
    assert not job.settling
    assert job.operator("work").threads == 4
    assert job.juice == pytest.approx(1.0, abs=0.01)


def test_applying_a_step_twice_leaves_the_world_as_after_the_first() -> None:
    step = Step("a", (Tasks("a", "work", 2, 4),))
    once, twice = run(line()), run(line())
    once.apply([step])
    twice.apply([step])
    twice.advance_to(310.0)
    once.advance_to(310.0)
    twice.apply([step])
    assert once.observe(310.0) == twice.observe(310.0)


def test_a_step_for_a_job_or_operator_that_is_not_there_is_refused_whole() -> None:
    cluster = run(line())
    gone = Step("b", (Tasks("b", "work", 1, 2),))
    unknown = Step("a", (Tasks("a", "work", 2, 4), Tasks("a", "wrok", 1, 2)))
    outcome = cluster.apply([gone, unknown])
    assert [step.error for step in outcome.steps] == ["job b does not run", "a has no operator wrok"]
    assert only(cluster.observe(300.0)).operator("work").threads == 2


def test_jobs_come_and_go() -> None:
    cluster = ContinuousCluster([line("a"), line("b", starts_at_s=100.0, ends_at_s=200.0)], QUIET)
    names = []
    for at in (50.0, 150.0, 250.0):
        cluster.advance_to(at)
        names.append([job.name for job in cluster.observe(at).jobs])
    assert names == [["a"], ["a", "b"], ["a"]]


def test_a_cut_link_leaves_the_last_news_ageing_and_refuses_steps() -> None:
    cluster = ContinuousCluster([line()], QUIET, [Fault("link", at_s=100.0, for_s=50.0)])
    cluster.advance_to(90.0)
    before = cluster.observe(90.0)
    cluster.advance_to(130.0)
    during = cluster.observe(130.0)
    assert only(during).age_s == 40.0
    assert only(during).latency == only(before).latency
    assert cluster.apply([Step("a", (Tasks("a", "work", 2, 4),))]).failed[0].error == "the cluster cannot be reached"
    cluster.advance_to(160.0)
    assert only(cluster.observe(160.0)).age_s == 0.0


def test_a_failed_job_replays_from_its_checkpoint_and_its_recovery_is_timed() -> None:
    job = line(rate=100.0, checkpoint_s=60.0, restart_s=20.0)
    cluster = run(job, faults=(Fault("job", at_s=150.0, target="a"),))
    (recovery,) = cluster.recovered({"a": 60.0})
    # Down for 20 s, replaying 30 s (since 120 s): 5,000 rows to catch up at 400 - 100 rows/s: 17 s more.
    assert recovery["seconds"] == pytest.approx(20 + 5000 / 300, abs=3)  # steps of 1 s, three operators
    assert (recovery["at"], recovery["rate"], recovery["target"]) == (150.0, 100.0, 60.0)


def test_a_lost_machine_restarts_its_jobs_on_the_others() -> None:
    cluster = run(line(restart_s=10.0), until_s=160.0, faults=(Fault("machine", at_s=150.0, for_s=60.0, target=0),))
    snapshot = cluster.observe(160.0)
    assert [machine.alive for machine in snapshot.machines] == [False, True]
    assert only(snapshot).operator("work").threads == 2
    cluster.advance_to(300.0)
    after = cluster.observe(300.0)
    assert [machine.alive for machine in after.machines] == [True, True]
    assert only(after).juice == pytest.approx(1.0, abs=0.01)


def test_interference_takes_cpu_while_it_lasts() -> None:
    job = line(rate=1200.0, work=SimOperator("work", 16, cpu_s=0.005))  # 6 of 8 cores
    cluster = ContinuousCluster([job], QUIET, [Fault("interference", at_s=100.0, for_s=100.0, load=8.0)])
    juices = []
    for at in (100.0, 200.0, 600.0):
        cluster.advance_to(at)
        juices.append(only(cluster.observe(at)).juice)
    assert juices[0] == pytest.approx(1.0, abs=0.01)
    assert juices[1] is not None
    assert juices[1] < 0.95
    assert juices[2] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault("job", 1.0, target="z"), "faults.target: 'z' cannot be used; name a job: a"),
        (Fault("machine", 1.0, target=7), "faults.target: 7 cannot be used; write the number of a machine, 0 to 1"),
        (Fault("flood", 1.0), "faults.kind: 'flood' cannot be used; write machine, job, link or interference"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(fault: Fault, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ContinuousCluster([line()], QUIET, [fault])
    assert str(caught.value) == message


# Laws


@st.composite
def random_jobs(draw: st.DrawFn) -> SimJob:
    """A job of a random DAG with losses, limits and selectivities."""
    size = draw(st.integers(2, 6))
    names = [f"o{n}" for n in range(size)]
    flow: dict[str, list[str]] = {name: [] for name in names}
    for child in range(1, size):
        for parent in draw(st.sets(st.integers(0, child - 1), min_size=1, max_size=2)):
            flow[names[parent]].append(names[child])
    topology = Topology(flow)
    operators = tuple(
        SimOperator(
            name,
            threads=draw(st.integers(1, 5)),
            cpu_s=draw(st.sampled_from([0.0005, 0.003, 0.01])),
            wait_s=draw(st.sampled_from([0.0, 0.004])),
            queue_limit=draw(st.sampled_from([None, 50.0, 1000.0])),
        )
        for name in topology.operators
    )
    selectivity = {edge: draw(st.sampled_from([0.0, 0.5, 1.0, 2.0])) for edge in topology.edges}
    rates = draw(st.lists(st.floats(0, 800), min_size=40, max_size=40))
    return SimJob(
        name=draw(st.sampled_from("abcdefgh")),
        topology=topology,
        operators=operators,
        arrivals={source: np.array(rates) for source in topology.sources},
        selectivity=selectivity,
        overflow=draw(st.sampled_from(["drop", "block"])),
        checkpoint_s=draw(st.sampled_from([None, 10.0])),
        restart_s=5.0,
    )


@given(random_jobs(), st.booleans())
def test_what_arrives_is_processed_queued_or_dropped(job: SimJob, fails: bool) -> None:
    faults = (Fault("job", at_s=20.0, target=job.name),) if fails else ()
    arrived, done, dropped, queued = run(job, until_s=40.0, faults=faults).totals
    assert np.allclose(arrived, done + dropped + queued, rtol=1e-9, atol=1e-6)


@given(random_jobs())
def test_what_a_parent_sends_arrives_at_its_children(job: SimJob) -> None:
    cluster = run(job, until_s=60.0)  # the last 20 s bring nothing: all that was sent has arrived
    arrived, done, _, _ = cluster.totals
    place = {operator.name: n for n, operator in enumerate(job.operators)}
    for name in job.topology.operators:
        parents = job.topology.parents(name)
        if parents:
            sent = sum(done[place[p]] * job.selectivity[p, name] for p in parents)
            assert arrived[place[name]] <= sent + 1e-6
            last = sum(cluster.in_transit[[place[name]]])
            assert arrived[place[name]] + last == pytest.approx(sent, rel=1e-9, abs=1e-6)


@given(random_jobs(), st.lists(st.floats(0, 100), min_size=12, max_size=12))
def test_juice_of_all_jobs_at_once_is_the_juice_of_the_core(job: SimJob, numbers: list[float]) -> None:
    layout = lay_out([job])
    size = len(job.operators)
    done = np.array(numbers[:size])
    arrived = np.array([numbers[6 + n % 6] for n in range(size)])
    place = {operator.name: n for n, operator in enumerate(job.operators)}
    ratio = np.where(arrived > 1e-9, np.minimum(done / np.maximum(arrived, 1e-9), 1.0), 1.0)
    sent = {edge: job.selectivity[edge] * 100.0 for edge in job.topology.edges}
    executed = {edge: sent[edge] * float(ratio[place[edge[1]]]) for edge in sent}
    # Where a parent sends nothing the core counts its share as processed; so must what comes after it be.
    executed_all = all(value > 0 for value in sent.values())
    taken = {source: (float(ratio[place[source]]), 1.0) for source in job.topology.sources}
    if executed_all:
        expected = juice(job.topology, sent, executed, taken=taken).total
        assert juice_by_job(layout, arrived, done)[0] == pytest.approx(expected)


@given(st.lists(random_jobs(), min_size=1, max_size=3, unique_by=lambda job: job.name), st.integers(0, 99))
def test_the_same_seed_gives_the_same_run(jobs: list[SimJob], seed: int) -> None:
    def outcome() -> Snapshot:
        cluster = ContinuousCluster(jobs, SimCluster(machines=3, cores=2, noise=0.05), seed=seed)
        cluster.advance_to(40.0)
        return cluster.observe(40.0)

    assert repr(outcome()) == repr(outcome())


def test_the_machines_loads_are_worked_out_once_for_all_jobs_that_begin_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worked_out: list[int] = []
    replaced = Physics.replaced

    def counted(physics: Physics) -> None:
        worked_out.append(physics.layout.size)
        replaced(physics)

    monkeypatch.setattr(Physics, "replaced", counted)
    ContinuousCluster([line(f"j{i}") for i in range(50)], QUIET)
    assert len(worked_out) == 2  # at rest, and with all of them


def test_a_machine_that_came_back_and_one_whose_job_ended_are_as_empty_as_they_are() -> None:
    jobs = (line("a"), line("b", ends_at_s=30.0))
    cluster = run(*jobs, until_s=40.0, faults=(Fault("machine", 10.0, for_s=10.0, target=0),))
    cluster.apply([Step("a", (Tasks("a", "work", 2, 6),))])  # 4 threads of a are on machine 1, none on machine 0
    cluster.advance_to(100.0)
    first, second = (machine.memory_share for machine in cluster.observe(100.0).machines)
    assert first == pytest.approx(second)


def test_the_machines_loads_are_worked_out_once_for_all_jobs_that_are_changed_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = ContinuousCluster([line(f"job-{number}", 1.0) for number in range(20)], QUIET)
    cluster.advance_to(5.0)
    worked_out, replaced = list[int](), Physics.replaced

    def counted(physics: Physics) -> None:
        worked_out.append(physics.layout.size)
        replaced(physics)

    monkeypatch.setattr(Physics, "replaced", counted)
    cluster.apply([Step(f"job-{number}", (Tasks(f"job-{number}", "work", 2, 3),)) for number in range(20)])
    assert len(worked_out) == 1
