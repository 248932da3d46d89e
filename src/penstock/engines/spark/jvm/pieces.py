"""Pieces: the most rows that one task of a running query reads, where it reads topics of Kafka alone.

Before each batch a source asks a calculator of its own to cut what the batch is to take into ranges, one for each task:
as many as there are partitions, or more where the query's options say so. Another calculator in its place cuts smaller
ones. What a batch takes was said before, so no row is lost or read twice; a range may be cut anew whenever it is read.
"""

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql.streaming.query import StreamingQuery

from penstock.engines.spark.jobs.query import TaskPiece
from penstock.engines.spark.jvm.kafka_sources import options_of, streams
from penstock.engines.spark.jvm.private_fields import field_of, value_of
from penstock.engines.spark.jvm.read_limits import ReadLimits
from penstock.errors import EngineError, first_line

_CALCULATOR, _BY_COUNT, _BY_ROWS = "rangeCalculator", "minPartitions", "maxRecordsPerPartition"


def piece(query: StreamingQuery) -> TaskPiece | None:
    """How it stands; None for a query with other sources, before its first batch, and where Spark cuts by count."""
    try:
        readers = _readers(query)
        if not readers:
            return None
        rows = [_some(value_of(value_of(reader, _CALCULATOR), _BY_ROWS)) for reader in readers]
        own = [_some(value_of(reader, option)) for reader in readers for option in (_BY_COUNT, _BY_ROWS)]
    except Py4JError:
        return None  # a query that is gone, or Spark before 4.0
    known = [one for one in rows if one is not None]
    return TaskPiece(min(known) if known else None, by_people=any(one is not None for one in own))


def cut(query: StreamingQuery, jvm: ReadLimits, rows: int | None) -> None:
    """Have each of its tasks read at most so many, from the batch on that is planned next; None: as its options say."""
    try:
        for reader in _readers(query):
            by_rows = value_of(reader, _BY_ROWS) if rows is None else jvm.some_long(rows)
            field = field_of(reader, _CALCULATOR)
            field.set(reader, jvm.like(field.get(reader), value_of(reader, _BY_COUNT), by_rows))
    except Py4JError as error:
        raise EngineError(f"the tasks of {query.name} cannot be cut: {first_line(error)}") from error


def _readers(query: StreamingQuery) -> list[Any]:
    """Of its sources; none where one of them is not Kafka's."""
    sources = list(streams(query))
    if any(options_of(stream) is None for stream in sources):
        return []
    return [value_of(stream, "kafkaOffsetReader") for stream in sources]


def _some(option: Any) -> int | None:
    """What an option of Scala's holds."""
    return int(option.get()) if option.isDefined() else None
