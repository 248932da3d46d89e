"""Window after window: tables made beforehand are judged on what came next (figures 11 and 12 of the routing paper)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from penstock.core.known.routing_table import LEFT, RIGHT, RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.core.seen.routes import Links
from penstock.correlation.history import PairHistory
from penstock.planning.routing.graph import KeyGraph, graph_of
from penstock.planning.routing.judging import Judgement, judge
from penstock.planning.routing.recall import recalled
from penstock.planning.routing.route import route
from penstock.planning.routing_settings import IMBALANCE

LINK = (LEFT, RIGHT)


class Way(StrEnum):
    """How the table that a window meets was made."""

    HASH = "hash"
    OFFLINE = "offline"  # once, from the first window
    RESTARTED = "restarted"  # after every window from that window alone, as in the paper
    ONLINE = "online"  # after every window from a history that fades, or that window alone: by back-test
    FORESEEN = "bound"  # from the window itself, of the keys that were seen before: nobody can beat it in advance
    HINDSIGHT = "hindsight"  # from the window itself


@dataclass(frozen=True, slots=True)
class Trial:
    """How tables are made. `edges`: so many of the heaviest pairs are known of a window; None: all."""

    servers: int = 6
    imbalance: float = IMBALANCE
    half_life_windows: float = 1.0
    edges: int | None = None


def tried(
    windows: Sequence[PairCounts], way: Way, trial: Trial = Trial(), known: Sequence[PairCounts] | None = None
) -> Iterator[Judgement]:
    """How each window but the first fared under the table that it met, made of `known` or of the windows."""
    for window, table in zip(windows[1:], _tables(known or windows, way, trial), strict=True):
        yield judge(table, graph_of(window))


def _tables(windows: Sequence[PairCounts], way: Way, trial: Trial) -> Iterator[RoutingTable]:
    known = [window if trial.edges is None else window.heaviest(trial.edges) for window in windows]
    if way is Way.HASH:
        yield from (RoutingTable(trial.servers) for _ in windows[1:])
    elif way is Way.OFFLINE:
        table = _routed(known[0], trial)
        yield from (table for _ in windows[1:])
    elif way in (Way.FORESEEN, Way.HINDSIGHT):
        seen = [frozenset[object](), frozenset[object]()]
        for before, window in pairwise(windows):
            seen = [seen[0] | before.left().keys(), seen[1] | before.right().keys()]
            yield _routed(_of_seen(window, seen) if way is Way.FORESEEN else window, trial)
    else:
        half_life = trial.half_life_windows if way is Way.ONLINE else 0.0  # without a history, nothing is recalled
        yield from _renewed(known, PairHistory(half_life), trial)


def _renewed(windows: Sequence[PairCounts], history: PairHistory, trial: Trial) -> Iterator[RoutingTable]:
    table = RoutingTable(trial.servers)
    for window in windows[:-1]:
        history = history.closed(window, 1.0)
        now, before = (history.newest, history.basis), (history.newest_before, history.basis_before)
        links = recalled(_linked(now), _linked(before), trial.servers, trial.imbalance)
        table = route(links[LINK], trial.servers, trial.imbalance, before=table)
        yield table


def _linked(pairs: tuple[PairCounts, PairCounts]) -> tuple[Links, Links]:
    return {LINK: pairs[0]}, {LINK: pairs[1]}


def _of_seen(window: PairCounts, seen: Sequence[frozenset[object]]) -> PairCounts:
    pairs = {pair: rows for pair, rows in window.pairs.items() if pair[0] in seen[0] and pair[1] in seen[1]}
    return PairCounts(pairs, window.rows)


def _routed(pairs: PairCounts, trial: Trial) -> RoutingTable:
    return route(pairs, trial.servers, trial.imbalance)


def heaviest_key(graph: KeyGraph, servers: int) -> float:
    """No table is more even than this: the busiest key over the mean of the servers."""
    operators = pairwise(graph.first.tolist())
    return max(float(graph.weight[low:high].max() * servers / graph.weight[low:high].sum()) for low, high in operators)
