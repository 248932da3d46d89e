"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from typing import TYPE_CHECKING, Any

from penstock.core.capacity import operator_capacity
from penstock.core.intents import Intent, Juice, Latency, Recovery
from penstock.core.juice import juice
from penstock.core.performance import PerformanceModel
from penstock.core.recovery import RecoveryTime, recovery_time
from penstock.core.topology import Topology
from penstock.errors import PenstockError, PlacementError

if TYPE_CHECKING:
    from penstock.correlation.sketch import PairSketch
    from penstock.engines.spark.measured import measured
    from penstock.engines.spark.pair_history import count_pairs
    from penstock.engines.spark.routing.route import Routing
    from penstock.governing.govern import govern
    from penstock.planning.provision.acquire import acquire
    from penstock.planning.provision.allocate import allocate
    from penstock.planning.provision.place import place
    from penstock.planning.routing.route import route

__all__ = [
    "Intent",
    "Juice",
    "Latency",
    "PairSketch",
    "PenstockError",
    "PerformanceModel",
    "PlacementError",
    "Recovery",
    "RecoveryTime",
    "Routing",
    "Topology",
    "acquire",
    "allocate",
    "count_pairs",
    "govern",
    "juice",
    "measured",
    "operator_capacity",
    "place",
    "recovery_time",
    "route",
]

# What needs pyspark, numpy or METIS is imported when it is first asked for: `import penstock` takes none of its second.
_ON_DEMAND = {
    "PairSketch": "penstock.correlation.sketch",
    "acquire": "penstock.planning.provision.acquire",
    "allocate": "penstock.planning.provision.allocate",
    "Routing": "penstock.engines.spark.routing.route",
    "count_pairs": "penstock.engines.spark.pair_history",
    "govern": "penstock.governing.govern",
    "measured": "penstock.engines.spark.measured",
    "place": "penstock.planning.provision.place",
    "route": "penstock.planning.routing.route",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_ON_DEMAND[name]), name)
