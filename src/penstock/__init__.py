"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from typing import TYPE_CHECKING, Any

from penstock.core.capacity import operator_capacity
from penstock.core.intents import Intent, Juice, Latency, Recovery
from penstock.core.juice import juice
from penstock.core.topology import Topology

if TYPE_CHECKING:
    from penstock.engines.spark.measured import measured
    from penstock.engines.spark.routing.route import Routing
    from penstock.governing.govern import govern
    from penstock.planning.routing.route import route

__all__ = [
    "Intent",
    "Juice",
    "Latency",
    "Recovery",
    "Routing",
    "Topology",
    "govern",
    "juice",
    "measured",
    "operator_capacity",
    "route",
]

# What needs pyspark or METIS is imported when it is first asked for: `import penstock` takes none of its second.
_ON_DEMAND = {
    "Routing": "penstock.engines.spark.routing.route",
    "govern": "penstock.governing.govern",
    "measured": "penstock.engines.spark.measured",
    "route": "penstock.planning.routing.route",
}


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_ON_DEMAND[name]), name)
