"""Files of a checkpoint that is on this machine, without the JVM between."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.checkpoint_files import CheckpointFiles, Files
from penstock.engines.spark.jvm.checkpoint_writer import write_as_spark_does
from penstock.errors import EngineError, first_line

_FILE = "file:"
_DEFAULT = "fs.defaultFS"


def files_at(spark: SparkSession, location: str | Path) -> Files:
    """The files of that directory, which is where Spark would take it to be."""
    found = local_path(location, lambda: _default_system(spark))
    if found is not None:
        return LocalFiles(found)
    write_as_spark_does(spark)
    try:
        return CheckpointFiles(spark, str(location))
    except Py4JError as error:
        raise EngineError(
            f"{location} cannot be reached, so nothing was written or started there: {first_line(error)}. Give Spark "
            "the file system's client and credentials, or a checkpoint that it can reach"
        ) from error


def same_place(one: Files | None, other: Files | None) -> bool:
    """Whether both are the same directory, by whatever names; also when there is none."""
    if isinstance(one, LocalFiles) and isinstance(other, LocalFiles):
        return one.root.resolve() == other.root.resolve()
    return (None if one is None else one.location) == (None if other is None else other.location)


def local_path(location: str | Path, default_system: Callable[[], str] = lambda: "file:///") -> Path | None:
    """The directory on this machine that is meant; None for one elsewhere.

    As Hadoop reads it: %20 is no space but three characters, and a path alone is on the default file system.

    >>> str(local_path("file:///tmp/my orders")), local_path("s3a://bucket/orders")
    ('/tmp/my orders', None)
    """
    if isinstance(location, Path):
        return location.absolute()
    scheme = location.split("/", 1)[0]
    if scheme == _FILE:
        return Path("/" + location.removeprefix(_FILE).lstrip("/"))
    if scheme.endswith(":") or not default_system().startswith(_FILE):
        return None
    return Path(location).absolute()


@contextmanager
def readable_state(spark: SparkSession, location: str) -> Iterator[None]:
    """While the block lasts, Spark can read the state of a checkpoint whose name holds a space or the like.

    Spark 4.3's reader of state encodes the location and then takes "my%20orders" for the directory's name: so that is
    what a link beside "my orders" is called.
    """
    with ExitStack() as links:
        for depth, encoded in special_names(spark, location).items():
            path = local_path(location, lambda: _default_system(spark))
            if path is None:
                raise EngineError(f"{location}: Spark cannot read state below {encoded}; use another checkpoint")
            place = Path(*path.parts[: depth + 1])
            links.enter_context(_linked(place.with_name(encoded), place))
        yield


@contextmanager
def _linked(link: Path, place: Path) -> Iterator[None]:
    made = not os.path.lexists(link)
    if made:
        link.symlink_to(place.name)
    if not link.exists() or not link.samefile(place):  # a link that a crash left will do
        raise EngineError(f"{link} is in the way: Spark would read the state there, not that in {place}; rename one")
    try:
        yield
    finally:
        if made:
            link.unlink()


def special_names(spark: SparkSession, location: str) -> dict[int, str]:
    """What becomes of the names in a location that URIs encode, by their depth below the root."""
    jvm: Any = spark.sparkContext._jvm
    uri = jvm.org.apache.hadoop.fs.Path(location).toUri()
    names, encoded = str(uri.getPath()).split("/"), str(uri.getRawPath()).split("/")
    return {depth: found for depth, found in enumerate(encoded) if found != names[depth]}


def _default_system(spark: SparkSession) -> str:
    java: Any = spark.sparkContext._jsc
    return str(java.hadoopConfiguration().get(_DEFAULT))


class LocalFiles:
    """Files below a directory of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def location(self) -> str:
        """The directory, with its scheme: the default file system may be another."""
        return f"{_FILE}{self.root}"

    def below(self, directory: str) -> "LocalFiles":
        """The files of a directory of this one."""
        return LocalFiles(self.root / directory)

    def exists(self, name: str) -> bool:
        """Whether there is such a file or directory."""
        return (self.root / name).exists()

    def names(self, directory: str) -> list[str]:
        """What is in a directory."""
        found = self.root / directory
        return sorted(path.name for path in found.iterdir()) if found.is_dir() else []

    def tree(self, directory: str) -> list[str]:
        """All files in a directory and the directories in it."""
        found = (path for path in (self.root / directory).rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.root)) for path in found)

    def read(self, name: str) -> str:
        """All of a file."""
        return (self.root / name).read_text(encoding="utf-8")

    def load(self, name: str) -> bytes:
        """All of a file that is no text."""
        return (self.root / name).read_bytes()

    def write(self, name: str, content: str | bytes) -> None:
        """That content in its place: a crash leaves the old one or the new one."""
        path = self.root / name
        _scratch(path, content).replace(path)
        _on_disk(path.parent)

    def create(self, name: str, content: str | bytes) -> bool:
        """The same, but never over another: False when there was such a file."""
        path = self.root / name
        if path.exists():
            return False
        scratch = _scratch(path, content)
        try:
            os.link(scratch, path)
        except FileExistsError:
            return False  # two at once: the first wins
        except OSError:  # a file system without links
            if path.exists():
                return False
            scratch.rename(path)
        finally:
            scratch.unlink(missing_ok=True)
        _on_disk(path.parent)
        return True

    def remove(self, name: str) -> None:
        """Without that file, and what Hadoop's client keeps to check it; it may be gone already."""
        path = self.root / name
        path.unlink(missing_ok=True)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        if path.parent.is_dir():
            _on_disk(path.parent)


def _scratch(path: Path, content: str | bytes) -> Path:
    """A finished file beside the path; executors of another user may read it."""
    _directory(path.parent)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, 0o644)
    except OSError:  # a disk that is full has no room for what nobody reads
        Path(scratch).unlink(missing_ok=True)
        raise
    return Path(scratch)


def _directory(path: Path) -> None:
    """That directory, with its own name on the disk and those of all that had to be made for it."""
    if path.is_dir():
        return
    _directory(path.parent)
    path.mkdir(exist_ok=True)
    _on_disk(path.parent)


def _on_disk(directory: Path) -> None:
    """A name is on the disk, or gone from it, when the directory that it is in has been written there."""
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
