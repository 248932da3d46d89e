"""What locality is worth: throughput of two stateful operators on n servers, from a model of CPU and network.

Rows are processed and sent by different threads of a server, so the slower of the two sets the pace: the CPU, which
also packs and unpacks what goes over the network, or the way out, which is the link or the rate at which rows
are serialised. The busiest server sets the pace of all. Formula and constants are ours; the constants are set
such that three statements of the routing paper's text come out (22 % lost with empty rows, the plateau above 90 % of
locality at 12 kB, both in section 4.2; 1 Gb/s hurts more than 10 Gb/s, section 4.4). Its axes are not in its text.
"""

from dataclasses import dataclass

from penstock.core.units import positive

GIGABIT = 125e6  # bytes per second


@dataclass(frozen=True, slots=True)
class Network:
    """One server's means."""

    link_bps: float = 10 * GIGABIT  # bytes per second out of a server
    serialised_bps: float = 200e6  # bytes per second that a server packs and unpacks
    row_cpu_s: float = 1 / 150_000  # to process a row in both operators
    hop_cpu_s: float = 0.34 / 150_000  # more for a row that leaves its server, whatever its size
    row_overhead_bytes: float = 60.0  # keys and headers around the payload

    def __post_init__(self) -> None:
        for name in ("link_bps", "serialised_bps", "row_cpu_s"):
            positive(getattr(self, name), name)


def throughput_rps(
    servers: int, local: float, payload_bytes: float, network: Network = Network(), imbalance: float = 1.0
) -> float:
    """Rows per second of the whole application, of which the share `local` stays on its server.

    >>> round(throughput_rps(1, 1.0, 20_000)), round(throughput_rps(2, 0.6, 20_000))
    (150000, 49850)
    """
    remote = 0.0 if servers == 1 else 1.0 - local
    cpu_rps = 1.0 / (network.row_cpu_s + remote * network.hop_cpu_s)
    if remote == 0:
        return servers * cpu_rps / imbalance
    way_out_bps = min(network.link_bps, network.serialised_bps)
    return servers * min(cpu_rps, way_out_bps / (remote * (payload_bytes + network.row_overhead_bytes))) / imbalance


def hashed_local(servers: int) -> float:
    """Local share under hashing: chance, whatever the data."""
    return 1.0 / servers


def worst_local(servers: int, locality: float) -> float:
    """Local share when the pairs that belong together are always sent away, and only others meet by chance.

    >>> worst_local(2, 0.6), worst_local(6, 1.0)
    (0.4, 0.0)
    """
    return 1.0 if servers == 1 else (1.0 - locality) / (servers - 1)
