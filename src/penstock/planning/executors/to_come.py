"""Executors kept for applications that are listed and have not come: who begins early gets no more than its share.

What is given to whoever is there comes back late: one that works on its first batch takes half a minute to let an
executor go. So of what nobody holds the share by worth of each that is to come is given to nobody, but to those that
need it to live at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from penstock.core.asked.coming import ListedApplication, ToCome
from penstock.core.naming import together
from penstock.planning.executors.claims import Claim, TenantsOf


@dataclass(frozen=True, slots=True)
class KeptForListed:
    """So many executors, and the cores that these have, for applications of these names."""

    names: tuple[str, ...] = ()
    executors: int = 0
    cores: int = 0

    @property
    def text(self) -> str:
        """Said beside what was decided; empty where nothing is kept.

        >>> KeptForListed(("fraud", "payments"), 3, 3).text
        'keeps 3 executors for fraud and payments, which are listed and have not come'
        """
        if not self.executors:
            return ""
        one = len(self.names) == 1
        verbs = "is listed and has not come" if one else "are listed and have not come"
        executors = "1 executor" if self.executors == 1 else f"{self.executors} executors"
        names = together(self.names)
        return f"keeps {executors} for {names}, which {verbs}"


def kept_for_listed(to_come: ToCome, tenants: TenantsOf, claims: Sequence[Claim], slots: int) -> KeptForListed:
    """Of what nobody holds the share by worth of each that is to come, at least what it is to have.

    One of which nobody says what it counts for counts for as much as the others do on average. How many cores an
    executor of theirs has is not known before they are there: as many as the smallest of those that are.
    """
    if not to_come.applications:
        return KeptForListed()
    each = min((claim.cores for claim in claims), default=1)
    spare = slots - sum(max(claim.now, claim.least) * claim.cores for claim in claims)
    shares = _shares(to_come.applications, tenants, slots // each)
    executors = max(0, min(spare // each, sum(shares)))
    return KeptForListed(tuple(one.name for one in to_come.applications), executors, executors * each)


def _shares(applications: Sequence[ListedApplication], tenants: TenantsOf, executors: int) -> list[int]:
    there = [sum(job.max_utility for job in jobs) for jobs in tenants.values()]
    said = [*there, *(one.utility for one in applications if one.utility is not None)]
    usual = fmean(said) if said else 1.0
    worths = [usual if one.utility is None else one.utility for one in applications]
    total = sum(there) + sum(worths)
    return [
        max(1, one.least, min(one.most, int(executors * worth / max(total, 1e-9))))
        for one, worth in zip(applications, worths, strict=True)
    ]
