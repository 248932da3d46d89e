"""Tenants' names and queries' names: a flow of a declarative pipeline is a query whose name has its catalog before it.

`spark-pipelines` names the query of flow `orders` spark_catalog.default.orders. A tenant may be called by the last
parts of it: orders, or default.orders. Where two queries answer to one tenant, it is the one that came first.
"""

import logging
from dataclasses import dataclass, field

from penstock.errors import in_a_line

_log = logging.getLogger("penstock")


def answers(query: str, tenant: str) -> bool:
    """Whether a query of that name may be the tenant's.

    >>> answers("spark_catalog.default.orders", "orders"), answers("reorders", "orders")
    (True, False)
    """
    return query == tenant or query.endswith(f".{tenant}")


@dataclass(slots=True)
class Names:
    """Which query each tenant's is, as queries come to be known."""

    tenants: frozenset[str]
    _queries: dict[str, str] = field(default_factory=dict)  # by tenant
    _said: set[str] = field(default_factory=set)

    def tenant(self, query: str | None) -> str | None:
        """By whose name the query is governed; its own, where it is nobody's."""
        if query is None:
            return None
        found = max((name for name in self.tenants if answers(query, name)), key=len, default=None)
        if found is None:
            return query
        first = query if query == found else self._queries.setdefault(found, query)
        if query == found:
            self._queries[found] = query
        elif first != query:
            self._refuse(found, first, query)
            return query
        return found

    def query(self, tenant: str) -> str:
        """The name of the tenant's query, as far as it is known; its pool has the same."""
        return self._queries.get(tenant, tenant)

    def _refuse(self, tenant: str, first: str, other: str) -> None:
        if other not in self._said:
            self._said.add(other)
            _log.warning(
                "%s is %s; %s is not governed: name tenants by more of their queries' names",
                *map(in_a_line, (tenant, first, other)),
            )
