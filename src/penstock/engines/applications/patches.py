"""The difference between two states, as JSON Merge Patch has it (RFC 7396): null stands for what is gone.

Therefore no state holds a null: what is not known is left out.
"""

from collections.abc import Mapping
from typing import Any


def patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What makes `after` of `before`; empty where they are equal.

    >>> patch({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 2, "d": 4}})
    {'b': {'d': 4}, 'a': None}
    """
    found: dict[str, Any] = {}
    for name, value in after.items():
        known = before.get(name)
        if isinstance(value, dict) and isinstance(known, dict):
            inner = patch(known, value)
            if inner:
                found[name] = inner
        elif name not in before or known != value or type(known) is not type(value):
            found[name] = value
    return {**found, **{name: None for name in before if name not in after}}


def patched(before: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The state after that change.

    >>> patched({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 4}, "a": None})
    {'b': {'c': 2, 'd': 4}}
    """
    found = dict(before)
    for name, value in change.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, dict):
            known = found.get(name)
            found[name] = patched(known if isinstance(known, dict) else {}, value)
        else:
            found[name] = value
    return found
