"""Who may be in the fleet: one driver and one tenant of each name, and no more said than is kept of one token."""

from collections.abc import Iterable

from penstock.engines.applications.book import Application
from penstock.errors import PenstockError

# Of what one token's applications say together: 4,096 of at most 16 KiB, or 16 of the most that a report holds. What is
# made of it here takes about fifteen times as much.
_MOST_OF_A_TOKEN = 64 * 2**20
LEAST_SIZE = 16 * 2**10


class AnotherDriverError(PenstockError):
    """A report of a second driver of the same name, while the first one is heard."""


class TakenNameError(PenstockError):
    """A report of an application with a tenant whose name in the fleet is that of another one's."""


class TooMuchSaidError(PenstockError):
    """A report by whose token more is said already than is kept of one."""


def check_driver(known: Application | None, now: float, lease_s: float) -> None:
    """Another driver has a name once nobody was heard by it for that long."""
    if known is not None and now - known.heard_s < lease_s:
        raise AnotherDriverError(
            f"{known.name}: another driver of that name reports already; give this one another name, or end that one"
        )


def check_names(found: Application, known: Iterable[Application]) -> None:
    """Of two tenants of one name the intent of one would count for the other, and be told as its."""
    names = set(found.job_names().values())
    for other in known:
        taken = names.intersection(other.job_names().values()) if other.name != found.name else ()
        if taken:
            raise TakenNameError(
                f"{min(taken)} is a tenant of {other.name} in this fleet: give {found.name} another name"
            )


def check_size(found: Application, known: Iterable[Application]) -> None:
    """One token is one part's: it may not take the memory that is there for all."""
    others = (one for one in known if one.whose == found.whose and one.name != found.name)
    total = sum(max(one.size, LEAST_SIZE) for one in (found, *others))
    if total > _MOST_OF_A_TOKEN:
        raise TooMuchSaidError(
            f"{found.name}: the applications of the token for {found.whose or 'all'} say {total:,} bytes together, "
            f"of {_MOST_OF_A_TOKEN:,} that are kept ({LEAST_SIZE:,} at least for each); give some another token"
        )
