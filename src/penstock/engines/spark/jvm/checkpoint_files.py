"""The files of a checkpoint, wherever it is kept; and where a query that is about to start keeps its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jvm.class_homes import class_of
from penstock.engines.spark.jvm.private_fields import value_of
from penstock.errors import EngineError, told

_LOCATION, _NAME = "checkpointLocation", "queryName"
_LOCATIONS_CONF = "spark.sql.streaming.checkpointLocation"
_THERE_ALREADY = "FileAlreadyExistsException"


def location_of(spark: SparkSession, writer: DataStreamWriter, name: str | None = None) -> str | None:
    """Where the query of that name, else of the writer's, will keep its checkpoint; None: in a new place each time."""
    java: Any = writer._jwrite
    options = value_of(java, "extraOptions")
    said = options.get(_LOCATION)
    if said.isDefined():
        return str(said.get())
    named = options.get(_NAME)
    if name is None and named.isDefined():
        name = str(named.get())
    home = spark.conf.get(_LOCATIONS_CONF, None)
    return None if home is None or name is None else f"{home}/{name}"


class Files(Protocol):
    """Files below a directory, named by their paths in it; written whole or not at all."""

    @property
    def location(self) -> str:
        """The directory, as Spark and Hadoop take it: not percent-encoded."""

    def below(self, directory: str) -> "Files":
        """The files of a directory of this one."""

    def exists(self, name: str) -> bool:
        """Whether there is such a file or directory."""

    def names(self, directory: str) -> list[str]:
        """What is in a directory, sorted."""

    def tree(self, directory: str) -> list[str]:
        """All files in a directory and the directories in it, sorted."""

    def read(self, name: str) -> str:
        """All of a file."""

    def load(self, name: str) -> bytes:
        """All of a file that is no text."""

    def write(self, name: str, content: str | bytes) -> None:
        """That content in its place: a crash leaves the old one or the new one."""

    def create(self, name: str, content: str | bytes) -> bool:
        """The same, but never over another: False when there was such a file."""

    def remove(self, name: str) -> None:
        """Without that file; it may be gone already."""


class CheckpointFiles:
    """Files on whatever Hadoop has a client for, written as Spark writes those of a checkpoint."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        self._spark = spark
        jvm: Any = spark.sparkContext._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._io = jvm.org.apache.commons.io.IOUtils
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        self._system = self._path(checkpoint).getFileSystem(conf)
        self._root = self._system.makeQualified(self._path(checkpoint))
        manager = class_of(jvm, "CheckpointFileManager")
        self._manager = manager.create(self._root, conf)

    @property
    def location(self) -> str:
        """The directory, with the scheme of its file system."""
        return str(self._root.toString())

    def below(self, directory: str) -> "CheckpointFiles":
        """The files of a directory of this one."""
        return CheckpointFiles(self._spark, str(self._at(directory).toString()))

    def exists(self, name: str) -> bool:
        """Whether there is such a file or directory."""
        return bool(self._system.exists(self._at(name)))

    def names(self, directory: str) -> list[str]:
        """What is in a directory."""
        if not self.exists(directory):
            return []
        return sorted(str(status.getPath().getName()) for status in self._system.listStatus(self._at(directory)))

    def tree(self, directory: str) -> list[str]:
        """All files in a directory and the directories in it."""
        if not self.exists(directory):
            return []
        found, listed = [], self._system.listFiles(self._at(directory), True)
        begin = len(str(self._root.toUri().getPath())) + 1
        while listed.hasNext():
            found.append(str(listed.next().getPath().toUri().getPath())[begin:])
        return sorted(found)

    def read(self, name: str) -> str:
        """All of a file."""
        return self.load(name).decode("utf-8")

    def load(self, name: str) -> bytes:
        """All of a file that is no text."""
        stream = self._system.open(self._at(name))
        try:
            return bytes(self._io.toByteArray(stream))
        finally:
            stream.close()

    def write(self, name: str, content: str | bytes) -> None:
        """That content in its place: a crash leaves the old one or the new one."""
        self._put(name, content, over=True)
        if self.load(name) != _bytes(content):
            self._put_straight(name, content)

    def create(self, name: str, content: str | bytes) -> bool:
        """The same, but never over another: False when there was such a file."""
        if self.exists(name):
            return False
        try:
            self._put(name, content, over=False)
        except Py4JJavaError as error:
            if str(error.java_exception.getClass().getName()).endswith(_THERE_ALREADY):
                return False  # two at once: the first wins
            raise
        return True

    def remove(self, name: str) -> None:
        """Without that file; it may be gone already."""
        self._system.delete(self._at(name), False)

    def _put(self, name: str, content: str | bytes, over: bool) -> None:
        self._system.mkdirs(self._at(name).getParent())
        stream = self._manager.createAtomic(self._at(name), over)
        try:
            stream.write(bytearray(_bytes(content)))
        except BaseException:
            stream.cancel()
            raise
        stream.close()

    def _put_straight(self, name: str, content: str | bytes) -> None:
        """Where Spark's manager renames, and the file system does not rename over a file, it leaves the old one.

        Object stores, where that is so, take a file as a whole when it is closed.
        """
        stream = self._system.create(self._at(name), True)
        stream.write(bytearray(_bytes(content)))
        stream.close()
        directory, _, base = name.rpartition("/")
        for left in self.names(directory or "."):
            if left.startswith(f".{base}.") and left.endswith(".tmp"):
                self.remove(f"{directory}/{left}" if directory else left)

    def _at(self, name: str) -> Any:
        return self._path(self._root, name)


@contextmanager
def reached(files: Files) -> Iterator[None]:
    """While files are read and written: what their storage raises by itself says neither where nor what to do."""
    try:
        yield
    except (OSError, Py4JError) as error:
        raise EngineError(
            f"{files.location} cannot be read or written ({told(error)}); nothing is lost: see that it is reachable "
            "and has room, and start the query again"
        ) from error


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content
