"""Cycles, as far as verdicts need them: what each tenant had and asked for, and what that was over a while."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from penstock.core.asked.intents import Intent
from penstock.core.run import asked_latency_s
from penstock.core.seen.view import View


@dataclass(frozen=True, slots=True)
class CycleFigures:
    """The utilities of one cycle, of those jobs whose figures were recent, and more of those that are watched.

    `asked` is what each job asked for then, which its utility is of.
    """

    at_s: float
    utilities: Mapping[str, float]
    asked: Mapping[str, Intent]
    latencies_s: Mapping[str, float] = field(default_factory=dict)
    juices: Mapping[str, float] = field(default_factory=dict)
    arrivals_rps: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, view: View, watched: Collection[str]) -> "CycleFigures":
        """What the view says of it; of those that are `watched` also what they are compared by beside utility."""
        fresh = [job for job in view.jobs if job.fresh]
        seen = [job for job in fresh if job.name in watched]
        return cls(
            view.at_s,
            utilities={job.name: job.utility / job.urgency for job in fresh if job.utility is not None},
            asked={job.name: job.stated for job in view.jobs},
            latencies_s={job.name: found for job in seen if (found := asked_latency_s(job)) is not None},
            juices={job.name: job.figures.juice for job in seen if job.figures.juice is not None},
            arrivals_rps={job.name: rps for job in fresh if (rps := job.figures.arrival_rps) is not None},
        )


def mean_utility(name: str, asked: Intent, cycles: Iterable[CycleFigures]) -> float | None:
    """Its utility of what was asked then; what it had of another intent is another figure."""
    return mean_of([seen.utilities[name] for seen in cycles if name in seen.utilities and seen.asked[name] == asked])


def arrivals_rps(names: Iterable[str], cycles: Sequence[CycleFigures]) -> float | None:
    """The rows that arrive at them together, as far as that is known of each."""
    means = [mean_of([one.arrivals_rps[name] for one in cycles if name in one.arrivals_rps]) for name in names]
    known = [mean for mean in means if mean is not None]
    return sum(known) if known and len(known) == len(means) else None


def mean_of(known: Sequence[float]) -> float | None:
    """None of nothing."""
    return fmean(known) if known else None
