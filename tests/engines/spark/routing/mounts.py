"""Checkpoints that Hadoop's client has in its care, on this machine's disk."""

import uuid
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def mounted(spark: SparkSession, place: Path, scheme: str) -> str:
    """A checkpoint of that scheme, whose files Hadoop's client keeps below the place."""
    (place / "mounted").mkdir()
    conf: Any = spark.sparkContext._jsc.hadoopConfiguration()
    conf.set("fs.stub.impl", "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme")
    conf.set("fs.viewfs.overload.scheme.target.file.impl", "org.apache.hadoop.fs.LocalFileSystem")
    name = f"c{uuid.uuid4().hex[:8]}"
    conf.set(f"fs.viewfs.mounttable.{name}.link./data", f"file://{place}/mounted")
    return f"{scheme}://{name}/data/checkpoint"
