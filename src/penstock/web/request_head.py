"""The head of an HTTP request from an agent: what is asked, by whom, and how long the body is. Strictly read, and pure.

Agents and probes send plain heads. Whatever two readers could take for different things (a length said twice, parts of
a body that each say their own, lines that go on in the next) is refused: beside a proxy that is how one request is
smuggled into another.
"""

import re
from dataclasses import dataclass

MOST_HEAD_BYTES = 16 * 1024
_ASKS = re.compile(rb"([A-Z]{1,16}) (/[!-~]{0,2000}) HTTP/1\.([01])")
_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\t -~\x80-\xff]*)")
_ONCE = (b"content-length", b"authorization", b"host")


class HeadError(Exception):
    """It is none; `status` is what is answered."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class Head:
    """`length` is that of the body; another request may follow where it `goes_on`; who `waits` wants to be told so."""

    method: str
    path: str
    authorization: str = ""
    length: int = 0
    goes_on: bool = True
    waits: bool = False


def read_head(raw: bytes) -> Head:
    r"""What a request begins with, without the empty line that ends it; a HeadError where it is none.

    >>> read_head(b"POST /report HTTP/1.1\r\nHost: a\r\nContent-Length: 12")
    Head(method='POST', path='/report', authorization='', length=12, goes_on=True, waits=False)
    """
    first, *lines = raw.split(b"\r\n")
    asks = _ASKS.fullmatch(first)
    if asks is None:
        raise HeadError(400, "this is no request of HTTP/1.1")
    said = _lines(lines)
    if b"transfer-encoding" in said:
        raise HeadError(411, "say how long the body is: Content-Length")
    length = said.get(b"content-length", b"0")
    if re.fullmatch(rb"[0-9]{1,12}", length) is None:
        raise HeadError(400, "Content-Length is no number")
    return Head(
        asks[1].decode(),
        asks[2].decode().partition("?")[0],
        said.get(b"authorization", b"").decode("latin-1"),
        int(length),
        goes_on=asks[3] == b"1" and said.get(b"connection", b"").lower() != b"close",
        waits=said.get(b"expect", b"").lower() == b"100-continue",
    )


def _lines(lines: list[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    for line in lines:
        part = _LINE.fullmatch(line)
        if part is None:
            raise HeadError(400, "a line of the head is none")
        name = part[1].lower()
        if name in found and name in _ONCE:
            raise HeadError(400, f"{name.decode()} is said twice")
        found[name] = part[2].rstrip(b" \t")
    return found
