"""Kinds of fields that several files have: their errors get the field's place in the file."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator

from penstock.core.units import positive_seconds, seconds, size_mib
from penstock.errors import ConfigError

Number = TypeVar("Number", int, float)


def _placed(parse: Callable[[object], Number]) -> Callable[[object], Number]:
    def checked(value: object) -> Number:
        try:
            return parse(value)
        except ConfigError as error:
            raise ValueError(error.remedy) from None

    return checked


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


Seconds = Annotated[float, BeforeValidator(_placed(seconds))]
PositiveSeconds = Annotated[float, BeforeValidator(_placed(positive_seconds))]
SizeMib = Annotated[int, BeforeValidator(_placed(size_mib))]
# Of a policy: a number, or a word; YAML reads a bare off as false.
Setting = Annotated[int | float | str, BeforeValidator(lambda value: "off" if value is False else value)]
PolicySettings = dict[str, dict[str, Setting | dict[str, int | float]]]  # by policy
OneOrMore = BeforeValidator(_listed)  # one value stands for a list of it
