"""Figures turned into simulated jobs that would show the same figures."""

from dataclasses import replace

import numpy as np
import pytest

from penstock.core.asked.intents import Intent, Latency
from penstock.core.levers import Dial
from penstock.core.seen.figures import JobFigures, LatencyFigures, MachineFigures, OperatorFigures
from penstock.core.seen.view import JobView, View
from penstock.engines.sim.microbatch.spec import MicroBatchJob
from penstock.store.codec import decode, encode
from penstock.whatif.calibration import foreign_load, lead_in_s, micro_batch_cluster, micro_batch_jobs
from penstock.whatif.service import Service, StageService

FIGURES = JobFigures(
    "ads",
    (OperatorFigures("*", 2, busy_share=0.5),),
    latency=LatencyFigures(3.0),
    arrival_rps=100.0,
    processed_rps=100.0,
    phases_s={"addBatch": 0.5},
)


def a_view(figures: JobFigures, *machines: MachineFigures) -> View:
    seen = JobView(figures, Intent(Latency("2s", utility=10)), 5.0, met=False, fresh=True)
    return View(60.0, (seen,), machines, 5.0, 10.0)


def simulated(figures: JobFigures) -> MicroBatchJob:
    (job,) = micro_batch_jobs(a_view(figures), {}, slots=4, services={})
    return job


def test_levers_that_the_engine_tells_of_stand_as_it_tells_and_others_as_latency_suggests() -> None:
    levers = (Dial("trigger", "ads", 5.0, 0.0), Dial("bound", "ads", 400.0, 1), Dial("piece", "ads", 50.0, 1))
    told, guessed = simulated(replace(FIGURES, levers=levers)), simulated(FIGURES)
    assert (told.trigger_s, told.max_rows_per_batch) == (5.0, 400)
    assert (told.cuttable, told.max_rows_per_task) == (True, 50)
    # Latency at rest is half a trigger and one and a half batches: 2 (3 - 1.5 x 0.5) s.
    assert (guessed.trigger_s, guessed.max_rows_per_batch) == (4.5, None)
    assert (guessed.cuttable, guessed.max_rows_per_task) == (False, None)


def test_a_bound_that_was_stored_is_a_whole_number_again() -> None:
    stored = decode(encode(Dial("bound", "ads", 400, 1)), Dial)
    assert (stored.now, type(stored.now)) == (400, float)
    assert repr(simulated(replace(FIGURES, levers=(stored,))).max_rows_per_batch) == "400"


def test_rows_that_wait_have_waited_as_long_as_so_many_take_to_arrive() -> None:
    # It falls behind by 20 rows a second: of the 700 that wait, 300 did 20 s before, and had come within 3 s.
    view = a_view(replace(FIGURES, processed_rps=80.0, backlog_rows=700.0))
    assert lead_in_s(view, warm_up_s=20.0) == 3
    (job,) = micro_batch_jobs(view, {"ads": [100.0] * 30}, 4, {}, lead_s=5, warm_up_s=20.0)
    assert job.restart_s == 5.0
    assert job.arrivals[:6].tolist() == [0.0, 0.0, 100.0, 100.0, 100.0, 100.0]
    assert np.all(job.arrivals[6:] == 100.0)


def test_machines_have_their_own_cores_and_not_as_many_as_slots() -> None:
    machines = [MachineFigures(name, cores=2, slots=4) for name in ("a", "b")]
    cluster = micro_batch_cluster(a_view(FIGURES, *machines), 8, "governed")
    assert (cluster.slots, cluster.cores, cluster.machines) == (8, 4, 2)


def test_load_that_is_not_of_the_jobs_stays() -> None:
    services = {"ads": Service((StageService(4, 0.01, 0.0),), 0.1, 0.0, None, core_share=0.5)}
    # 100 rows/s x 10 ms x 0.5 is half a core; with five runnable threads on two cores it takes 2.5 times as long.
    load = foreign_load(a_view(FIGURES, MachineFigures("a", cores=2, load=5.0)), services)
    assert load == pytest.approx(5.0 - 0.5 * 2.5)
