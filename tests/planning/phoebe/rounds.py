"""What a policy sees of jobs that keep up, and what it changes."""

from collections.abc import Sequence

from penstock.core.asked.intents import Intent, Latency
from penstock.core.plan import Decision
from penstock.core.seen.figures import ALL_OPERATORS, JobFigures, LatencyFigures, OperatorFigures
from penstock.core.seen.view import JobView, View


def seen(rate: float, executors: int, name: str = "a", recovery: str | None = "180s", **more: object) -> JobView:
    usual: dict[str, object] = {"up_s": 5000.0, "backlog_rows": 0.0, "latency": LatencyFigures(1.05)}
    cpu = more.pop("cpu_share", None)
    unit = OperatorFigures(ALL_OPERATORS, executors, cpu_share=cpu, max_threads=24)  # type: ignore[arg-type]
    figures = JobFigures(name, (unit,), arrival_rps=rate, processed_rps=rate, **{**usual, **more})  # type: ignore[arg-type]
    intent = Intent(Latency("2s", utility=10), recovery=recovery, certainty=None)
    return JobView(figures, intent, 10.0, True, True)


def view(at_s: float, *jobs: JobView, max_threads: int | None = 24) -> View:
    return View(at_s, jobs, (), 10.0 * len(jobs), 10.0 * len(jobs), max_threads)


def changes_of(decisions: Sequence[Decision]) -> list[int]:
    return [move.after for decision in decisions for move in decision.thread_moves]
