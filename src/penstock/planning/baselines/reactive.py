"""`reactive`: a horizontal autoscaler on CPU, one job at a time, as cluster managers ship it.

The rule is that of Kubernetes' HorizontalPodAutoscaler: wanted = ceil(current x utilisation / target), nothing
within a tolerance of 10 %, and a scale-down only to the highest wish of the last 5 minutes. Phoebe compares
itself with it at a target of 35 % CPU (section IV).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.levers import ThreadMove, thread_move
from penstock.core.plan import Decision, Plan, Reason
from penstock.core.seen.view import JobView, View
from penstock.core.units import positive


@dataclass(frozen=True, slots=True)
class ReactiveSettings:
    """The autoscaler's settings with the usual defaults."""

    cpu_target: float = 0.35  # share of a thread's time on a core
    tolerance: float = 0.1  # smaller relative deviations are ignored
    stabilization_s: float = 300.0  # a scale-down waits until this long nothing higher was wanted

    def __post_init__(self) -> None:
        positive(self.cpu_target, "cpu_target", "write a share above zero")


@dataclass(frozen=True, slots=True)
class ReactiveMemory:
    """The factors wanted lately, by job: (when, threads wanted)."""

    wanted: Mapping[str, tuple[tuple[float, int], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reactive:
    """Scale each job so that its threads spend `cpu_target` of their time on a core."""

    settings: ReactiveSettings = ReactiveSettings()
    name: str = "reactive"

    def start(self) -> ReactiveMemory:
        """Nothing was wanted yet."""
        return ReactiveMemory()

    def decide(self, view: View, memory: ReactiveMemory) -> tuple[Plan, ReactiveMemory]:
        """Each job by itself: an autoscaler knows no budget and no neighbour."""
        wanted = dict(memory.wanted)
        decisions = []
        for job in view.jobs:
            threads = threads_wanted(job, self.settings)
            if threads is None or not job.fresh or job.figures.settling:
                continue
            since = view.at_s - self.settings.stabilization_s
            lately = (*(w for w in wanted.get(job.name, ()) if w[0] >= since), (view.at_s, threads))
            wanted[job.name] = lately
            target = threads
            if threads < job.figures.threads:
                target = min(job.figures.threads, max(count for _, count in lately))
            decision = _scaled(view, job, target)
            if decision is not None:
                decisions.append(decision)
        return Plan(tuple(decisions)), ReactiveMemory(wanted)


def threads_wanted(job: JobView, settings: ReactiveSettings) -> int | None:
    """What the rule wants for the job now; None where nobody measured its CPU."""
    used = [(op.threads, op.cpu_share) for op in job.figures.operators if op.cpu_share is not None]
    if not used:
        return None
    ratio = sum(threads * cpu for threads, cpu in used) / sum(threads for threads, _ in used) / settings.cpu_target
    if abs(ratio - 1) <= settings.tolerance:
        return job.figures.threads
    return max(len(job.figures.operators), math.ceil(job.figures.threads * ratio - 1e-9))


def _scaled(view: View, job: JobView, target: int) -> Decision | None:
    moves = scaled(job, target)
    if not moves:
        return None
    factor = target / job.figures.threads
    why = f"{job.name} spends {'more' if factor > 1 else 'less'} time on CPU than the target: x{factor:.2f} threads"
    return Decision(Reason.RESCALED, moves, why, view.at_s, view.utility)


def scaled(job: JobView, target: int) -> tuple[ThreadMove, ...]:
    """All its operators by the same factor, so that together they have about `target` threads."""
    factor = target / max(1, job.figures.threads)
    moves = (
        thread_move(job.name, op.name, op.threads, max(op.min_threads, 1, round(op.threads * factor)))
        for op in job.figures.operators
    )
    return tuple(move for move in moves if move.before != move.after)
