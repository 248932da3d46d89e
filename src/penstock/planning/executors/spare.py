"""What a fleet could do without: executors whose absence its applications foretell to miss nothing by.

Of each round what was enough is set against what was held. What is never enough at any time of a day is told apart from
what is enough for most of it: the first could be given back for good, all of it only where executors follow the load.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.asked.price import Price
from penstock.core.naming import named
from penstock.core.seen.view import JobView, View
from penstock.planning.executors.claims import Claim, claims_of

HOURS_A_MONTH = 730.0
_AS_GOOD = 0.99  # of what is foretold of the executors held


@dataclass(frozen=True, slots=True)
class Spare:
    """What was seen so far, in cores: `held` and `enough` are sums over rounds, `peaks` the most of any round."""

    began_s: float = 0.0
    until_s: float = 0.0
    rounds: int = 0
    held: float = 0.0
    enough: float = 0.0
    last: Mapping[str, int] = field(default_factory=dict)  # cores that each application holds now
    peaks: Mapping[str, int] = field(default_factory=dict)
    kept: tuple[str, ...] = ()  # who has what it asks for, and would keep it
    missed: tuple[str, ...] = ()  # who has not, with all that its application holds
    unknown: tuple[str, ...] = ()  # applications of which nobody knows yet what executors are worth to them

    def after(self, view: View) -> "Spare":
        """With another round."""
        claims = claims_of(view)
        if not claims:
            return self
        needed = {claim.name: enough(claim) * claim.cores for claim in claims}
        judged = [job for job in view.jobs if job.fresh and job.utility is not None]
        unknown = tuple(claim.name for claim in claims if not claim.worth)
        known = [job for job in judged if not any(_is_of(job, name) for name in unknown)]
        return Spare(
            self.began_s if self.rounds else view.at_s,
            view.at_s,
            self.rounds + 1,
            self.held + sum(claim.now * claim.cores for claim in claims),
            self.enough + sum(needed.values()),
            {claim.name: claim.now * claim.cores for claim in claims},
            {name: max(cores, self.peaks.get(name, 0)) for name, cores in needed.items()},
            tuple(job.name for job in known if job.met),
            tuple(job.name for job in known if not job.met),
            unknown,
        )

    @property
    def on_average(self) -> float:
        """Cores that were not needed."""
        return (self.held - self.enough) / self.rounds if self.rounds else 0.0

    @property
    def for_good(self) -> int:
        """Cores of those held now that were needed at no time."""
        return sum(max(0, cores - self.peaks.get(name, 0)) for name, cores in self.last.items())

    def text(self, price: Price | None) -> str:
        """What could be saved a month, and the SLOs that it would keep; `price` is that of a core."""
        if not self.rounds:
            return "no application has reported yet"
        seen = _duration(self.until_s - self.began_s)
        head = f"of {self.held / self.rounds:.0f} cores held on average over {seen} "
        if round(self.on_average, 1) <= 0:
            spared = "none could be spared"
        else:
            spared = f"{self.on_average:.1f} were not needed{_month(self.on_average, price)}"
            spared += f", {self.for_good} of them never{_month(self.for_good, price)}"
        return f"{head}{spared}. {self._slos()}"

    def _slos(self) -> str:
        told = [f"SLOs still met: {len(self.kept)} of {len(self.kept) + len(self.missed)}"]
        if self.missed:
            told.append(f"missed today: {named(self.missed)}")
        if self.unknown:
            told.append(f"not known yet, so unchanged: {named(self.unknown)}")
        return "; ".join(told)


def enough(claim: Claim) -> int:
    """The fewest executors, of those held, that are foretold to do as well; all where it does not do its best.

    >>> enough(Claim("clicks", 5, 1, 8, worth=((1, 4.0), (2, 10.0), (8, 10.0))))
    2
    >>> enough(Claim("fraud", 2, 1, 8, worth=((1, 0.0), (8, 40.0)))), enough(Claim("new", 3, 1, 8))
    (2, 3)
    """
    held = claim.utility(claim.now)
    if not claim.worth or held < _AS_GOOD * claim.most_utility:
        return claim.now
    counts = range(min(claim.least, claim.now), claim.now)
    return next((count for count in counts if claim.utility(count) >= _AS_GOOD * held), claim.now)


def _is_of(job: JobView, application: str) -> bool:
    return job.name == application or job.name.startswith(f"{application}/")


def _month(cores: float, price: Price | None) -> str:
    return "" if price is None else f" ({price.text(cores * price.slot_hour * HOURS_A_MONTH)} a month)"


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
