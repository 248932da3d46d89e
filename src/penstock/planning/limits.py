"""Limits: no decision gives an operator, a job or the cluster more, or less, than it may have."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from penstock.core.figures import OperatorFigures
from penstock.core.plan import Change, Decision, Plan
from penstock.core.ports import Memory, Policy
from penstock.core.view import JobView, View


def room(view: View, job: JobView) -> float:
    """How many more threads this job may be given, by its own limit and the cluster's."""
    left = float("inf")
    if job.figures.max_threads is not None:
        left = job.figures.max_threads - job.figures.threads
    if view.max_threads is not None:
        left = min(left, view.max_threads - sum(other.figures.threads for other in view.jobs))
    return max(0.0, left)


@dataclass(frozen=True, slots=True)
class WithLimits:
    """Any policy, held to the limits: the last word before a plan leaves the planning room."""

    inner: Policy

    @property
    def name(self) -> str:
        """The name of the policy it holds."""
        return self.inner.name

    def start(self) -> Memory:
        """The memory is the inner policy's."""
        return self.inner.start()

    def decide(self, view: View, memory: Memory) -> tuple[Plan, Memory]:
        """The inner policy's plan, cut down to what is allowed."""
        plan, memory = self.inner.decide(view, memory)
        if not plan.decisions:
            return plan, memory
        ledger = _Ledger.of(view)
        kept = [ledger.limited(decision) for decision in plan.decisions]
        return replace(plan, decisions=tuple(decision for decision in kept if decision.changes)), memory


@dataclass(slots=True)
class _Ledger:
    """Threads as they will stand after each change that is let through."""

    jobs: Mapping[str, JobView]
    per_job: dict[str, int]
    total: int
    max_threads: int | None

    @classmethod
    def of(cls, view: View) -> "_Ledger":
        per_job = {job.name: job.figures.threads for job in view.jobs}
        return cls({job.name: job for job in view.jobs}, per_job, sum(per_job.values()), view.max_threads)

    def limited(self, decision: Decision) -> Decision:
        # What is taken away is booked first, so that it can be given to another in the same decision.
        shrinking_first = sorted(decision.changes, key=lambda change: change.after > change.before)
        kept = [self._limited(change) for change in shrinking_first]
        return replace(decision, changes=tuple(change for change in kept if change.after != change.before))

    def _limited(self, change: Change) -> Change:
        job = self.jobs[change.job]
        operator = job.figures.operator(change.operator)
        now = operator.threads
        if change.after > now:
            # What is over its limits already is not made to grow, nor does a wish for more shrink it.
            after = max(now, min(change.after, int(min(now + self._room(job), _highest(operator)))))
        else:
            after = min(now, max(change.after, operator.min_threads))
        self.per_job[change.job] += after - now
        self.total += after - now
        return replace(change, before=now, after=after)

    def _room(self, job: JobView) -> float:
        left = float("inf")
        if job.figures.max_threads is not None:
            left = job.figures.max_threads - self.per_job[job.name]
        if self.max_threads is not None:
            left = min(left, self.max_threads - self.total)
        return max(0.0, left)


def _highest(operator: OperatorFigures) -> float:
    return float(2**31) if operator.max_threads is None else operator.max_threads
