"""The levers of the files of this folder, each found by its kind's name: so nothing else here names one.

Shares and batch bounds are not found: other parts of the engine call them, and are given them by name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from penstock.core.levers import KINDS
from penstock.engines.spark import levers
from penstock.engines.spark.clocks import Clocks
from penstock.engines.spark.levers.lever import Lever
from penstock.engines.spark.levers.planned import PlannedRestarts
from penstock.engines.spark.port import Spark
from penstock.engines.spark.state.capacity import Capacity
from penstock.engines.spark.state.routes import Routes
from penstock.engines.spark.state.state import EngineState


@dataclass(frozen=True, slots=True)
class LeverTools:
    """What a lever may be made of. `ask_memory` asks for an application with other memory; None where nobody can."""

    spark: Spark
    state: EngineState
    planned: PlannedRestarts
    capacity: Capacity
    routes: Routes
    clocks: Clocks
    ask_memory: Callable[[int], None] | None


def found_levers(tools: LeverTools) -> Sequence[Lever[Any]]:
    """One of each kind that has a file with a function `lever`."""
    files = {file.name for file in iter_modules(levers.__path__)}
    found: list[Any] = [import_module(f"{levers.__name__}.{kind}") for kind in KINDS if kind in files]
    return [file.lever(tools) for file in found if hasattr(file, "lever")]
