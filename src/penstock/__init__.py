"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.core.capacity import operator_capacity
    from penstock.core.intents import Intent, Juice, Latency, Recovery
    from penstock.core.juice import juice
    from penstock.core.performance import PerformanceModel
    from penstock.core.plan import Decision, Plan
    from penstock.core.ports import Policy
    from penstock.core.recovery import RecoveryTime, recovery_time
    from penstock.core.topology import Topology
    from penstock.engines.spark.measured import measured
    from penstock.engines.spark.routing.route import Routing
    from penstock.errors import PenstockError, PlacementError
    from penstock.governing.govern import govern
    from penstock.planning.provision.acquire import acquire
    from penstock.planning.provision.allocate import allocate
    from penstock.planning.provision.place import place
    from penstock.planning.routing.route import route

__all__ = [
    "Decision",
    "Intent",
    "Juice",
    "Latency",
    "PenstockError",
    "PerformanceModel",
    "PlacementError",
    "Plan",
    "Policy",
    "Recovery",
    "RecoveryTime",
    "Routing",
    "Topology",
    "acquire",
    "allocate",
    "govern",
    "juice",
    "measured",
    "operator_capacity",
    "place",
    "recovery_time",
    "route",
]

# Where each name lives. It is imported when it is first asked for: pyspark, numpy and METIS take more than a second,
# and every command of the command line imports this package.
_HOMES = {
    "Decision": "penstock.core.plan",
    "Intent": "penstock.core.intents",
    "Juice": "penstock.core.intents",
    "Latency": "penstock.core.intents",
    "PenstockError": "penstock.errors",
    "PerformanceModel": "penstock.core.performance",
    "PlacementError": "penstock.errors",
    "Plan": "penstock.core.plan",
    "Policy": "penstock.core.ports",
    "Recovery": "penstock.core.intents",
    "RecoveryTime": "penstock.core.recovery",
    "Routing": "penstock.engines.spark.routing.route",
    "Topology": "penstock.core.topology",
    "acquire": "penstock.planning.provision.acquire",
    "allocate": "penstock.planning.provision.allocate",
    "govern": "penstock.governing.govern",
    "juice": "penstock.core.juice",
    "measured": "penstock.engines.spark.measured",
    "operator_capacity": "penstock.core.capacity",
    "place": "penstock.planning.provision.place",
    "recovery_time": "penstock.core.recovery",
    "route": "penstock.planning.routing.route",
}

if not TYPE_CHECKING:  # to a type checker every other name would be there as well

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'penstock' has no attribute {name!r}")
        import importlib

        found = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
