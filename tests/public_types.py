"""The types that whoever calls penstock meets: what public functions take and give, and what of these is described.

A class is described in docs/reference/python.md with all its public members, or with those that its `members` name; a
module with the names in its `__all__`.
"""

import ast
import importlib
import inspect
import sys
import typing
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import yaml

import penstock as ps

Described = Mapping[str, frozenset[str] | None]  # the members of each class by its name; None: all of them


def described(reference: str) -> Described:
    """What the page describes, by name.

    >>> described("::: penstock.loop.Loop\\n    options: {members: [start]}\\n\\n::: penstock.loop.drive\\n")
    {'Loop': frozenset({'start'}), 'drive': None}
    """
    found: dict[str, frozenset[str] | None] = {}
    for block in reference.split("\n::: ")[0 if reference.startswith("::: ") else 1 :]:
        path, _, below = block.removeprefix("::: ").partition("\n")
        options = "\n".join(line for line in below.splitlines() if line.startswith("    "))
        members = (yaml.safe_load(options) or {}).get("options", {}).get("members")
        shown = None if members is None else frozenset(members or ())
        found |= {one.rpartition(".")[2]: shown for one in names_at(path)}
    return found


def names_at(path: str) -> list[str]:
    """What stands where the page has `::: path`, each with its module.

    >>> names_at("penstock.core.seen.juice.juice"), names_at("penstock.core.levers")[-2:]
    (['penstock.core.seen.juice.juice'], ['penstock.core.levers.Trigger', 'penstock.core.levers.thread_move'])
    """
    home, _, name = path.rpartition(".")
    module = getattr(importlib.import_module(home), name, None)
    return [f"{path}.{one}" for one in module.__all__] if isinstance(module, ModuleType) else [path]


def met(name: str, shown: Described) -> Iterator[tuple[str, type]]:
    """Where in a public name's own types which type of penstock stands."""
    what = getattr(ps, name)
    for where, hints in _hinted(name, what, shown.get(name)):
        for parameter, hint in hints.items():
            for part in _parts(hint):
                if part.__module__.partition(".")[0] == "penstock":
                    yield f"{where}: {parameter}", part


def _hinted(name: str, what: Any, members: frozenset[str] | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each function or class with the annotations that it has."""
    if isinstance(what, FunctionType):
        yield name, _hints(inspect.unwrap(what))
    elif not isinstance(what, type):
        yield name, {"is": what}  # an alias
    else:
        fields = _hints(what) if is_dataclass(what) else {}
        yield name, {field: hint for field, hint in fields.items() if _is_shown(field, members)}
        for attribute, value in vars(what).items():
            function = _function(value)
            if function is not None and _is_shown(attribute, members):
                yield f"{name}.{attribute}", _hints(function)


def _is_shown(attribute: str, members: frozenset[str] | None) -> bool:
    return not attribute.startswith("_") if members is None else attribute in members


def _function(value: object) -> FunctionType | None:
    inner = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    inner = inspect.unwrap(inner) if callable(inner) else None
    ours = isinstance(inner, FunctionType) and inner.__module__.startswith("penstock")
    return inner if ours and isinstance(inner, FunctionType) else None


def _hints(what: Any) -> Mapping[str, Any]:
    return typing.get_type_hints(what, _names(sys.modules[what.__module__]))


@cache
def _names(module: ModuleType) -> dict[str, Any]:
    """Those of a module, with what it imports for type checkers alone."""
    found = dict(vars(module))
    for statement in ast.parse(inspect.getsource(module)).body:
        if isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test):
            for line in statement.body:
                if isinstance(line, ast.ImportFrom) and line.module is not None:
                    home = importlib.import_module(line.module)
                    found |= {name.asname or name.name: getattr(home, name.name) for name in line.names}
    return found


def _parts(hint: Any) -> Iterator[type]:
    """The classes that an annotation is made of."""
    if isinstance(hint, list | tuple):
        for part in hint:
            yield from _parts(part)
    elif typing.get_origin(hint) is typing.Literal:
        return
    elif typing.get_args(hint):
        yield from _parts(typing.get_args(hint))
        yield from _parts(typing.get_origin(hint))
    elif isinstance(hint, type):
        yield hint
