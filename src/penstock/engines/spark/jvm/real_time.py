"""Real-time mode: a query whose every operator runs as long-lived tasks, all of them in slots at once.

Here threads per operator are exactly Spark's tasks: one for each partition of the topics at the source, and as many as
there are shuffle partitions behind each shuffle. What qualifies is checked before the start, and said in a sentence.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jobs.modes import LongLived
from penstock.engines.spark.jvm.kafka_admin import login_of
from penstock.engines.spark.jvm.kafka_sources import broker_at
from penstock.errors import EngineError

PARTITIONS_CONF = "spark.sql.shuffle.partitions"
FORMAT_CONF = "spark.sql.streaming.stateStore.checkpointFormatVersion"
_ASKED_FOR_S = 10.0
_SOURCE = "StreamingRelationV2"
_SHUFFLED = {
    "Aggregate": "aggregate",
    "Distinct": "distinct",
    "Deduplicate": "deduplicate",
    "DeduplicateWithinWatermark": "deduplicate",
    "TransformWithState": "transform",
    "Repartition": "repartition",
    "RepartitionByExpression": "repartition",
}
# Of one task with what feeds them. The list is Spark's own (RealTimeModeAllowlist), in names of the logical plan.
_CHAINED = {
    "AppendColumns", "CollectMetrics", "DeserializeToObject", "EventTimeWatermark", "Expand", "Filter", "Generate",
    "MapElements", "MapPartitions", "Project", "ResolvedHint", "SerializeFromObject", "SubqueryAlias", "Union",
    "UpdateEventTimeWatermarkColumn", "View",
}  # fmt: skip


def long_lived(
    spark: SparkSession, name: str, writer: DataStreamWriter, kept: int | None = None
) -> tuple[LongLived, ...]:
    """The tasks that this query needs at once; an EngineError says why it does not qualify.

    `kept` are the partitions of the state that it has already.
    """
    shuffled = kept or int(spark.conf.get(PARTITIONS_CONF) or 1)
    found: list[LongLived] = []
    for node in _nodes(_plan(writer)):
        kind = str(node.nodeName())
        if kind == _SOURCE:
            found.append(LongLived(_named("source", found), _partitions(name, node), is_source=True))
        elif kind in _SHUFFLED:
            found.append(LongLived(_named(_SHUFFLED[kind], found), shuffled))
        elif kind == "Join":
            _check_join(name, node)
        elif kind not in _CHAINED and node.isStreaming():
            raise EngineError(
                f"{name}: real-time mode cannot run its operator {kind}; use map-like operators, aggregation or "
                "deduplication, or leave real_time out"
            )
    return tuple(found)


def _plan(writer: DataStreamWriter) -> Any:
    frame: Any = writer._df
    return frame._jdf.queryExecution().analyzed()


def _nodes(plan: Any) -> Iterator[Any]:
    """From the source to the sink."""
    children = plan.children()
    for index in range(children.size()):
        yield from _nodes(children.apply(index))
    yield plan


def _named(operator: str, found: list[LongLived]) -> str:
    number = sum(1 for known in found if known.operator.partition("_")[0] == operator)
    return operator if number == 0 else f"{operator}_{number + 1}"


def _partitions(name: str, node: Any) -> int:
    options = node.extraOptions()
    bootstrap, topics = options.get("kafka.bootstrap.servers"), options.get("subscribe")
    if bootstrap is None or topics is None:
        raise EngineError(
            f"{name}: real-time mode needs a Kafka source that subscribes to topics, or leave real_time out"
        )
    if options.get("maxOffsetsPerTrigger") is not None:
        raise EngineError(
            f"{name}: real-time mode has no bound of a batch; leave maxOffsetsPerTrigger out of its source"
        )
    listed = [topic.strip() for topic in topics.split(",")]
    broker = broker_at(bootstrap, login_of(options), _ASKED_FOR_S)
    try:
        ends = broker.read_each(listed)
    finally:
        broker.close()
    return sum(_partitions_of(name, bootstrap, topic, ends[topic]) for topic in listed)


def _partitions_of(name: str, bootstrap: str, topic: str, ends: Mapping[int, int] | EngineError) -> int:
    if isinstance(ends, EngineError):
        raise EngineError(f"{name}: topic {topic}: {ends}")
    if not ends:
        raise EngineError(f"{name}: there is no topic {topic} at {bootstrap}; make it before the job starts")
    return len(ends)


def _check_join(name: str, node: Any) -> None:
    if node.left().isStreaming() and node.right().isStreaming():
        raise EngineError(f"{name}: real-time mode cannot join two streams; leave real_time out")


def as_real_time(writer: DataStreamWriter, batch_s: float) -> DataStreamWriter:
    """The same query in real-time mode; an EngineError where this Spark has none."""
    try:
        return writer.trigger(realTime=f"{round(batch_s * 1000)} milliseconds")  # type: ignore[call-overload, no-any-return]
    except (TypeError, Py4JError) as error:
        raise EngineError(
            f"this Spark has no real-time mode ({error}); use Spark 4.3, or leave real_time out"
        ) from None
