"""From YAML's events to values that know where they stand: bounded in depth and size, each key once in a mapping.

PyYAML's own loader keeps the last of two equal keys in silence, forgets the places, recurses with the file's nesting
and lets a few lines of aliases become a billion values. So values are put together here, without recursion.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from yaml.reader import Reader

from penstock.config.scalars import MERGE, TAG, Mark, NotYamlError, mark_of, scalar

DEEPEST = 40  # levels; a file of ours has six
MOST_VALUES = 200_000  # with every alias written out
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_COLLECTIONS = (None, "!", f"{TAG}map", f"{TAG}seq")


@dataclass(slots=True)
class Node:
    """A value of the file, and where it and what is in it begin. `size` counts its values, aliases written out."""

    value: Any
    mark: Mark
    size: int = 1
    levels: int = 1
    keys: dict[Hashable, Mark] = field(default_factory=dict)  # of a mapping: where each key stands
    inner: dict[Hashable, "Node"] = field(default_factory=dict)  # by key, or by number in a list


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    node: Node
    anchor: str | None
    key: Hashable = None
    key_mark: Mark | None = None  # None: a key comes next
    merging: bool = False
    merged: list[Node] = field(default_factory=list)

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.node.value, dict)

    @property
    def place(self) -> Hashable:
        """The key, or the number in a list, of what comes next."""
        return self.key if self.is_mapping else len(self.node.value)


def compose(text: str) -> tuple[Node | None, list[NotYamlError]]:
    """The value in that text, None when it is empty, and the keys that it has twice.

    A NotYamlError says why there is no value.
    """
    composer = _Composer()
    _fed(composer, text)
    return composer.root, composer.twice


def compose_all(text: str) -> tuple[list[Node], list[NotYamlError]]:
    """The same of each document in it, without those that are empty."""
    composer = _Composer(several=True)
    _fed(composer, text)
    return composer.roots, composer.twice


def _fed(composer: "_Composer", text: str) -> None:
    _refuse_control(text)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            composer.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Mark(1, 1) if mark is None else Mark(mark.line + 1, mark.column + 1)
        raise NotYamlError(place, _line_at(text, place), f"fix the YAML there: {_words_of(error)}") from None
    except yaml.YAMLError as error:
        raise NotYamlError(Mark(1, 1), text[:20], f"fix the YAML: {_words_of(error)}") from None


def mark_at(text: str, position: int) -> Mark:
    """The place of the letter with that number."""
    before = text[:position]
    return Mark(before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1)


class _Composer:
    """Takes events in; values of documents come out, where there may not be `several` that of the first."""

    def __init__(self, several: bool = False) -> None:
        self.roots: list[Node] = []
        self._several = several
        self.twice: list[NotYamlError] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._documents = 0

    @property
    def root(self) -> Node | None:
        """The first document's value."""
        return self.roots[0] if self.roots else None

    def take(self, event: Event) -> None:
        """The next event."""
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            self._anchors.clear()
            if self._documents > 1 and not self._several:
                raise NotYamlError(mark_of(event), "---", "write one document; remove the second one")
        elif isinstance(event, ScalarEvent):
            self._add(Node(scalar(event), mark_of(event)), event, event.anchor)
        elif isinstance(event, AliasEvent):
            self._add(self._anchored(event), event, None)
        elif isinstance(event, MappingStartEvent | SequenceStartEvent):
            self._begin(event)
        elif isinstance(event, CollectionEndEvent):
            self._end(event)

    def _begin(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        if event.tag not in _COLLECTIONS:
            raise NotYamlError(mark_of(event), event.tag, "leave the tag out")
        self._check_depth(event, 1)
        value: Any = {} if isinstance(event, MappingStartEvent) else []
        self._open.append(_Open(Node(value, mark_of(event)), event.anchor))

    def _end(self, event: CollectionEndEvent) -> None:
        ended = self._open.pop()
        if isinstance(event, MappingEndEvent):
            _merge(ended)
        self._add(ended.node, event, ended.anchor)

    def _add(self, node: Node, event: NodeEvent | CollectionEndEvent, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            self.roots.append(node)
            return
        into = self._open[-1]
        if into.is_mapping and into.key_mark is None:
            self._take_key(into, node)
            return
        self._check_depth(event, node.levels)
        if node.value is MERGE:  # which stands for a key only
            node.value = "<<"
        into.node.size += node.size
        into.node.levels = max(into.node.levels, node.levels + 1)
        if into.node.size > MOST_VALUES:
            raise NotYamlError(
                mark_of(event), f"more than {MOST_VALUES:,} values", "repeat less: its aliases hold aliases"
            )
        if into.is_mapping:
            _take_value(into, node)
        else:
            into.node.inner[len(into.node.value)] = node
            into.node.value.append(node.value)

    def _take_key(self, into: _Open, node: Node) -> None:
        key = node.value
        if isinstance(key, dict | list):
            raise NotYamlError(node.mark, key, "write a word or a number as the key")
        into.key, into.key_mark, into.merging = key, node.mark, key is MERGE
        if key in into.node.keys:
            first = into.node.keys[key].line
            remedy = f"take it out or rename it: the same key is already in line {first}"
            path = (*(one.place for one in self._open[:-1]), key)
            self.twice.append(NotYamlError(node.mark, key, remedy, path))

    def _check_depth(self, event: Event, levels: int) -> None:
        if len(self._open) + levels > DEEPEST:
            raise NotYamlError(mark_of(event), f"{DEEPEST + 1} levels", f"nest at most {DEEPEST}")

    def _anchored(self, event: AliasEvent) -> Node:
        if any(one.anchor == event.anchor for one in self._open):
            raise NotYamlError(mark_of(event), f"*{event.anchor}", "an anchor may not hold itself")
        found = self._anchors.get(str(event.anchor))
        if found is None:
            raise NotYamlError(mark_of(event), f"*{event.anchor}", f"no &{event.anchor} stands before it")
        return found


def _take_value(into: _Open, node: Node) -> None:
    assert into.key_mark is not None  # the key came before
    if into.merging:
        into.merged += _mappings(node)
    else:
        into.node.keys[into.key] = into.key_mark
        into.node.inner[into.key] = node
        into.node.value[into.key] = node.value
    into.key_mark = None


def _mappings(node: Node) -> list[Node]:
    """What a << brings in, the first of them strongest."""
    listed = list(node.inner.values()) if isinstance(node.value, list) else [node]
    for one in listed:
        if not isinstance(one.value, dict):
            raise NotYamlError(node.mark, one.value, "write a mapping, or a list of mappings, after <<")
    return listed


def _merge(ended: _Open) -> None:
    """Keys of mappings that were merged in, below those that the mapping has itself."""
    node = ended.node
    for one in ended.merged:
        for key, inner in one.inner.items():
            if key not in node.value:
                node.value[key], node.inner[key], node.keys[key] = inner.value, inner, one.keys[key]


def _refuse_control(text: str) -> None:
    """A NotYamlError for the first letter that may not stand in YAML."""
    found = Reader.NON_PRINTABLE.search(text)
    if found is not None:
        remedy = "take that letter out; a file of text has none of its kind"
        raise NotYamlError(mark_at(text, found.start()), found.group(), remedy)


def _words_of(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or str(error)
    context = getattr(error, "context", None)
    return f"{context}, {problem}" if context else str(problem)


def _line_at(text: str, mark: Mark) -> str:
    lines = text.splitlines()
    return lines[mark.line - 1].strip() if mark.line <= len(lines) else ""


def walk(node: Node, path: tuple[Hashable, ...]) -> Iterator[Node]:
    """The nodes along a path, as far as it goes."""
    yield node
    for part in path:
        if part not in node.inner:
            return
        node = node.inner[part]
        yield node
