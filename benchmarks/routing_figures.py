"""Figures 7, 8, 9, 13 and 14 of the routing paper under the model of the network, with what its text says of them.

The synthetic workload is the paper's: two integers between 1 and n, equal in so many of the rows (`locality`), and a
payload. Its table is made from its pairs by `route`, as any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from routing_network import GIGABIT, Network, hashed_local, throughput_rps, worst_local

from penstock.core.known.routing_table import RoutingTable
from penstock.core.seen.pairs import PairCounts
from penstock.planning.routing.graph import graph_of
from penstock.planning.routing.judging import judge
from penstock.planning.routing.route import route

PARALLELISM = (1, 2, 3, 4, 5, 6)
LOCALITIES = tuple(percent / 100 for percent in range(0, 101, 10))
PAYLOADS = (0.0, 4e3, 8e3, 12e3, 16e3, 20e3)
WAYS = ("hash", "locality-aware", "worst case")


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement of the paper's text, judged on our figures."""

    figure: str
    claim: str
    found: str
    holds: bool


def synthetic_pairs(servers: int, locality: float, rows: int = 6000) -> PairCounts:
    """The paper's rows (i, j): equal in the share `locality`, else any two that differ."""
    each = rows / servers
    pairs = {(i, i): each * locality for i in range(servers)}
    for i in range(servers):
        for j in (j for j in range(servers) if j != i):
            pairs[i, j] = each * (1 - locality) / (servers - 1)
    return PairCounts.exact(pairs)


@cache
def local_share(way: str, servers: int, locality: float) -> float:
    """What stays on its server under each way of routing."""
    if servers == 1:
        return 1.0
    if way == "hash":
        return hashed_local(servers)
    if way == "worst case":
        return worst_local(servers, locality)
    return route(synthetic_pairs(servers, locality), servers).locality


def rate(way: str, servers: int, locality: float, payload: float, network: Network = Network()) -> float:
    """Rows per second in one point of figures 7 to 9."""
    return throughput_rps(servers, local_share(way, servers, locality), payload, network)


def findings_synthetic() -> list[Finding]:
    """What section 4.2 says of figures 7, 8 and 9."""
    apart = [(n, p) for n in PARALLELISM[1:] for p in PAYLOADS[1:]]
    ordered = all(rate("locality-aware", n, 0.6, p) > rate("hash", n, 0.6, p) for n, p in apart)
    growth = rate("locality-aware", 6, 0.6, 12e3) / rate("locality-aware", 2, 0.6, 12e3)
    hash_growth = rate("hash", 6, 0.6, 12e3) / rate("hash", 2, 0.6, 12e3)
    two_servers = rate("locality-aware", 2, 0.6, 20e3) / rate("locality-aware", 1, 0.6, 20e3)
    empty = 1 - rate("hash", 6, 1.0, 0.0) / rate("locality-aware", 6, 1.0, 0.0)
    full = rate("locality-aware", 6, 1.0, 20e3) / rate("locality-aware", 6, 1.0, 0.0)
    flat = {rate("hash", 6, locality, 12e3) for locality in LOCALITIES}
    rises = _rises([rate("locality-aware", 6, locality, 12e3) for locality in LOCALITIES if locality >= 0.2])
    plateau = rate("locality-aware", 6, 1.0, 12e3) / rate("locality-aware", 6, 0.9, 12e3)
    ten_points = rate("locality-aware", 6, 0.6, 12e3) / rate("locality-aware", 6, 0.5, 12e3)
    by_payload = [rate("locality-aware", 6, 0.8, p) / rate("hash", 6, 0.8, p) for p in PAYLOADS]
    by_servers = [rate("locality-aware", n, 0.8, 8e3) / rate("hash", n, 0.8, 8e3) for n in PARALLELISM[1:]]
    worst = rate("worst case", 6, 0.8, 20e3) / rate("hash", 6, 0.8, 20e3)
    return [
        Finding("7", "locality-aware beats hashing for every payload and parallelism", _yes(ordered), ordered),
        Finding(
            "7", "it alone scales linearly above 2 servers (x3 from 2 to 6)", f"x{growth:.2f}", abs(growth - 3) < 0.03
        ),
        Finding("7", "hashing does not", f"x{hash_growth:.2f} from 2 to 6", hash_growth < 2.5),
        Finding("7", "20 kB: two servers do less than one", f"x{two_servers:.2f}", two_servers < 1),
        Finding("7", "empty rows: the network costs 22 %", f"{empty:.0%}", abs(empty - 0.22) < 0.03),
        Finding("7", "at locality 100 % the payload does not matter", f"x{full:.2f}", abs(full - 1) < 0.01),
        Finding("8", "hashing does not gain from locality", f"{len(flat)} value", len(flat) == 1),
        Finding("8", "locality-aware gains all the way (from 20 %, above the 17 % of chance)", _yes(rises), rises),
        Finding("8", "a plateau above 90 %", f"x{plateau:.2f} from 90 to 100 %", plateau < 1.1),
        Finding(
            "11", "10 points of locality can give 25 %", f"{ten_points - 1:.0%} from 50 to 60 %", ten_points >= 1.24
        ),
        Finding("9", "the gap grows with the payload", _ratios(by_payload), _rises(by_payload)),
        Finding("9", "and with parallelism", _ratios(by_servers), _rises(by_servers)),
        Finding("9", "in the hardest case hashing is hardly better than the worst", f"x{worst:.2f}", worst > 0.8),
    ]


@dataclass(frozen=True, slots=True)
class Rerouted:
    """A stable workload: hashed at first, routed by `table_local` from `at_s` on, after a pause."""

    hashed_local: float
    table_local: float
    hashed_imbalance: float
    table_imbalance: float
    servers: int = 6
    at_s: float = 600.0
    pause_s: float = 3.0

    def rate_at(self, time_s: float, payload: float, network: Network) -> float:
        """Rows per second at an instant of figure 13."""
        if self.at_s <= time_s < self.at_s + self.pause_s:
            return 0.0
        return self.rate(time_s >= self.at_s, payload, network)

    def rate(self, routed: bool, payload: float, network: Network) -> float:
        """Rows per second before or after."""
        local = self.table_local if routed else self.hashed_local
        imbalance = self.table_imbalance if routed else self.hashed_imbalance
        return throughput_rps(self.servers, local, payload, network, imbalance)


def rerouted_case(first: PairCounts, later: PairCounts, servers: int) -> Rerouted:
    """The case of section 4.4: a table from the rows of the first ten minutes, judged on the rows that follow."""
    graph = graph_of(later)
    hashed, routed = judge(RoutingTable(servers), graph), judge(route(first, servers), graph)
    return Rerouted(hashed.locality, routed.locality, hashed.imbalance, routed.imbalance, servers)


def findings_rerouting(cases: Sequence[Rerouted]) -> list[Finding]:
    """What section 4.4 says of figures 13 and 14; cases by rising parallelism."""
    slow, fast = Network(link_bps=GIGABIT), Network()
    six = cases[-1]
    gain = {
        (name, payload): six.rate(True, payload, network) / six.rate(False, payload, network)
        for name, network in (("1", slow), ("10", fast))
        for payload in (0.0, 2e3, 4e3, 12e3)
    }
    first = six.rate_at(six.at_s + six.pause_s, 4e3, slow) / six.rate_at(six.at_s - 1, 4e3, slow)
    by_payload = [gain["10", p] for p in (0.0, 2e3, 4e3, 12e3)]
    slower = gain["1", 4e3] >= gain["10", 4e3]
    gaps = [case.rate(True, 4e3, slow) - case.rate(False, 4e3, slow) for case in cases]
    return [
        Finding(
            "13", "throughput rises at once after the first re-routing", f"x{first:.2f} after the pause", first > 1.1
        ),
        Finding("13", "the more, the larger the rows", _ratios(by_payload), _rises(by_payload)),
        Finding(
            "13", "and the slower the network", f"x{gain['1', 4e3]:.2f} at 1 Gb/s, x{gain['10', 4e3]:.2f} at 10", slower
        ),
        Finding(
            "14",
            "the gap widens with parallelism",
            ", ".join(f"{gap / 1000:.0f}k" for gap in gaps) + " rows/s",
            _rises(gaps),
        ),
        Finding(
            "13", "up to x2 with relatively small rows", f"x{gain['1', 4e3]:.2f} at 4 kB, 1 Gb/s", gain["1", 4e3] >= 1.5
        ),
    ]


def _rises(values: Sequence[float]) -> bool:
    return all(b >= a - 1e-9 for a, b in pairwise(values)) and values[-1] > values[0]


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _ratios(values: Sequence[float]) -> str:
    return ", ".join(f"x{value:.2f}" for value in values)
