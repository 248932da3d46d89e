"""Figures turned into simulated jobs that would show the same figures."""

from dataclasses import replace

from penstock.core.figures import JobFigures, LatencyFigures, OperatorFigures
from penstock.core.intents import Intent, Latency
from penstock.core.levers import Dial
from penstock.core.view import JobView, View
from penstock.engines.sim.microbatch.spec import MicroBatchJob
from penstock.store.codec import decode, encode
from penstock.whatif.calibration import micro_batch_jobs

FIGURES = JobFigures(
    "ads",
    (OperatorFigures("*", 2, busy_share=0.5),),
    latency=LatencyFigures(3.0),
    arrival_rps=100.0,
    processed_rps=100.0,
    phases_s={"addBatch": 0.5},
)


def simulated(figures: JobFigures) -> MicroBatchJob:
    seen = JobView(figures, Intent(Latency("2s", utility=10)), 5.0, met=False, fresh=True)
    (job,) = micro_batch_jobs(View(60.0, (seen,), (), 5.0, 10.0), {}, slots=4, services={})
    return job


def test_levers_that_the_engine_tells_of_stand_as_it_tells_and_others_as_latency_suggests() -> None:
    levers = (Dial("trigger", "ads", 5.0, 0.0), Dial("bound", "ads", 400.0, 1))
    told, guessed = simulated(replace(FIGURES, levers=levers)), simulated(FIGURES)
    assert (told.trigger_s, told.max_rows_per_batch) == (5.0, 400)
    # Latency at rest is half a trigger and one and a half batches: 2 (3 - 1.5 x 0.5) s.
    assert (guessed.trigger_s, guessed.max_rows_per_batch) == (4.5, None)


def test_a_bound_that_was_stored_is_a_whole_number_again() -> None:
    stored = decode(encode(Dial("bound", "ads", 400, 1)), Dial)
    assert (stored.now, type(stored.now)) == (400, float)
    assert repr(simulated(replace(FIGURES, levers=(stored,))).max_rows_per_batch) == "400"
