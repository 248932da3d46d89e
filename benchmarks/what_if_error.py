"""How far what-if is off: recorded runs on Spark played on from their middle, and what really came.

    python benchmarks/what_if_error.py benchmarks/recorded/*.jsonl

The views of the first half are rebuilt from the recording, services are learnt from them alone, and the second half is
simulated with the arrivals that came. "Off" is the mean distance between both utilities, round by round, in points.
"""

import argparse
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from against_spark import decider_of, recordings
from recorded_twin import Recording

from penstock.analysis.assess import assess
from penstock.core.levers import Dial
from penstock.core.seen.batches import TOLD, BatchFigures
from penstock.core.seen.figures import (
    ALL_OPERATORS,
    JobFigures,
    LatencyFigures,
    MachineFigures,
    OperatorFigures,
    Snapshot,
    StageFigures,
)
from penstock.core.seen.view import View
from penstock.engines.sim.microbatch import MicroBatchJob
from penstock.simulation.twins import Twin, twin_named
from penstock.whatif.question import Past, SimulatorTrial
from penstock.whatif.service import learnt
from penstock.whatif.trial import tried

WINDOW_S = 10.0
MEASURE_FROM_S = 10.0
START_S = 5.0  # of queries: by so much are their arrivals behind the run's clock
CORES = 2
WITHIN_S = 120.0


def views_of(recording: Recording, like: Twin) -> list[View]:
    """What was seen in each round, as far as the recording tells."""
    by_hand = like.by_hand if recording["policy"] == "static" else {}
    views = []
    for turn in recording["rounds"]:
        jobs = tuple(_figures(job, by_hand.get(job.name, 1), turn, recording) for job in like.jobs)
        machine = MachineFigures("localhost", CORES, turn["load"], executors=1, slots=like.cluster.slots)
        views.append(assess(Snapshot(turn["at_s"], jobs, (machine,)), like.intents))
    return views


def trial_of(recording: Recording) -> SimulatorTrial | None:
    """The second half of what counts, by who knows the first."""
    like = twin_named(recording["case"], round(recording["seconds"]))
    views = views_of(recording, like)
    middle_s = (MEASURE_FROM_S + views[-1].at_s) / 2
    before = [view for view in views if view.at_s <= middle_s]
    after, earlier = views[len(before) :], before[-1]
    span_s = after[-1].at_s - earlier.at_s
    arrivals = {
        job.name: [_arriving(job, earlier.at_s + second) for second in range(int(span_s) + 1)] for job in like.jobs
    }
    past = Past(span_s, arrivals, like.interval_s, learnt(before, like.cluster.slots))
    policy = decider_of(recording).replace("by hand", "static")
    real = [(view.at_s - earlier.at_s, view.utility / view.max_utility) for view in after]
    by_job = {job.name: statistics.mean(_share(view, job.name) for view in after) for job in like.jobs}
    return tried(earlier, past, policy, real, by_job, WITHIN_S)


def _share(view: View, name: str) -> float:
    job = view.job(name)
    return (job.utility or 0.0) / job.max_utility


def _arriving(job: MicroBatchJob, at_s: float) -> float:
    return float(job.arrivals[min(len(job.arrivals) - 1, max(0, int(at_s - START_S)))])


def _figures(job: MicroBatchJob, threads: int, turn: Mapping[str, Any], recording: Recording) -> JobFigures:
    seen = turn["jobs"][job.name]
    told = [BatchFigures(**batch) for batch in recording["batches"][job.name] if batch["ended_s"] <= turn["at_s"]]
    recent = [batch for batch in told if batch.ended_s > turn["at_s"] - WINDOW_S]
    span_s = told[-1].ended_s - (recent[0].ended_s - recent[0].took_s) if recent else 1.0
    return JobFigures(
        name=job.name,
        operators=(OperatorFigures(ALL_OPERATORS, threads, is_source=True, max_threads=job.max_threads),),
        latency=None if seen["latency_s"] is None else LatencyFigures(seen["latency_s"]),
        juice=seen["juice"],
        arrival_rps=_arriving(job, turn["at_s"]),
        processed_rps=sum(batch.rows for batch in recent) / span_s if recent else None,
        backlog_rows=seen["backlog_rows"],
        max_threads=job.max_threads,
        checkpoint_s=(told[-1].ended_s - told[0].ended_s) / (len(told) - 1) if len(told) > 1 else None,
        phases_s={"triggerExecution": statistics.mean(batch.took_s for batch in told)} if told else {},
        stages=_stages(recent),
        levers=(Dial("trigger", job.name, job.trigger_s, 0.0),),
        batches=tuple(told[-TOLD:]),
    )


def _stages(recent: list[BatchFigures]) -> tuple[StageFigures, ...]:
    busy_s = sum(batch.busy_s or 0.0 for batch in recent)
    if not recent or not recent[-1].tasks:
        return ()
    return (StageFigures("work", recent[-1].tasks, round(sum(batch.rows for batch in recent)), 0, busy_s),)


def main() -> None:
    """Print a line for each run, and the median."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("files", nargs="+", type=Path)
    print("| case | policy | Spark | what-if | off, points |\n|---|---|---|---|---|", flush=True)
    offs = []
    for recording in recordings(parser.parse_args().files):
        trial = trial_of(recording)
        if trial is None or trial.future.mean_share is None:
            continue
        offs.append(100.0 * trial.off)
        cells = (f"{trial.real_share:.3f}", f"{trial.future.mean_share:.3f}", f"{offs[-1]:.1f}")
        print(f"| {' | '.join((recording['case'], recording['policy'], *cells))} |", flush=True)
    print(f"\nMedian of {len(offs)} runs: {statistics.median(offs):.1f} points.")


if __name__ == "__main__":
    main()
