"""Whether this system permits network namespaces, and what is left of a network that was made of them."""

import re
from pathlib import Path

from penstock.errors import EngineError
from penstock.local.spark import hosts
from penstock.local.spark.hosts import Net


def refusal() -> str | None:
    """What this system says against it; None where it lets us."""
    try:
        hosts.planned(1, "1gbit")
    except EngineError as error:
        if not re.search(r"need root|install iproute2|permits no network namespaces", str(error)):
            raise
        return str(error)
    return None


REFUSAL = refusal()


def left_of(net: Net) -> list[str]:
    """What is still there of it."""
    names = [Path("/sys/class/net", name) for name in (net.bridge, *(host.link for host in net.hosts))]
    spaces = [Path("/run/netns", host.namespace) for host in net.hosts]
    return [str(place) for place in (*names, *spaces) if place.exists()]
