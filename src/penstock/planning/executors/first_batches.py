"""Applications whose first batches do not end: nobody knows what executors are worth to them before these have.

After an outage it may hold hours of rows, and one executor work on it for as long; and in a fleet that starts those
that are known first are not those that matter most. What nobody uses goes to them where it is worth more there than to
those that are known, twice as many each time; nobody else is to give anything for what is not known. Whoever has begun
just now gets its share by worth at once: while its driver starts rows wait for it, and its first batches are dear. Who
is not known either lends it what he holds beyond his own share, and who is known what he does as well without.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from penstock.core.seen.view import JobView
from penstock.planning.executors.claims import Claim, TenantsOf

_BUSY = 0.8  # of its slots' time: who has fewer tasks than that makes no use of more executors
_AS_GOOD = 0.999  # of what is foretold of the executors held: less than that is lost by foretelling itself
_NEW_S = 60.0  # until a query's first batch has begun, on a machine on which all begin at once
_HALVED_S = 8.0  # a little less than the usual 10 s between rounds, which come sooner while somebody begins


@dataclass(frozen=True, slots=True)
class KeptHalf:
    """Of what nobody held half was kept for those who are to begin yet: so many cores, since then."""

    at_s: float
    cores: int

    @classmethod
    def of(cls, spare: int, at_s: float, before: "KeptHalf | None") -> "KeptHalf":
        """Half of what is spare now, or what was kept a moment ago: rounds that follow one another halve once.

        The odd one is kept: halved to nothing, the last to begin would have none to begin with.

        >>> first = KeptHalf.of(13, at_s=4.0, before=None)
        >>> first.cores, KeptHalf.of(5, at_s=6.0, before=first).cores, KeptHalf.of(5, at_s=12.0, before=first).cores
        (7, 7, 3)
        """
        if before is not None and before.at_s <= at_s < before.at_s + _HALVED_S:
            return before
        return cls(at_s, (max(0, spare) + 1) // 2)

    def kept(self, spare: int) -> int:
        """Of the cores that nobody holds, those that are kept."""
        return max(0, min(spare, self.cores))

    def left(self, spare: int) -> int:
        """Of the cores that nobody holds, those that may go to who is not known at once."""
        return max(0, spare) - self.kept(spare)


def lent(tenants: TenantsOf, claims: Sequence[Claim], resting: Set[str], slots: int, free: int) -> Mapping[str, int]:
    """Executors that are lent to those who have begun just now and lack some of their share, the most first.

    Those who are not known either lend what they hold beyond their own share, all others what they foretell to do as
    well without; and no more than is lacked beyond the `free` cores, which go to them at once. Nothing is lent for
    whoever was moved a moment ago, and is not moved again yet.
    """
    new = {claim.name for claim in claims if not claim.worth and any(map(is_new, tenants[claim.name]))}
    if not new:
        return {}
    shares = shares_by_worth(tenants, claims, slots)
    begun = [claim for claim in claims if claim.name in new - resting and has_begun(tenants[claim.name])]
    lack = sum(claim.cores * max(0, shares[claim.name] - claim.now) for claim in begun) - free
    if lack <= 0:
        return {}
    over = {
        claim.name: claim.now - max(1, claim.least, shares[claim.name]) if claim.name in new else could_lend(claim)
        for claim in claims
    }
    return most_first(claims, over, lack)


def most_first(claims: Iterable[Claim], over: Mapping[str, int], lack: int) -> Mapping[str, int]:
    """Executors of those who have so many over, until there are as many cores as lack."""
    found = {}
    for claim in sorted(claims, key=lambda one: (-over[one.name], one.name)):
        takes = min(over[claim.name], -(-max(0, lack) // claim.cores))
        if takes > 0:
            found[claim.name] = takes
            lack -= takes * claim.cores
    return found


def could_lend(claim: Claim) -> int:
    """Executors without which one that is known foretells to do as well."""
    as_good = _AS_GOOD * claim.utility(claim.now)
    if claim.awaited or as_good <= 0.0:  # what cannot be foretold of it, and what nothing helps, is no ground to give
        return 0
    least = min(max(1, claim.least), claim.now)
    return claim.now - next(count for count in range(least, claim.now + 1) if claim.utility(count) >= as_good)


def guessed(
    tenants: TenantsOf, claims: Sequence[Claim], resting: Set[str], slots: int, free: int, borrowed: int = 0
) -> Mapping[str, Claim]:
    """Their claims as far as can be guessed: so many more executors may mend all, or nothing, at even chances.

    `free` are cores that nobody holds, `borrowed` those that others lend to who has begun just now: to nobody else.
    Half of the former are kept for those who are to begin yet: the first one of a fleet is owed all by its share.
    """
    unknown = [claim for claim in claims if not claim.worth]
    found, left = {}, free + borrowed
    shares = shares_by_worth(tenants, unknown, slots)
    for claim in sorted(unknown, key=lambda one: (-worth_together(tenants[one.name]), one.name)):
        jobs = tenants[claim.name]
        if claim.name in resting or claim.now < max(1, claim.least):
            continue
        owed = shares[claim.name] if has_begun(jobs) else 0
        twice = min(2 * claim.now, claim.most) if any(map(works_on_its_first, jobs)) and not borrowed else 0
        more = max(twice, min(owed, claim.now + left // claim.cores))
        if more > claim.now:
            left -= (more - claim.now) * claim.cores
            half = 0.5 * worth_together(jobs)
            found[claim.name] = replace(claim, least=claim.now, most=more, worth=((claim.now, 0.0), (more, half)))
    return found


def kept_for_new(tenants: TenantsOf, claims: Sequence[Claim], slots: int) -> int:
    """The cores that nobody holds and nobody is to have yet: the shares of those who have begun just now, by worth.

    In a fleet that starts someone is known first; what it would do with all that is there says nothing of the others.
    """
    new = [claim for claim in claims if not claim.worth and any(map(is_new, tenants[claim.name]))]
    shares = shares_by_worth(tenants, new, slots)
    return sum(claim.cores * max(0, shares[claim.name] - claim.now) for claim in new)


def shares_by_worth(tenants: TenantsOf, claims: Iterable[Claim], slots: int) -> Mapping[str, int]:
    """The executors of each, as far as it may have them: cores go by what tenants could have of utility."""
    each = slots / max(sum(worth_together(jobs) for jobs in tenants.values()), 1e-9)
    return {one.name: min(int(each * worth_together(tenants[one.name]) / one.cores), one.most) for one in claims}


def worth_together(jobs: Iterable[JobView]) -> float:
    """What these could have of utility at the most."""
    return sum(job.max_utility for job in jobs)


def of_spare(guesses: Mapping[str, Claim], wanted: Mapping[str, int], spare: int) -> Mapping[str, int]:
    """What each of them gets of the cores that nobody holds, the most valuable first: at most what it is to have.

    >>> fraud = Claim("fraud", 1, 1, 2, worth=((1, 0.0), (2, 20.0)))
    >>> ads = Claim("ads", 1, 1, 2, worth=((1, 0.0), (2, 5.0)))
    >>> of_spare({"ads": ads, "fraud": fraud}, {"ads": 2, "fraud": 2}, spare=1)
    {'fraud': 2, 'ads': 1}
    """
    found, left = {}, max(0, spare)
    for claim in sorted(guesses.values(), key=lambda one: -one.most_utility):
        more = min(wanted[claim.name] - claim.now, left // claim.cores)
        found[claim.name] = claim.now + more
        left -= more * claim.cores
    return found


def is_new(job: JobView) -> bool:
    """Whether its query has begun just now, or its first batch keeps slots busy and does not end."""
    return _has_just_begun(job) or works_on_its_first(job)


def has_begun(jobs: Iterable[JobView]) -> bool:
    """Whether one of these queries has just now."""
    return any(map(_has_just_begun, jobs))


def _has_just_begun(job: JobView) -> bool:
    up_s = job.figures.up_s
    return up_s is not None and up_s < _NEW_S


def works_on_its_first(job: JobView) -> bool:
    """Whether its first batch keeps slots busy and does not end.

    Once no row has come through for long it is in trouble, too; but its query runs.
    """
    busy = [unit.capacity for unit in job.figures.operators if unit.capacity is not None]
    return job.figures.up_s is not None and job.utility is None and max(busy, default=0.0) >= _BUSY
