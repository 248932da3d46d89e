"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.core.capacity import operator_capacity
    from penstock.core.intents import Intent, Juice, Latency, Recovery
    from penstock.core.juice import juice
    from penstock.core.levers import (
        BatchBound,
        Executors,
        Memory,
        Move,
        Partitions,
        Slots,
        Table,
        Tasks,
        Trigger,
        thread_move,
    )
    from penstock.core.performance import PerformanceModel
    from penstock.core.plan import Decision, Plan, Reason
    from penstock.core.ports import Policy
    from penstock.core.recovery import RecoveryTime, recovery_time
    from penstock.core.topology import Topology
    from penstock.core.view import JobView, View
    from penstock.correlation.sketch import PairSketch
    from penstock.engines.spark.jvm.commit_offsets import OffsetCommits, commit_offsets
    from penstock.engines.spark.jvm.doctor import doctor
    from penstock.engines.spark.measured import measured
    from penstock.engines.spark.pair_history import count_pairs
    from penstock.engines.spark.routing.route import Routing
    from penstock.errors import ConfigError, PenstockError, PlacementError
    from penstock.governing.coordinated import Coordinated
    from penstock.governing.govern import govern
    from penstock.planning.combined_settings import CombinedSettings
    from penstock.planning.henge.settings import HengeSettings
    from penstock.planning.installed import PolicyEntry
    from penstock.planning.phoebe.settings import PhoebeSettings
    from penstock.planning.provision.acquire import acquire
    from penstock.planning.provision.allocate import allocate
    from penstock.planning.provision.place import place
    from penstock.planning.registry import policy_named
    from penstock.planning.routing.policy import RoutingSettings
    from penstock.planning.routing.route import route

__all__ = [
    "BatchBound",
    "CombinedSettings",
    "ConfigError",
    "Coordinated",
    "Decision",
    "Executors",
    "HengeSettings",
    "Intent",
    "JobView",
    "Juice",
    "Latency",
    "Memory",
    "Move",
    "OffsetCommits",
    "PairSketch",
    "Partitions",
    "PenstockError",
    "PerformanceModel",
    "PhoebeSettings",
    "PlacementError",
    "Plan",
    "Policy",
    "PolicyEntry",
    "Reason",
    "Recovery",
    "RecoveryTime",
    "Routing",
    "RoutingSettings",
    "Slots",
    "Table",
    "Tasks",
    "Topology",
    "Trigger",
    "View",
    "acquire",
    "allocate",
    "commit_offsets",
    "count_pairs",
    "doctor",
    "govern",
    "juice",
    "measured",
    "operator_capacity",
    "place",
    "policy_named",
    "recovery_time",
    "route",
    "thread_move",
]

# Where each name lives. It is imported when it is first asked for: pyspark, numpy and METIS take more than a second,
# and every command of the command line imports this package.
_HOMES = {
    "BatchBound": "penstock.core.levers",
    "CombinedSettings": "penstock.planning.combined_settings",
    "ConfigError": "penstock.errors",
    "Coordinated": "penstock.governing.coordinated",
    "Decision": "penstock.core.plan",
    "Executors": "penstock.core.levers",
    "HengeSettings": "penstock.planning.henge.settings",
    "Intent": "penstock.core.intents",
    "JobView": "penstock.core.view",
    "Juice": "penstock.core.intents",
    "Latency": "penstock.core.intents",
    "Memory": "penstock.core.levers",
    "Move": "penstock.core.levers",
    "OffsetCommits": "penstock.engines.spark.jvm.commit_offsets",
    "PairSketch": "penstock.correlation.sketch",
    "Partitions": "penstock.core.levers",
    "PenstockError": "penstock.errors",
    "PerformanceModel": "penstock.core.performance",
    "PhoebeSettings": "penstock.planning.phoebe.settings",
    "PlacementError": "penstock.errors",
    "Plan": "penstock.core.plan",
    "Policy": "penstock.core.ports",
    "PolicyEntry": "penstock.planning.installed",
    "Reason": "penstock.core.plan",
    "Recovery": "penstock.core.intents",
    "RecoveryTime": "penstock.core.recovery",
    "Routing": "penstock.engines.spark.routing.route",
    "RoutingSettings": "penstock.planning.routing.policy",
    "Slots": "penstock.core.levers",
    "Table": "penstock.core.levers",
    "Tasks": "penstock.core.levers",
    "Topology": "penstock.core.topology",
    "Trigger": "penstock.core.levers",
    "View": "penstock.core.view",
    "acquire": "penstock.planning.provision.acquire",
    "allocate": "penstock.planning.provision.allocate",
    "commit_offsets": "penstock.engines.spark.jvm.commit_offsets",
    "count_pairs": "penstock.engines.spark.pair_history",
    "doctor": "penstock.engines.spark.jvm.doctor",
    "govern": "penstock.governing.govern",
    "juice": "penstock.core.juice",
    "measured": "penstock.engines.spark.measured",
    "operator_capacity": "penstock.core.capacity",
    "place": "penstock.planning.provision.place",
    "policy_named": "penstock.planning.registry",
    "recovery_time": "penstock.core.recovery",
    "route": "penstock.planning.routing.route",
    "thread_move": "penstock.core.levers",
}

if not TYPE_CHECKING:  # to a type checker every other name would be there as well

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'penstock' has no attribute {name!r}")
        import importlib

        found = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING"})
