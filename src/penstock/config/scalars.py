"""Words of a YAML file and what they stand for: numbers, days, truths and text, each within reason."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import yaml
from yaml.constructor import SafeConstructor
from yaml.events import Event, ScalarEvent
from yaml.resolver import Resolver

TAG = "tag:yaml.org,2002:"
_KINDS = ("str", "int", "float", "bool", "null", "timestamp")
_NUMBERS, _MOST_DIGITS = ("int", "float", "timestamp"), 1000  # 1:1:1 ... is a number, and takes ever longer to read


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a text, both counted from 1."""

    line: int
    column: int


class NotYamlError(Exception):
    """What cannot be read, in words, and where; `path` is that of a key that stands twice."""

    def __init__(self, mark: Mark, value: object, remedy: str, path: tuple[Hashable, ...] = ()) -> None:
        self.mark = mark
        self.path = path
        self.value = value
        self.remedy = remedy
        super().__init__(remedy)


class _MergeKey:
    """The key << of a mapping."""

    def __repr__(self) -> str:
        return "<<"


MERGE = _MergeKey()  # the value of a plain <<
_RESOLVER, _CONSTRUCTOR = Resolver(), SafeConstructor()


def scalar(event: ScalarEvent) -> Any:
    """What a plain or quoted word stands for, by YAML's own rules."""
    tag = event.tag
    if tag is None or tag == "!":
        tag = _RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)  # type: ignore[no-untyped-call]
    kind = str(tag).removeprefix(TAG)
    if kind == "merge":
        return MERGE
    if kind == "value":  # a lone =, which nobody means as YAML does
        kind = "str"
    if kind not in _KINDS:
        raise NotYamlError(mark_of(event), event.value, f"leave the tag {tag} out")
    if kind in _NUMBERS and len(event.value) > _MOST_DIGITS:
        raise NotYamlError(mark_of(event), event.value, _not_of("int"))
    construct = SafeConstructor.yaml_constructors[f"{TAG}{kind}"]
    try:
        return construct(_CONSTRUCTOR, yaml.ScalarNode(tag, event.value))
    except (ValueError, OverflowError, KeyError, AttributeError):
        raise NotYamlError(mark_of(event), event.value, _not_of(kind)) from None


def _not_of(kind: str) -> str:
    if kind == "timestamp":
        return "there is no such day or time; put it in quotes if it is text"
    return "write a smaller number; one of so many digits counts nothing here" if kind == "int" else f"write a {kind}"


def mark_of(event: Event) -> Mark:
    """Where something begins."""
    assert event.start_mark is not None  # events of a text have places
    return Mark(event.start_mark.line + 1, event.start_mark.column + 1)
