"""Tables of a lake: one that a query reads, and one that it writes."""

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter


@dataclass(frozen=True, slots=True)
class Lake:
    """Where rows come from and go to, and the query between them."""

    kind: str
    source: str
    sink: str
    checkpoint: str

    def make(self, spark: SparkSession) -> None:
        """Both tables, empty."""
        empty = spark.range(0)
        if self.kind == "iceberg":
            for table in (self.source, self.sink):
                empty.writeTo(table).using("iceberg").create()
        else:
            for table in (self.source, self.sink):
                empty.write.format(self.kind).save(table)

    def arrive(self, spark: SparkSession, first: int, beyond: int) -> None:
        """Rows with these numbers, in one commit."""
        rows = spark.range(first, beyond).coalesce(1)
        if self.kind == "iceberg":
            rows.writeTo(self.source).append()
        else:
            rows.write.format(self.kind).mode("append").save(self.source)

    def job(self, spark: SparkSession) -> DataStreamWriter:
        """From the one into the other."""
        rows = spark.readStream.format(self.kind).load(self.source)
        writer = rows.writeStream.format(self.kind).outputMode("append").option("path", self.sink)
        return writer.option("checkpointLocation", self.checkpoint).trigger(processingTime="200 milliseconds")

    def written(self, spark: SparkSession) -> list[int]:
        """The numbers of all rows that came, in order."""
        table = spark.table(self.sink) if self.kind == "iceberg" else spark.read.format(self.kind).load(self.sink)
        return sorted(row.id for row in table.collect())


def delta(work: Path) -> Lake:
    """Tables by their paths."""
    return Lake("delta", str(work / "in"), str(work / "out"), str(work / "checkpoint"))


def iceberg(name: str, work: Path) -> Lake:
    """Tables of a catalog."""
    return Lake("iceberg", f"lake.{name}.incoming", f"lake.{name}.outgoing", str(work / "checkpoint"))
