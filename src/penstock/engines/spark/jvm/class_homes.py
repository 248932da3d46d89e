"""Where this Spark keeps a class of its streaming: 4.1 moved most of them into packages of their own."""

from typing import Any

from py4j.java_gateway import JavaClass

_STREAMING = "org.apache.spark.sql.execution.streaming"
_PACKAGES = (f"{_STREAMING}.runtime", f"{_STREAMING}.checkpointing", _STREAMING)


def homes_of(name: str) -> tuple[str, ...]:
    """The full names that a class of streaming has or had.

    >>> homes_of("FileStreamSource")[-1]
    'org.apache.spark.sql.execution.streaming.FileStreamSource'
    """
    return tuple(f"{package}.{name}" for package in _PACKAGES)


def home_of(jvm: Any, name: str) -> str:
    """The one that this Spark has; its newest name where it has none, so that what fails says that."""
    return next((home for home in homes_of(name) if there(jvm, home)), homes_of(name)[0])


def there(jvm: Any, name: str) -> bool:
    """Whether there is a class of that full name."""
    return isinstance(_named(jvm, name), JavaClass)


def class_of(jvm: Any, name: str) -> Any:
    """A class of streaming: called, it makes one; its members are the static side."""
    return _named(jvm, home_of(jvm, name))


def _named(jvm: Any, name: str) -> Any:
    """What py4j calls it: a class, or a package where there is none. To have it thrown costs 10 ms and more."""
    found = jvm
    for part in name.split("."):
        found = getattr(found, part)
    return found
