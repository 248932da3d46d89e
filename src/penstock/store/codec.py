"""Frozen dataclasses to JSON and back: policy memories, snapshots, and whatever else a store keeps whole.

Encoding is ours, because mapping keys may be tuples, which JSON has no word for; decoding is pydantic's, which
builds the declared types from the plain values and says exactly what does not fit. It is imported at the first value:
who only looks whether anybody governs a run needs none.

Another program may have written anything: of a text that is longer than is told of any its beginning is read, as of
texts in columns of their own, and nothing of what is larger than all of ours together.
"""

import json
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import GenericAlias
from typing import TYPE_CHECKING, Any, TypeVar, cast

from penstock.errors import WrongCellError, first_line
from penstock.store.archive import MOST_TOLD, RefusedError, beginning

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

_PAIRS = "__pairs__"  # {"__pairs__": [[key, value], ...]} stands for a mapping whose keys are not all text

MOST_IN_A_CELL = 1 << 26  # characters, unpacked
_LONG = re.compile(f'"[^"]{{{MOST_TOLD}}}')

_AS_THEY_ARE = frozenset({bool, int, float, str, type(None)})


class DoesNotFitError(WrongCellError):
    """Stored text is not a value of the type that is asked for; the message says where."""


def encode(value: object) -> str:
    """The value as JSON text; infinity is written as JavaScript has it. A RefusedError where it is too large to read,
    or holds what JSON has no word for.

    >>> encode({("a", "b"): float("inf")})
    '{"__pairs__":[[["a","b"],Infinity]]}'
    """
    text = json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=True)
    check_size(len(text))
    return text


def check_size(size: int) -> None:
    """A RefusedError for what would be too large to be read again: the figures of 10,000 jobs come to half of it."""
    if size > MOST_IN_A_CELL:
        raise RefusedError(f"a cell of {size / (1 << 20):,.1f} MiB is not written, for {too_large()}")


def too_large() -> str:
    """Why not all is written, and what to do about it."""
    most = f"no more than {MOST_IN_A_CELL >> 20} MiB of one can be read again"
    return f"{most}: divide its jobs over several applications, or see which of them tells so much"


def encode_figures(value: object, value_type: type[Any]) -> str:
    """As `encode`, ten times as fast, for types whose mappings all have text for keys."""
    from pydantic_core import PydanticSerializationError

    try:
        return _adapter(cast(Hashable, value_type)).dump_json((value,))[1:-1].decode()
    except PydanticSerializationError:
        return encode(value)  # words that are not valid Unicode, which JSON can escape but not spell


def decode(text: str, value_type: type[T]) -> T:
    """The value of that type; DoesNotFitError when the text holds something else, or something more."""
    return _decoded(text, value_type, plain_of)


def decode_whole(text: str, value_type: type[T]) -> T:
    """The same with texts of any length: of what is not told to anybody."""
    return _decoded(text, value_type, _plain_whole)


def plain_of(text: str) -> Any:
    """What the text says in JSON, with the beginnings of texts in it; a ValueError where that is nothing."""
    plain = _plain_whole(text)
    return _shortened(plain) if _may_be_long(text) else plain


def _plain_whole(text: str) -> Any:
    if len(text) > MOST_IN_A_CELL:
        raise DoesNotFitError(f"it is longer than {MOST_IN_A_CELL:,} characters: no penstock has written it")
    return _JSON.decode(text)


def _may_be_long(text: str) -> bool:
    """Whether a text in it may be longer than is told of any."""
    return len(text) > MOST_TOLD and ('\\"' in text or _LONG.search(text) is not None)


def _shortened(plain: Any) -> Any:
    """With the beginnings of all texts in it."""
    if isinstance(plain, str):
        return beginning(plain)
    if isinstance(plain, list | tuple):
        return type(plain)(map(_shortened, plain))
    if isinstance(plain, dict):
        return {_shortened(key): _shortened(item) for key, item in plain.items()}
    return plain


def _decoded(text: str, value_type: type[T], read: Callable[[str], Any]) -> T:
    from pydantic import ValidationError

    adapter: TypeAdapter[tuple[T]] = _adapter(cast(Hashable, value_type))
    try:
        (value,) = adapter.validate_python((read(text),))
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in found["loc"][1:])
        raise DoesNotFitError(f"{first_line(where) if where else 'value'}: {found['msg']}") from error
    except (ValueError, TypeError) as error:
        raise DoesNotFitError(str(error)) from error
    return value


@cache
def _adapter(value_type: Hashable) -> "TypeAdapter[Any]":
    from pydantic import ConfigDict, TypeAdapter

    # A tuple around it, because pydantic takes no config for a dataclass that is not its own.
    config = ConfigDict(extra="forbid", ser_json_inf_nan="constants")
    return TypeAdapter(cast(Any, GenericAlias(tuple, (value_type,))), config=config)


def _plain(value: object) -> Any:
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is tuple or kind is list:
        return [_plain(item) for item in value]  # type: ignore[attr-defined]
    names = _field_names(cast(Hashable, kind))
    if names is not None:
        return {name: _plain(getattr(value, name)) for name in names}
    return _rarely(value)


def _rarely(value: object) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=repr)  # sets have no order; equal ones read alike
    if isinstance(value, (int, float, str)):
        return value
    kind = type(value).__name__
    raise RefusedError(f"a stored value holds a {kind}; use plain values, tuples, mappings, dataclasses")


@cache
def _field_names(kind: Hashable) -> tuple[str, ...] | None:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None


def _plain_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    if all(type(key) is str for key in value) and _PAIRS not in value:
        return {key: _plain(item) for key, item in value.items()}
    return {_PAIRS: [[_plain(key), _plain(item)] for key, item in value.items()]}


def _revived(found: dict[str, Any]) -> dict[Any, Any]:
    if found.keys() == {_PAIRS}:
        return {_hashable(key): item for key, item in found[_PAIRS]}
    return found


_JSON = json.JSONDecoder(object_hook=_revived)  # `json.loads` makes one for each text, half of the time of a short one


def _hashable(key: Any) -> Any:
    return tuple(_hashable(part) for part in key) if isinstance(key, list) else key
