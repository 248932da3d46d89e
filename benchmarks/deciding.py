"""How long one whole decision of the default policy takes, by how many jobs share the slots: time on a core.

python benchmarks/deciding.py [--jobs 4 12 25 100 1000 10000] [--repeats 5]

Jobs of all sizes want a fifth more than the cores can do, so that many miss their targets and the whole search is made.
Measured are two rounds: the first with figures of all jobs, ten batches of each, and one a minute later, when what was
decided has come and shown, with two batches more of each. Cycles of objects are looked for as often as `penstock
coordinate` does.
"""

import argparse
import random
import statistics
import time
from collections.abc import Mapping, Sequence

from penstock.cli.coordinate import collect_seldom
from penstock.core.asked.intents import Intent, Juice, Latency
from penstock.core.levers import BatchBound, Dial, Shows, Slots, Trigger
from penstock.core.seen.batches import BatchFigures
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, LatencyFigures, MachineFigures, OperatorFigures
from penstock.core.seen.view import JobView, View, snapshot_of
from penstock.planning.registry import policy_named
from penstock.store.codec import encode
from penstock.store.fitting import LeftOut, snapshot_text

BATCHES = 10
LATER_S = 60
TASKS = 4
TASK_S = 0.01
WANTED = 1.2  # of the cores
CORES_A_JOB = 0.5
ROW_S = 0.002


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, nargs="+", default=[4, 12, 25, 100, 1_000, 10_000])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    collect_seldom()
    decided(4, 0)
    print("| jobs | levers turned | a first decision, s | a round a minute later, s | largest cell of a store, MiB |")
    print("|---|---|---|---|---|")
    for jobs in options.jobs:
        first, again, turned, cells = zip(*(decided(jobs, seed) for seed in range(options.repeats)), strict=True)
        times = f"{_range(first)} | {_range(again)}"
        print(f"| {jobs:,} | {statistics.median(turned):.0f} | {times} | {max(cells) / (1 << 20):.1f} |", flush=True)


def decided(jobs: int, seed: int) -> tuple[float, float, int, int]:
    """Seconds of a core for a first decision over so many jobs and for the round after it, the levers turned, and how
    many characters the largest cell has that a store keeps of the two, before it is deflated.
    """
    policy = policy_named("penstock")
    draw = random.Random(seed)
    parts = [draw.lognormvariate(0.0, 1.0) for _ in range(jobs)]
    row_rates = WANTED * CORES_A_JOB * jobs / ROW_S / sum(parts)
    tenants = [(f"job-{place}", part * row_rates, _intent(draw)) for place, part in enumerate(parts)]
    memory, took_s, turned, largest = policy.start(), [], 0, 0
    levers: dict[tuple[str, str], float | None] = {}
    for round_s in (BATCHES, BATCHES + LATER_S):
        view = _view([_job(*tenant, round_s, levers) for tenant in tenants], float(round_s))
        began_s = time.process_time()
        plan, memory = policy.decide(view, memory)
        took_s.append(time.process_time() - began_s)
        moves = [move for decision in plan.decisions for move in decision.moves]
        of_jobs = [move for move in moves if isinstance(move, Slots | BatchBound | Trigger)]
        levers.update({(move.job, move.kind): move.after for move in of_jobs})
        turned += len(moves)
        foretold = (encode(decision.foretold) for decision in plan.decisions)
        largest = max(largest, *map(len, (snapshot_text(snapshot_of(view), LeftOut()), encode(memory), *foretold)))
    return took_s[0], took_s[1], turned, largest


def _intent(draw: random.Random) -> Intent:
    utility = draw.choice((5.0, 10.0, 40.0))
    return Intent(Latency(draw.choice(("2s", "5s", "15s")), utility=utility) if draw.random() < 0.7 else Juice(0.9))


def _job(
    name: str, rate_rps: float, intent: Intent, until_s: int, levers: Mapping[tuple[str, str], float | None]
) -> JobView:
    first = 1 if until_s == BATCHES else until_s - 1
    weight = round(levers.get((name, "slots")) or 1)
    figures = JobFigures(
        name,
        operators=(OperatorFigures(ALL_OPERATORS, weight, 0.5, is_source=True),),
        latency=LatencyFigures(8.0),
        juice=0.7,
        arrival_rps=rate_rps,
        up_s=100.0,
        levers=(
            Dial("bound", name, levers.get((name, "bound")), 1, shows=Shows.NEXT_BATCH),
            Dial("trigger", name, levers.get((name, "trigger")) or 1.0, 0.0, shows=Shows.NEXT_BATCH),
        ),
        batches=tuple(_batch(number, rate_rps) for number in range(first, until_s + 1)),
    )
    return JobView(figures, intent, 0.4 * intent.max_utility, False, True)


def _batch(number: int, rate_rps: float) -> BatchFigures:
    rows = rate_rps * (1.0 + 0.1 * (number % 3))
    busy_s = TASKS * TASK_S + rows * ROW_S
    return BatchFigures(
        number,
        float(number),
        rows=rows,
        left_rows=2.0 * rows,
        took_s=0.2 + 2.0 * busy_s / TASKS,
        stages=1,
        tasks=TASKS,
        busy_s=busy_s,
        cpu_s=busy_s,
        staged_s=2.0 * busy_s / TASKS,
    )


def _view(jobs: Sequence[JobView], at_s: float) -> View:
    cores = max(2, round(CORES_A_JOB * len(jobs)))
    machine = MachineFigures("here", cores, 1.0, slots=2 * cores)
    return View(
        at_s, tuple(jobs), (machine,), sum(job.utility or 0.0 for job in jobs), sum(job.max_utility for job in jobs)
    )


def _range(took_s: Sequence[float]) -> str:
    return f"{statistics.median(took_s):.3f} [{min(took_s):.3f} to {max(took_s):.3f}]"


if __name__ == "__main__":
    main()
