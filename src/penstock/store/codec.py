"""Frozen dataclasses to JSON and back: policy memories, snapshots, and whatever else a store keeps whole.

Encoding is ours, because mapping keys may be tuples, which JSON has no word for; decoding is pydantic's, which
builds the declared types from the plain values and says exactly what does not fit. It is imported at the first value:
who only looks whether anybody governs a run needs none.
"""

import json
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import GenericAlias
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

_PAIRS = "__pairs__"  # {"__pairs__": [[key, value], ...]} stands for a mapping whose keys are not all text


_AS_THEY_ARE = frozenset({bool, int, float, str, type(None)})


class DoesNotFitError(ValueError):
    """Stored text is not a value of the type that is asked for; the message says where."""


def encode(value: object) -> str:
    """The value as JSON text; infinity is written as JavaScript has it.

    >>> encode({("a", "b"): float("inf")})
    '{"__pairs__":[[["a","b"],Infinity]]}'
    """
    return json.dumps(_plain(value), separators=(",", ":"), ensure_ascii=True)


def encode_figures(value: object, value_type: type[Any]) -> str:
    """As `encode`, ten times as fast, for types whose mappings all have text for keys."""
    from pydantic_core import PydanticSerializationError

    try:
        return _adapter(cast(Hashable, value_type)).dump_json((value,))[1:-1].decode()
    except PydanticSerializationError:
        return encode(value)  # words that are not valid Unicode, which JSON can escape but not spell


def decode(text: str, value_type: type[T]) -> T:
    """The value of that type; DoesNotFitError when the text holds something else, or something more."""
    from pydantic import ValidationError

    adapter: TypeAdapter[tuple[T]] = _adapter(cast(Hashable, value_type))
    try:
        plain = _JSON.decode(text)
        (value,) = adapter.validate_python((plain,))
    except ValidationError as error:
        found = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in found["loc"][1:])
        raise DoesNotFitError(f"{where or 'value'}: {found['msg']}") from error
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
    raise TypeError(f"a stored value holds a {type(value).__name__}; use plain values, tuples, mappings, dataclasses")


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
