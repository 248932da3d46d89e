"""Fields that Spark keeps to itself, by Java's reflection: what of its objects nothing else tells or sets."""

from typing import Any


def value_of(thing: Any, name: str) -> Any:
    """What a field of it holds."""
    return field_of(thing, name).get(thing)


def field_of(thing: Any, name: str) -> Any:
    """The field itself, to be read and written; an error of Py4J's where this Spark has none of that name."""
    field = thing.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field
