"""How far back to look: all of a history that fades, or its newest window alone, by back-test on the newest rows.

Where keys come back after days, forgetting loses them; where keys change their partners, what is remembered misleads.
Which of the two data do is seen by the tables that a window ago would have been made of either.
"""

from penstock.core.seen.routes import Links
from penstock.planning.routing.graph import graph_of_links
from penstock.planning.routing.hashing import Fallback, by_chance
from penstock.planning.routing.judging import judge
from penstock.planning.routing.route import route_links
from penstock.planning.routing_settings import IMBALANCE

BETTER_BY = 0.005  # of the local share: the newest window alone must have been that much better
LEAST_ROWS = 500.0  # of a window: fewer do not tell, and are too few for a table


def recalled(
    now: tuple[Links, Links],
    before: tuple[Links, Links],
    servers: int,
    imbalance: float = IMBALANCE,
    fallback: Fallback = by_chance,
) -> Links:
    """The pairs to make the next table of. Both hold the newest window and the whole history, now and a window ago."""
    newest, basis = now
    if newest == basis or before[0] == before[1] or min(_rows(newest), _rows(before[0])) < LEAST_ROWS:
        return basis
    graph = graph_of_links(newest)
    alone, whole = (judge(route_links(links, servers, imbalance), graph, fallback).locality for links in before)
    return newest if alone > whole + BETTER_BY else basis


def _rows(links: Links) -> float:
    return sum(pairs.rows for pairs in links.values())
