"""What all parts of an engine share."""

from dataclasses import dataclass

from penstock.engines.deed_log import DeedLog
from penstock.engines.spark.application.lock import ControllerLease
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.port import Spark
from penstock.engines.spark.settings import SparkSettings
from penstock.engines.spark.state.state import EngineState


@dataclass(frozen=True, slots=True)
class Shared:
    """The application, what is known of it, what was done to it, and the right to do anything."""

    spark: Spark
    state: EngineState
    lease: ControllerLease
    settings: SparkSettings
    clocks: Clocks
    deeds: DeedLog
