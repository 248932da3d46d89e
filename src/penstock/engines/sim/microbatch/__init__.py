"""A discrete-event model of structured streaming queries of one application, whose tasks share its slots."""

from penstock.engines.sim.microbatch.engine import MicroBatchEngine
from penstock.engines.sim.microbatch.spec import (
    MicroBatchCluster,
    MicroBatchFault,
    MicroBatchJob,
    MicroBatchStage,
    Slowness,
)

__all__ = ["MicroBatchCluster", "MicroBatchEngine", "MicroBatchFault", "MicroBatchJob", "MicroBatchStage", "Slowness"]
