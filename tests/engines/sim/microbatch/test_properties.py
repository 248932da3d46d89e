"""Laws that hold for any jobs and any faults: no row is lost or counted twice, the same seed gives the same bytes."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.seen.figures import JobFigures
from penstock.engines.sim.microbatch import (
    MicroBatchCluster,
    MicroBatchEngine,
    MicroBatchFault,
    MicroBatchJob,
    MicroBatchStage,
)
from tests.engines.sim.microbatch.builders import to_threads

RUN_S = 40
NAMES = ("a", "b", "c")


@dataclass(frozen=True)
class Scene:
    cluster: MicroBatchCluster
    jobs: tuple[MicroBatchJob, ...]
    faults: tuple[MicroBatchFault, ...]

    def engine(self) -> MicroBatchEngine:
        return MicroBatchEngine(self.cluster, self.jobs, self.faults)


stages = st.builds(
    MicroBatchStage,
    name=st.just("stage"),
    partitions=st.integers(1, 6),
    cpu_s_per_row=st.floats(0.0, 0.02),
    wait_s_per_row=st.floats(0.0, 0.02),
    task_overhead_s=st.floats(0.0, 0.1),
)


def job_named(name: str) -> st.SearchStrategy[MicroBatchJob]:
    return st.builds(
        MicroBatchJob,
        name=st.just(name),
        stages=st.lists(stages, min_size=1, max_size=3).map(tuple),
        arrivals=st.lists(st.floats(0.0, 200.0), max_size=RUN_S).map(lambda rows: np.array(rows, dtype=float)),
        trigger_s=st.sampled_from([0.0, 0.3, 1.0, 7.0]),
        max_rows_per_batch=st.none() | st.integers(1, 300),
        threads=st.integers(1, 5),
        starts_at_s=st.floats(0.0, 10.0),
        ends_at_s=st.just(float("inf")) | st.floats(11.0, 40.0),
        restart_s=st.floats(0.0, 10.0),
    )


clusters = st.builds(
    MicroBatchCluster,
    slots=st.integers(2, 8),
    cores=st.integers(2, 8),
    machines=st.integers(1, 2),
    scheduling=st.sampled_from(["fifo", "fair"]),
    context_switch=st.floats(0.0, 0.1),
    interference=st.floats(0.0, 0.5),
    noise=st.floats(0.0, 0.5),
    seed=st.integers(0, 99),
)
times = st.floats(0.0, RUN_S)
job_faults = st.builds(MicroBatchFault, st.just("job"), times, target=st.just("a"))
lasting = st.floats(0.1, 20.0)
machine_faults = st.builds(MicroBatchFault, st.just("machine"), times, lasting, st.just("machine-0"))
loads = st.builds(MicroBatchFault, st.just("interference"), times, lasting, st.none(), st.floats(0.0, 8.0))
faults = st.lists(job_faults | machine_faults | loads, max_size=4).map(tuple)
jobs = st.integers(1, 3).flatmap(lambda number: st.tuples(*(job_named(name) for name in NAMES[:number])))
scenes = st.builds(Scene, clusters, jobs, faults)
moments = st.lists(times, min_size=1, max_size=5).map(sorted)


@given(scenes, moments)
@settings(deadline=None, max_examples=60)
def test_at_any_moment_every_row_is_processed_or_open_or_queued_and_all_figures_are_possible(
    scene: Scene, moments: list[float]
) -> None:
    engine = scene.engine()
    processed = dict.fromkeys(NAMES, 0)
    for at_s in moments:
        for figures in engine.observe(at_s).jobs:
            are_possible(figures)
        for job in scene.jobs:
            counts = engine.rows(job.name)
            assert counts.arrived == counts.processed + counts.in_batch + counts.queued
            assert min(counts.processed - processed[job.name], counts.in_batch, counts.queued) >= 0
            processed[job.name] = counts.processed


def are_possible(figures: JobFigures) -> None:
    """Shares lie between 0 and 1, and latency is never negative."""
    unit = figures.operators[0]
    for share in (figures.juice, unit.capacity, unit.busy_share, unit.cpu_share):
        assert share is None or 0.0 <= share <= 1.0
    if figures.latency is not None:
        values = [value for _, value in figures.latency.quantiles]
        assert values == sorted(values)
        assert min(figures.latency.mean_s, *values) >= 0.0


@given(scenes, moments)
@settings(deadline=None, max_examples=30)
def test_the_same_seed_gives_the_same_bytes_however_time_is_cut(scene: Scene, moments: list[float]) -> None:
    straight, stepwise = scene.engine(), scene.engine()
    for at_s in moments:
        stepwise.advance_to(at_s)
    assert repr(straight.observe(RUN_S)) == repr(stepwise.observe(RUN_S))


@given(scenes, st.integers(1, 9), times)
@settings(deadline=None, max_examples=30)
def test_applying_twice_is_applying_once(scene: Scene, threads: int, at_s: float) -> None:
    once, twice = scene.engine(), scene.engine()
    step = to_threads("a", 1, threads)
    for engine, steps in ((once, [step]), (twice, [step, step])):
        engine.advance_to(at_s)
        engine.apply(steps)
    assert repr(once.observe(RUN_S)) == repr(twice.observe(RUN_S))
