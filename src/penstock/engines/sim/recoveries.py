"""How long failed jobs take to be back where they were."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

BACK_WITHIN = 1.05  # of the backlog before the failure


@dataclass(slots=True)
class JobRecovery:
    """One job's way back from a failure; `seconds` is None until it is back."""

    job: int
    at_s: float
    rate_per_step: float
    backlog_before: float
    seconds: float | None = None


@dataclass(slots=True)
class Recoveries:
    """All failures of a run."""

    found: list[JobRecovery] = field(default_factory=list)

    def begin(self, recovery: JobRecovery) -> None:
        """A job failed."""
        self.found.append(recovery)

    def watch(self, now: float, down_until: Sequence[float], backlog: Callable[[int], float]) -> None:
        """See who is back: running again, with no more waiting than before and one step's arrivals."""
        for recovery in self.found:
            if recovery.seconds is not None or now < down_until[recovery.job]:
                continue
            if backlog(recovery.job) <= BACK_WITHIN * recovery.backlog_before + recovery.rate_per_step:
                recovery.seconds = now - recovery.at_s

    def told(self, names: Sequence[str], targets: Mapping[str, float | None], step_s: float) -> list[dict[str, object]]:
        """As `simulate --json` reports them."""
        return [
            {
                "at": recovery.at_s,
                "seconds": recovery.seconds,
                "rate": recovery.rate_per_step / step_s,
                "target": targets.get(names[recovery.job]),
            }
            for recovery in self.found
        ]
