"""The head of an agent's request: what is read of it, and what is refused with which status."""

import pytest

from penstock.web.request_head import Head, HeadError, read_head

ASKS = b"POST /report HTTP/1.1\r\n"


@pytest.mark.parametrize(
    ("raw", "head"),
    [
        (b"GET /health?x=1 HTTP/1.1", Head("GET", "/health")),
        (ASKS + b"Host: a\r\ncontent-LENGTH:  7 ", Head("POST", "/report", length=7)),
        (ASKS + b"Authorization: Bearer t", Head("POST", "/report", "Bearer t")),
        (ASKS + b"Connection: Close", Head("POST", "/report", goes_on=False)),
        (b"GET /health HTTP/1.0", Head("GET", "/health", goes_on=False)),
        (ASKS + b"Expect: 100-continue\r\nContent-Length: 9", Head("POST", "/report", length=9, waits=True)),
        (ASKS + b"X-Nothing:\r\nX-Twice: a\r\nX-Twice: b", Head("POST", "/report")),
    ],
)
def test_what_is_asked_is_read(raw: bytes, head: Head) -> None:
    assert read_head(raw) == head


@pytest.mark.parametrize(
    ("raw", "status", "told"),
    [
        (b"", 400, "no request"),
        (b"POST /report", 400, "no request"),
        (b"POST report HTTP/1.1", 400, "no request"),
        (b"post /report HTTP/1.1", 400, "no request"),
        (b"POST /a b HTTP/1.1", 400, "no request"),
        (b"PRI * HTTP/2.0", 400, "no request"),
        (b"\x16\x03\x01\x02\x00", 400, "no request"),  # TLS, where there is none
        (ASKS + b"Content-Length: 5\r\nContent-Length: 5", 400, "content-length is said twice"),
        (ASKS + b"Authorization: Bearer a\r\nAuthorization: Bearer b", 400, "authorization is said twice"),
        (ASKS + b"Content-Length: +5", 400, "no number"),
        (ASKS + b"Content-Length: 5, 5", 400, "no number"),
        (ASKS + b"Content-Length: -1", 400, "no number"),
        (ASKS + b"Transfer-Encoding: chunked\r\nContent-Length: 5", 411, "Content-Length"),
        (ASKS + b"Content-Length : 5", 400, "a line of the head"),
        (ASKS + b"X: a\r\n goes on", 400, "a line of the head"),
        (ASKS + b"X: a\nContent-Length: 5", 400, "a line of the head"),
        (ASKS + b"X: a\rb", 400, "a line of the head"),
        (ASKS + b"X: a\x00b", 400, "a line of the head"),
        (ASKS + b": a", 400, "a line of the head"),
    ],
)
def test_what_could_be_taken_in_two_ways_is_refused(raw: bytes, status: int, told: str) -> None:
    with pytest.raises(HeadError, match=told) as error:
        read_head(raw)
    assert error.value.status == status
