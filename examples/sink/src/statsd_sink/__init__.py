"""`statsd`: penstock's metrics as gauges of StatsD, over UDP."""

import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import penstock as ps

_MOST_BYTES = 1400  # of a datagram, to pass through any network whole


@dataclass(frozen=True, slots=True)
class StatsD:
    """An agent that listens there."""

    host: str
    port: int

    def send(self, samples: Sequence[ps.MetricSample], at_epoch_s: float) -> None:
        """StatsD knows no time: what comes is of now."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
            for datagram in _datagrams(samples):
                there.sendto(datagram, (self.host, self.port))


def sink(target: str) -> ps.MetricSink:
    """What stands behind `statsd:`.

    >>> sink("127.0.0.1:8125")
    StatsD(host='127.0.0.1', port=8125)
    """
    host, colon, port = target.rpartition(":")
    if not colon or not host or not port.isdecimal():
        raise ps.ConfigError("--sink", target, "write statsd:host:port")
    return StatsD(host, int(port))


def line(sample: ps.MetricSample) -> bytes:
    """A gauge; labels are parts of the name, in their order.

    >>> line(ps.MetricSample("penstock_job_juice_ratio", 0.9, {"job": "shop.ads"}))
    b'penstock_job_juice_ratio.shop_ads:0.9|g'
    """
    parts = (
        sample.name,
        *("".join(one if one.isalnum() else "_" for one in label) for label in sample.labels.values()),
    )
    return f"{'.'.join(parts)}:{sample.value:g}|g".encode()


def _datagrams(samples: Sequence[ps.MetricSample]) -> Iterator[bytes]:
    """Lines together, as many as a datagram holds."""
    whole = b""
    for one in map(line, samples):
        if whole and len(whole) + 1 + len(one) > _MOST_BYTES:
            yield whole
            whole = b""
        whole = whole + b"\n" + one if whole else one
    if whole:
        yield whole
