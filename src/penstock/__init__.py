"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from penstock.core.capacity import operator_capacity
from penstock.core.intents import Intent, Juice, Latency, Recovery
from penstock.core.juice import juice
from penstock.core.topology import Topology

__all__ = ["Intent", "Juice", "Latency", "Recovery", "Topology", "juice", "operator_capacity"]
