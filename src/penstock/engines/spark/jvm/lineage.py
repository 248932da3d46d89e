"""The run that OpenLineage's Spark listener tells of for this application, where that listener is in the driver.

It makes the run's id up when it hears that the application has begun, and tells of each batch as a run of its own
below that one. The id stands in fields that it keeps to itself.
"""

import logging
from typing import Any

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.sql import SparkSession

from penstock.core.seen.lineage import LineageRun
from penstock.engines.spark.jvm.private_fields import value_of
from penstock.errors import first_line

_LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"

_log = logging.getLogger("penstock.spark")


class ApplicationRun:
    """Asked of the driver until it is known: at once after its start the listener has heard of nothing yet."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._found: LineageRun | None = None
        self._unknown = False

    def __call__(self) -> LineageRun | None:
        """None where there is no such listener, or one that does not say; the latter is logged, once."""
        if self._found is None and not self._unknown:
            try:
                self._found = self._asked()
            except Py4JNetworkError:  # the driver is gone
                return None
            except Py4JError as error:  # another release of it has other fields
                self._unknown = True
                _log.warning("OpenLineage's listener does not say which run it tells of: %s", first_line(error))
        return self._found

    def _asked(self) -> LineageRun | None:
        context: Any = self._spark.sparkContext._jsc
        if context is None:  # the application has ended
            return None
        listeners = context.sc().listenerBus().listeners()
        found = [one for one in map(listeners.get, range(listeners.size())) if one.getClass().getName() == _LISTENER]
        contexts = value_of(found[0], "contextFactory") if found else None
        if contexts is None:
            return None
        emitter = value_of(contexts, "openLineageEventEmitter")
        told = (emitter.getApplicationRunId().toString(), emitter.getJobNamespace(), emitter.getApplicationJobName())
        return LineageRun(*map(str, told))
