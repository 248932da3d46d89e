"""Files of a checkpoint whose storage is at fault, for as long as somebody wants it to be."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Event

from penstock.engines.spark.jvm.checkpoint_files import Files
from penstock.errors import EngineError


class StorageError(OSError):
    """What the storage raises."""


@dataclass
class Fault:
    """What is so until it is lifted: nothing can be reached, nothing has room, or some files are refused or hang."""

    away: bool = False
    full: bool = False
    refused: Sequence[str] = ()  # the beginnings of the names of those that cannot be written
    hangs: Sequence[str] = ()  # of those whose writing stands still
    hung: Event = field(default_factory=Event)
    lifted: Event = field(default_factory=Event)


class FaultyFiles:
    """The files behind it, with that fault."""

    def __init__(self, files: Files, fault: Fault, prefix: str = "") -> None:
        self._files, self._fault, self._prefix = files, fault, prefix

    @property
    def location(self) -> str:
        return self._files.location

    def below(self, directory: str) -> "FaultyFiles":
        return FaultyFiles(self._files.below(directory), self._fault, f"{self._prefix}{directory}/")

    def exists(self, name: str) -> bool:
        return self._reached().exists(name)

    def names(self, directory: str) -> list[str]:
        return self._reached().names(directory)

    def tree(self, directory: str) -> list[str]:
        return self._reached().tree(directory)

    def read(self, name: str) -> str:
        return self._reached().read(name)

    def load(self, name: str) -> bytes:
        return self._reached().load(name)

    def write(self, name: str, content: str | bytes) -> None:
        self._written(name).write(name, content)

    def create(self, name: str, content: str | bytes) -> bool:
        return not self.exists(name) and self._written(name).create(name, content)

    def remove(self, name: str) -> None:
        self._reached().remove(name)

    def _reached(self) -> Files:
        if self._fault.away:
            raise StorageError("connection refused")
        return self._files

    def _written(self, name: str) -> Files:
        if self._fault.full:
            raise StorageError("no space left")
        if f"{self._prefix}{name}".startswith(tuple(self._fault.refused)):
            raise EngineError(f"{self._prefix}{name} is refused")
        if f"{self._prefix}{name}".startswith(tuple(self._fault.hangs)):
            self._fault.hung.set()
            self._fault.lifted.wait()
        return self._reached()
