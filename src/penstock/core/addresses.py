"""Addresses as people and programs write them, which may be none. Pure."""

from urllib.parse import SplitResult, urlsplit


def place_in(address: str, schemes: tuple[str, ...] = ()) -> SplitResult | None:
    """Its parts, with a host and a port that there can be; None where it has none, or is of another scheme.

    >>> place_in("http://[::1]:8080/x", ("http", "https")).port
    8080
    >>> [place_in(one) for one in ("http://[::1", "//host:99999", "//host:x", "host", "//")]
    [None, None, None, None, None]
    """
    try:
        parts = urlsplit(address)
        right = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if right and (not schemes or parts.scheme in schemes) else None
