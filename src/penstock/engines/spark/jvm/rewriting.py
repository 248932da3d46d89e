"""A rewriting of a checkpoint's state, noted before it begins: what a failure or a crash leaves half done is undone.

Spark moves the state of a stopped query to other partitions in a batch of its own, without rows, after the last that
was committed. Until that batch is committed it keeps the query from starting, and nothing depends on it: it can be
forgotten. Real-time mode keeps keys and values as an aggregation in micro-batches does, and calls its operator
otherwise; Spark 4.3 rewrites state by the name in the checkpoint, refuses that of real-time mode, and wants it back at
the start. So, step by step:

| after this step | a crash leaves | the next start (`mend`) |
|---|---|---|
| the note is written | a note | removes it |
| operators are renamed | other names | gives them their own back |
| Spark enters its batch | a batch begun | forgets it |
| Spark rewrites the state | files that no batch names | forgets the batch and the new number of partitions |
| Spark commits its batch | the state in its new partitions | goes on with those |
| the names are back | a note | removes it |
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from penstock.engines.spark.jvm.checkpoint_files import CheckpointFiles
from penstock.engines.spark.jvm.class_homes import class_of, home_of
from penstock.engines.spark.jvm.real_time import PARTITIONS_CONF

_NOTE = "penstock-rewriting.json"
_REAL_TIME = '"operatorName":"StatefulStreamlineAggregate"'
_MICRO_BATCH = '"operatorName":"stateStoreSave"'


@dataclass(frozen=True, slots=True)
class RewritingNote:
    """What is about to be rewritten: the state after that batch, and what it says of its operators."""

    committed: int
    operators: Mapping[str, str]


@contextmanager
def rewriting(spark: SparkSession, checkpoint: str) -> Iterator[None]:
    """While the block lasts, Spark can rewrite the checkpoint's state; what did not come to its end is undone."""
    files = CheckpointFiles(spark, checkpoint)
    try:
        rename(files, noted(files, last_committed(spark, checkpoint)))
        yield
    finally:
        mend(spark, checkpoint)


def noted(files: CheckpointFiles, committed: int) -> RewritingNote:
    """Write down what is about to be done."""
    operators = [name for name in files.names("state") if files.exists(_metadata(name))]
    note = RewritingNote(committed, {name: files.read(_metadata(name)) for name in operators})
    files.write(_NOTE, json.dumps(asdict(note)))
    return note


def rename(files: CheckpointFiles, note: RewritingNote) -> None:
    """Real-time aggregations by the name of those in micro-batches."""
    for name, text in note.operators.items():
        _put(files, name, text.replace(_REAL_TIME, _MICRO_BATCH))


def mend(spark: SparkSession, checkpoint: str) -> None:
    """Undo what a rewriting left half done; doing it twice changes nothing."""
    files = CheckpointFiles(spark, checkpoint)
    if not files.exists(_NOTE):
        return
    note = RewritingNote(**json.loads(files.read(_NOTE)))
    done = last_committed(spark, checkpoint) > note.committed
    for name, text in note.operators.items():
        if not done:
            _put(files, name, text)
        elif _REAL_TIME in text:  # what else the rewriting wrote there, such as the number of partitions, stays
            _put(files, name, files.read(_metadata(name)).replace(_MICRO_BATCH, _REAL_TIME))
    if not done:
        logs_of(spark, checkpoint).offsetLog().purgeAfter(note.committed)
    files.remove(_NOTE)


def kept_partitions(spark: SparkSession, checkpoint: str) -> int | None:
    """The partitions of the state that a query finds at its next start; None where there is no checkpoint yet."""
    if not CheckpointFiles(spark, checkpoint).names("offsets"):
        return None
    mend(spark, checkpoint)
    latest = logs_of(spark, checkpoint).offsetLog().getLatest()
    return partitions_in(latest.get()._2()) if latest.isDefined() else None


def partitions_in(begun: Any) -> int:
    """In how many parts the state is cut, as a batch that was begun says it; Spark 4.2 gave the word another name."""
    try:
        metadata = begun.metadataOpt()
    except Py4JError:
        metadata = begun.metadata()
    return int(metadata.get().conf().apply(PARTITIONS_CONF))


def last_committed(spark: SparkSession, checkpoint: str) -> int:
    """The batch that was committed last."""
    return int(logs_of(spark, checkpoint).commitLog().getLatestBatchId().get())


@dataclass(frozen=True, slots=True)
class Logs:
    """The logs of a checkpoint's batches: those that were begun, and those that were committed."""

    offsets: Any
    commits: Any

    def offsetLog(self) -> Any:  # noqa: N802 (as Spark calls it)
        """Batches that were begun."""
        return self.offsets

    def commitLog(self) -> Any:  # noqa: N802
        """Batches that were committed."""
        return self.commits


def logs_of(spark: SparkSession, checkpoint: str) -> Logs:
    """The logs of a checkpoint's batches. From 4.1 on Spark has one class for both; every Spark has the two."""
    return Logs(_log(spark, "OffsetSeqLog", f"{checkpoint}/offsets"), _log(spark, "CommitLog", f"{checkpoint}/commits"))


def _log(spark: SparkSession, name: str, place: str) -> Any:
    """From Spark 4.2 on it is said whether it is only read."""
    jvm: Any = spark.sparkContext._jvm
    made = class_of(jvm, name)
    takes = jvm.java.lang.Class.forName(home_of(jvm, name)).getConstructors()[0].getParameterCount()
    return made(spark._jsparkSession, place, False) if takes == 3 else made(spark._jsparkSession, place)


def _metadata(operator: str) -> str:
    return f"state/{operator}/_metadata/metadata"


def _put(files: CheckpointFiles, operator: str, text: str) -> None:
    if files.read(_metadata(operator)) != text:
        files.write(_metadata(operator), text)
