"""The files of a checkpoint, wherever it is kept; and where a query that is about to start keeps its own."""

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

_LOCATION = "checkpointLocation"
_LOCATIONS_CONF = "spark.sql.streaming.checkpointLocation"


def location_of(spark: SparkSession, writer: DataStreamWriter, name: str) -> str | None:
    """Where the query of that name will keep its checkpoint; None where Spark makes one up at each start."""
    java: Any = writer._jwrite
    options = java.getClass().getDeclaredField("extraOptions")
    options.setAccessible(True)
    said = options.get(java).get(_LOCATION)
    if said.isDefined():
        return str(said.get())
    home = spark.conf.get(_LOCATIONS_CONF, None)
    return None if home is None else f"{home}/{name}"


class CheckpointFiles:
    """Small texts below a checkpoint: written whole or not at all."""

    def __init__(self, spark: SparkSession, checkpoint: str) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        self._text = jvm.org.apache.commons.io.IOUtils.toString
        self._root = self._path(checkpoint)
        conf = spark._jsparkSession.sessionState().newHadoopConf()
        self._system = self._root.getFileSystem(conf)
        manager = jvm.org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
        self._manager = manager.create(self._root, conf)

    @property
    def local(self) -> Path | None:
        """Its directory, where it is one of this machine's file system."""
        place = self._system.makeQualified(self._root).toUri()
        return Path(str(place.getPath())) if str(place.getScheme()) == "file" else None

    def exists(self, name: str) -> bool:
        """Whether there is such a file or directory."""
        return bool(self._system.exists(self._at(name)))

    def names(self, directory: str) -> list[str]:
        """What is in a directory."""
        if not self.exists(directory):
            return []
        return sorted(str(status.getPath().getName()) for status in self._system.listStatus(self._at(directory)))

    def read(self, name: str) -> str:
        """All of a file."""
        stream = self._system.open(self._at(name))
        try:
            return str(self._text(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, name: str, text: str) -> None:
        """That text in its place: a crash leaves the old one or the new one."""
        stream = self._manager.createAtomic(self._at(name), True)
        try:
            stream.write(bytearray(text, "utf-8"))
        except BaseException:
            stream.cancel()
            raise
        stream.close()

    def remove(self, name: str) -> None:
        """Without that file; it may be gone already."""
        self._system.delete(self._at(name), False)

    def _at(self, name: str) -> Any:
        return self._path(self._root, name)
