"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from typing import TYPE_CHECKING, Any

from penstock.core.capacity import operator_capacity
from penstock.core.intents import Intent, Juice, Latency, Recovery
from penstock.core.juice import juice
from penstock.core.performance import PerformanceModel
from penstock.core.topology import Topology
from penstock.errors import PenstockError, PlacementError

if TYPE_CHECKING:
    from penstock.engines.spark.measured import measured
    from penstock.governing.govern import govern
    from penstock.planning.provision.acquire import acquire
    from penstock.planning.provision.allocate import allocate
    from penstock.planning.provision.place import place
    from penstock.planning.routing.route import route

__all__ = [
    "Intent",
    "Juice",
    "Latency",
    "PenstockError",
    "PerformanceModel",
    "PlacementError",
    "Recovery",
    "Topology",
    "acquire",
    "allocate",
    "govern",
    "juice",
    "measured",
    "operator_capacity",
    "place",
    "route",
]

# What needs pyspark, numpy or METIS is imported when it is first asked for: `import penstock` takes none of its second.
_ON_DEMAND = {
    "acquire": "penstock.planning.provision.acquire",
    "allocate": "penstock.planning.provision.allocate",
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
