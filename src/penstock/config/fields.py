"""Kinds of fields that several files have: their errors get the field's place in the file.

Each says what may stand there twice: to pydantic, and to the JSON Schema that editors read.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from penstock.core.units import is_number, positive_seconds, seconds, size_mib
from penstock.errors import ConfigError

Number = TypeVar("Number", int, float)

OURS = "penstock"  # the type of pydantic's errors that hold one of ours
LONGEST_S = 100 * 365 * 86_400.0
_TIME_TEXT = r"^\s*\d+(\.\d+)?\s*(ms|s|min|m|h|d)\s*$"
_AS_TEXT = {"type": "string", "pattern": _TIME_TEXT}
_DURATION = {"anyOf": [{"type": "number", "minimum": 0, "maximum": LONGEST_S}, _AS_TEXT]}
_SOME_DURATION = {"anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": LONGEST_S}, _AS_TEXT]}
_SIZE_TEXT = r"^\d+\s*[kmgtKMGT]?[iI]?[bB]?$"
_SIZE = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": _SIZE_TEXT}]}


def within(error: ConfigError) -> PydanticCustomError:
    """The error as validators of models raise it: told with its field below theirs."""
    return PydanticCustomError(OURS, "{remedy}", {"remedy": error.remedy, "error": error})


def _placed(parse: Callable[[object], Number], most: Number, as_text: str) -> Callable[[object], Number]:
    def checked(value: object) -> Number:
        try:
            found = parse(value)
        except ConfigError as error:
            raise ValueError(error.remedy) from None
        if found > most:
            raise ValueError(f"write {as_text} or less")
        return found

    return checked


@dataclass(frozen=True, slots=True)
class Matching:
    """Text of a form; `remedy` says in words what to write."""

    pattern: str
    remedy: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": self.pattern}

    def _checked(self, value: object) -> str:
        if not isinstance(value, str) or re.fullmatch(self.pattern, value) is None:
            raise ValueError(self.remedy)
        return value


class _OneOrMore:
    """One value stands for a list of it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_listed, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        many = handler(schema)
        return {"anyOf": [many["items"], many]}


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


def _no_truth(value: Any) -> Any:
    if isinstance(value, bool):  # which pydantic takes for 1 or 0, and YAML reads in yes, no, on and off
        raise ValueError("write a number")
    return value


def _setting(value: Any) -> Any:
    if isinstance(value, bool):  # YAML reads a bare off as false
        return "on" if value else "off"
    if isinstance(value, dict):
        return {str(name): _setting(inner) for name, inner in value.items()}
    if isinstance(value, str) or (is_number(value) and math.isfinite(value)):
        return value
    raise ValueError("write a number, or a word")


Seconds = Annotated[float, BeforeValidator(_placed(seconds, LONGEST_S, "100 years")), WithJsonSchema(_DURATION)]
PositiveSeconds = Annotated[
    float, BeforeValidator(_placed(positive_seconds, LONGEST_S, "100 years")), WithJsonSchema(_SOME_DURATION)
]
SizeMib = Annotated[int, BeforeValidator(_placed(size_mib, 1 << 30, "1024t")), WithJsonSchema(_SIZE)]
Setting = Annotated[Any, BeforeValidator(_setting)]  # of a policy: a number, a word, or those of a part of it
PolicySettings = dict[str, dict[str, Setting]]  # by policy
OneOrMore = _OneOrMore()
ShortText = Annotated[str, Field(max_length=200)]  # a name, or a few words
A_NUMBER = BeforeValidator(_no_truth)
Amount = Annotated[float, A_NUMBER]
SlotCount = Annotated[int, Field(ge=1, le=100_000), A_NUMBER]  # no cluster has more
Rows = Annotated[int, Field(ge=1, le=10**12), A_NUMBER]
