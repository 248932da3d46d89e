"""Where this Spark keeps a class of its streaming: 4.1 moved most of them into packages of their own."""

from typing import Any

from py4j.protocol import Py4JError

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
    try:
        jvm.java.lang.Class.forName(name)
    except Py4JError:
        return False
    return True


def class_of(jvm: Any, name: str) -> Any:
    """A class of streaming: called, it makes one; its members are the static side."""
    found = jvm
    for part in home_of(jvm, name).split("."):
        found = getattr(found, part)
    return found
