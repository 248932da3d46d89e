"""The messages of KEDA's external scaler as bytes, both ways; what they mean is told in `answers`.

KEDA publishes them as proto3. They are four, of strings and numbers, so that reading them takes less than a library
that reads any message, whose major versions somebody else's driver may have pinned. A test compares these bytes with
those of Google's library.

    field   = varint (number << 3 | type), then by type: 0 a varint, 1 eight bytes, 2 a length and so many bytes, 5 four
    map     = repeated pairs: 1 the key, 2 the value
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

SERVICE = "externalscaler.ExternalScaler"
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_FIXED = {_EIGHT: 8, _FOUR: 4}
_MOST_BITS = 63  # of a varint


class MessageError(ValueError):
    """Bytes that are no such message."""


@dataclass(frozen=True, slots=True)
class ScaledObject:
    """Who asks: the name of a ScaledObject, its namespace, and what its trigger says."""

    name: str = ""
    namespace: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MetricAsked:
    """A metric of a scaled object, by the name that it was told."""

    of: ScaledObject = ScaledObject()
    metric: str = ""


def read_object(raw: bytes) -> ScaledObject:
    """A ScaledObjectRef.

    >>> read_object(bytes.fromhex("0a04" + b"ads1".hex() + "1a060a0161120162")).metadata
    {'a': 'b'}
    """
    name, namespace, metadata = "", "", {}
    for number, value in _fields(raw):
        if number == 1:
            name = _text(value)
        elif number == 2:
            namespace = _text(value)
        elif number == 3:
            pair = dict(_fields(_whole(value)))
            metadata[_text(pair.get(1, b""))] = _text(pair.get(2, b""))
    return ScaledObject(name, namespace, metadata)


def read_asked(raw: bytes) -> MetricAsked:
    """A GetMetricsRequest."""
    of, metric = ScaledObject(), ""
    for number, value in _fields(raw):
        if number == 1:
            of = read_object(_whole(value))
        elif number == 2:
            metric = _text(value)
    return MetricAsked(of, metric)


def active(result: bool) -> bytes:
    """An IsActiveResponse.

    >>> active(True).hex(), active(False).hex()
    ('0801', '')
    """
    return b"\x08\x01" if result else b""


def spec(metric: str, target: float) -> bytes:
    """A GetMetricSpecResponse of one metric; older KEDA reads the whole number only."""
    return _named(metric, target)


def value(metric: str, found: float) -> bytes:
    """A GetMetricsResponse of one metric; older KEDA reads the whole number only."""
    return _named(metric, found)


def _named(metric: str, number: float) -> bytes:
    """One of a list: 1 the name, 2 the whole number, 3 the number. What is zero is left out, as proto3 has it."""
    body = b"\x0a" + _sized(metric.encode())
    whole = round(number)
    if whole:
        body += b"\x10" + _varint(whole)
    if number:
        body += b"\x19" + struct.pack("<d", number)
    return b"\x0a" + _sized(body)


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The number and value of each field; of numbers with a fixed size the bytes."""
    at = 0
    while at < len(raw):
        tag, at = _read_varint(raw, at)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            found, at = _read_varint(raw, at)
            yield number, found
            continue
        if kind == _BYTES:
            size, at = _read_varint(raw, at)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise MessageError(f"a field of type {kind}")
        if at + size > len(raw):
            raise MessageError("it ends in the middle of a field")
        yield number, raw[at : at + size]
        at += size


def _read_varint(raw: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first, and where it ends."""
    found = 0
    for shift in range(0, _MOST_BITS + 1, 7):
        if at >= len(raw):
            raise MessageError("it ends in the middle of a number")
        byte, at = raw[at], at + 1
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found, at
    raise MessageError("a number of more than ten bytes")


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def _sized(raw: bytes) -> bytes:
    return _varint(len(raw)) + raw


def _whole(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise MessageError("a number in place of a message")
    return value


def _text(value: int | bytes) -> str:
    try:
        return _whole(value).decode()
    except UnicodeDecodeError:
        raise MessageError("a text that is not UTF-8") from None
