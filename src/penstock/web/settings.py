"""How the pages are served: to whom, under which names, how fast anybody may ask."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from penstock.errors import ConfigError

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")  # as the guard compares it: in small letters, without a port


@dataclass(frozen=True, slots=True)
class Rate:
    """So many requests at once, and so many each second after that."""

    burst: int
    per_s: float


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Bound to loopback unless told otherwise. Beyond it, every request needs a token."""

    host: str = "127.0.0.1"
    port: int = 7373
    allowed_hosts: frozenset[str] = frozenset()  # names by which a proxy passes requests on
    proxies: frozenset[str] = frozenset()  # addresses or networks of proxies, whose word on who asks is taken
    tokens: Path | None = None  # where their hashes are kept; beside the runs by default
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    reads: Rate = Rate(burst=120, per_s=30.0)
    acts: Rate = Rate(burst=15, per_s=1.0)
    logins: Rate = Rate(burst=5, per_s=0.2)
    connections: int = 256  # open at once; fewer where the process may have few descriptors, see `Door`
    silent_s: float = 20.0  # so long a connection may keep us waiting
    watchers: int = 64  # live streams, which last
    poll_s: float = 0.5  # how often a run is looked at for news
    whatif_s: float = 30.0  # longer a what-if may not take
    runs_before: frozenset[str] | None = None  # their ids; `last` is a run that begins after these, and no other

    def __post_init__(self) -> None:
        for name in self.allowed_hosts:
            if not _NAME.fullmatch(name) and not _is_address(name):
                remedy = "write a name alone, in small letters and without a port, such as penstock.example.org"
                raise ConfigError("--allow-host", name, remedy)
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise ConfigError("--proxy", proxy, "write an address or a network, such as 10.0.0.0/8") from None

    @property
    def tokens_required(self) -> bool:
        """Whether somebody else than this machine's users can reach it."""
        return not is_loopback(self.host) or bool(self.allowed_hosts or self.proxies)


def is_loopback(host: str) -> bool:
    """Whether an address stays on this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
