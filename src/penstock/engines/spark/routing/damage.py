"""A file of a route that is there and is none that was written: refused by its name, with what to do about it."""

from collections.abc import Iterator
from contextlib import contextmanager

from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.errors import EngineError, told

OF_A_BOOK = "bring it back from a copy of the book, or begin with a new checkpoint"
OF_A_CHECKPOINT = "bring it back from a copy of the checkpoint, or begin with a new one"


class DamagedError(EngineError):
    """The file is there, and is none that was written to it."""


@contextmanager
def whole(files: Files, name: str, remedy: str) -> Iterator[None]:
    """While what was in that file is read: whatever is wrong with it, it is wrong with this file only."""
    try:
        yield
    except Exception as error:
        raise DamagedError(f"{files.location}/{name} is damaged ({told(error)}); {remedy}") from None
