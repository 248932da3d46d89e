"""Feature tests at start: what penstock needs of a Spark session, said clearly where it is missing."""

from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from penstock.errors import EngineError, first_line

FAIR_LINE = '.config("spark.scheduler.mode", "FAIR")'


def check_session(spark: Any) -> None:
    """Raise an EngineError that names the remedy when this session cannot be governed."""
    _refuse_connect(spark)
    if not isinstance(spark, SparkSession):
        raise EngineError(f"a SparkSession is needed to govern, not a {type(spark).__name__}")
    context = spark.sparkContext
    mode = context.getConf().get("spark.scheduler.mode", "FIFO") or "FIFO"
    if mode.upper() != "FAIR":
        raise EngineError(
            f"spark.scheduler.mode is {mode}, under which shares do nothing; add {FAIR_LINE} where the session is "
            "built, before its first query starts"
        )
    _check_levers(context)


def _refuse_connect(spark: Any) -> None:
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        raise EngineError(
            "this is a Spark Connect session; shares, executors and state live in the driver's JVM, which a Connect "
            "client cannot reach. Run penstock in the driver, with a classic session (master local[n], spark://, yarn)"
        )


def _check_levers(context: Any) -> None:
    version = context.version
    try:
        scheduler = context._jsc.sc()
        scheduler.getPoolForName("default").isDefined()
        scheduler.statusStore().executorList(True)
        scheduler.dagScheduler().nextStageId()
        context._jvm.java.lang.Class.forName("org.apache.spark.scheduler.Pool").getDeclaredField("minShare")
    except Py4JError as error:
        raise EngineError(
            f"Spark {version} lacks a mechanism that penstock steers by ({first_line(error)}); use Spark 4.3"
        ) from error
