"""What each application says of its executors: how many it may have, and what so many would be worth to it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from penstock.core.levers import WHOLE, Dial
from penstock.core.seen.view import JobView, View
from penstock.planning.executors.reserve import Reserve
from penstock.planning.executors.worth import ExecutorWorth, worth_of

TenantsOf = Mapping[str, Sequence[JobView]]  # of each application

MOST = 100_000  # executors of one application, where nobody sets a bound


@dataclass(frozen=True, slots=True)
class Claim:
    """One application. `now` is what it holds or was promised; `worth` pairs of executors and utility, rising in the
    first; empty where nobody knows: then it keeps what it has. `cores` are those of one executor. By `unsure` of
    utility what it says may be wrong. `awaited` is utility that it says it will have with what it holds, and has not
    yet: until then that may just as well be too little, and whoever takes some of it away is to gain more than that.
    All utility is as it counts here, `times` the worth that was stated: error budgets that run low make it more.
    `reserve` is what executors count for beside that, where a rise of its load is reckoned with. `own` are executors
    that nobody takes from it who works off his start, where it works off its own; None where it does not.
    """

    name: str
    now: int
    least: int
    most: int
    cores: int = 1
    worth: ExecutorWorth = ()
    unsure: float = 0.0
    awaited: float = 0.0
    times: float = 1.0
    reserve: Reserve = Reserve()
    own: int | None = None

    def utility(self, executors: int) -> float:
        """What so many are foretold to give.

        >>> [Claim("ads", 1, 1, 4, worth=((1, 0.0), (3, 10.0))).utility(count) for count in (1, 2, 3, 4)]
        [0.0, 5.0, 10.0, 10.0]
        """
        return worth_of(self.worth, executors)

    @property
    def most_utility(self) -> float:
        """What it would have with all that it may have."""
        return max((value for _, value in self.worth), default=0.0)


def is_of_many(view: View) -> bool:
    """Whether the view is of many applications, each with executors of its own."""
    return any(_is_claim(dial) for dial in view.levers)


def claims_of(view: View) -> tuple[Claim, ...]:
    """All claims, by name, in the worth that their tenants count for here."""
    claims = sorted((_claim(dial) for dial in view.levers if _is_claim(dial)), key=lambda claim: claim.name)
    if all(job.urgency == 1.0 for job in view.jobs):
        return tuple(claims)
    tenants = tenants_of(view, [claim.name for claim in claims])
    return tuple(_pressed(claim, tenants[claim.name]) for claim in claims)


def tenants_of(view: View, names: Iterable[str]) -> TenantsOf:
    """Those of each application: it is called as its one tenant, or stands before a stroke in the names of several."""
    found: dict[str, list[JobView]] = {name: [] for name in names}
    for job in view.jobs if found else ():
        name = job.name
        while name and name not in found:
            name = name.rpartition("/")[0]
        if name:
            found[name].append(job)
    return found


def _is_claim(dial: Dial) -> bool:
    return dial.kind == "executors" and dial.job != WHOLE


def _claim(dial: Dial) -> Claim:
    now = dial.now if dial.asked is None else dial.asked
    most = MOST if dial.most is None else int(dial.most)
    return Claim(dial.job, int(now or 0), int(dial.least), most, dial.costs, _rising(dial.worth))


def _pressed(claim: Claim, tenants: Sequence[JobView]) -> Claim:
    """Agents claim in the worth that was stated; error budgets that run low make that count for more, once, here."""
    stated = sum(job.max_utility / job.urgency for job in tenants)
    if not stated:
        return claim
    times = sum(job.max_utility for job in tenants) / stated
    return replace(claim, worth=tuple((executors, times * utility) for executors, utility in claim.worth), times=times)


def _rising(worth: ExecutorWorth) -> ExecutorWorth:
    """More executors are never worth less: what is foretold to fall with them is noise of the foretelling."""
    found: list[tuple[float, float]] = []
    for executors, utility in sorted(worth):
        found.append((executors, max(utility, found[-1][1]) if found else utility))
    return tuple(found)
