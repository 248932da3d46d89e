"""What this Spark can do, found out by trying and not by its number: what governing needs, and what single levers need.

A session that lacks what all is built on is refused with the remedy. What only one lever or figure needs is said once,
and that one is off.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession, functions
from pyspark.sql.streaming.readwriter import DataStreamWriter

from penstock.engines.spark.jvm.batch_limits import BatchLimits
from penstock.engines.spark.jvm.class_homes import homes_of, there
from penstock.engines.spark.jvm.quantiles import has_sketches
from penstock.errors import EngineError, first_line

FAIR_LINE = '.config("spark.scheduler.mode", "FAIR")'
_SQL = "org.apache.spark.sql"

_log = logging.getLogger("penstock.spark")


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing that some Sparks can do. `without` is what penstock does where it is missing."""

    name: str
    serves: str
    here: bool
    since: str  # the first Spark that has it, for whoever wants it
    without: str = ""
    needed: bool = False  # for governing at all


def check_session(spark: Any) -> None:
    """Raise an EngineError that names the remedy when this session cannot be governed."""
    check_kind(spark)
    context = spark.sparkContext
    mode = scheduler_mode(context)
    if mode != "FAIR":
        raise EngineError(
            f"spark.scheduler.mode is {mode}, so shares have no effect; add {FAIR_LINE} where you build the session, "
            "before its first query starts"
        )
    _check_levers(context)


def check_kind(spark: Any) -> None:
    """Only a classic session can be governed, whatever it is set to."""
    _refuse_connect(spark)
    if not isinstance(spark, SparkSession):
        raise EngineError(f"governing needs a SparkSession, not a {type(spark).__name__}")


def scheduler_mode(context: Any) -> str:
    """FAIR or FIFO."""
    return str(context.getConf().get("spark.scheduler.mode", "FIFO") or "FIFO").upper()


def features(spark: SparkSession) -> tuple[Feature, ...]:
    """All that penstock makes use of and not every Spark has."""
    jvm: Any = spark.sparkContext._jvm
    bounds = BatchLimits(spark).lacks()
    pools = _lacks_pools(spark.sparkContext)
    listens = there(jvm, f"{_SQL}.streaming.PythonStreamingQueryListener")
    return (
        Feature("scheduler pools changed at run time", "slots of each query", pools is None, "3.5", needed=True),
        Feature("query listeners in Python", "figures of every batch", listens, "3.4", needed=True),
        Feature(
            "read limits of a running query", "batch bounds without a restart", bounds is None, "3.5",
            "changing a bound restarts queries that penstock started; bounds of other queries stay",
        ),
        Feature(
            "quantile sketches", "latency percentiles with ps.measured and on Kafka", has_sketches(), "4.1",
            "percentiles come from 200 points of the curve (accurate to half a percent of the rows)",
        ),
        Feature(
            "several minima per group", "key pairs for routing", has_pairs(), "4.2",
            "pairs are not counted; routing tables stay as they are",
        ),
        Feature(
            "state repartitioning", "number of state partitions", can_cut_state(), "4.2", "state keeps its partitions"
        ),
        Feature(
            "state rewriting", "new routing tables for queries without windows", can_rewrite_state(spark), "4.2",
            "only routes with windows, or without state, get new tables",
        ),
        Feature(
            "real-time mode", "jobs with `real_time`", _has_real_time(jvm), "4.2", "such jobs do not start"
        ),
    )  # fmt: skip


def tell_missing(spark: SparkSession) -> None:
    """Say once what is off on this Spark, and from which one on it would not be."""
    missing = [feature for feature in features(spark) if not feature.here]
    if missing:
        listed = "; ".join(f"{feature.name} (Spark {feature.since}): {feature.without}" for feature in missing)
        _log.warning("Spark %s lacks %s; everything else works. See: penstock doctor", spark.version, listed)


def has_pairs() -> bool:
    """Whether a query can draw the pairs of some rows in its own pass.

    By Spark's own terms, that is. On Sparks that lack these penstock's class might do it alone, which nobody has tried.
    """
    return "k" in signature(functions.min_by).parameters


def can_cut_state() -> bool:
    """Whether a checkpoint can be rewritten to other partitions."""
    return hasattr(SparkSession, "_streamingCheckpointManager")


def can_rewrite_state(spark: SparkSession) -> bool:
    """Whether keys of a checkpoint's state can be given another place."""
    jvm = spark.sparkContext._jvm
    metadata = homes_of("StreamingQueryCheckpointMetadata")[0]
    return there(jvm, f"{_SQL}.execution.streaming.state.StateRewriter") and there(jvm, metadata)


def _has_real_time(jvm: Any) -> bool:
    wanted = "realTime" in signature(DataStreamWriter.trigger).parameters
    return wanted and there(jvm, f"{_SQL}.execution.streaming.RealTimeTrigger")


def _refuse_connect(spark: Any) -> None:
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        raise EngineError(
            "this is a Spark Connect session. Scheduler pools, executors and state are in the driver's JVM, which a "
            "Connect client cannot reach. Run penstock in the driver with a classic session (local[n], spark://, yarn) "
            "or beside the Connect server (penstock attach --help)"
        )


def _check_levers(context: Any) -> None:
    lacking = _lacks_pools(context)
    if lacking is not None:
        raise EngineError(
            f"Spark {context.version} lacks an interface that penstock needs ({lacking}); use Spark 3.5 to 4.3"
        )


def _lacks_pools(context: Any) -> str | None:
    scheduler = context._jsc.sc()
    tried: tuple[Callable[[], Any], ...] = (
        lambda: scheduler.getPoolForName("default").isDefined(),
        lambda: scheduler.statusStore().executorList(True),
        lambda: scheduler.dagScheduler().nextStageId(),
        lambda: context._jvm.java.lang.Class.forName("org.apache.spark.scheduler.Pool").getDeclaredField("minShare"),
    )
    try:
        for step in tried:
            step()
    except Py4JError as error:
        return first_line(error)
    return None
