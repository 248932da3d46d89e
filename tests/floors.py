"""The floors of the house, as the import contracts have them: what is lower knows nothing of what is above it."""

import tomllib
from functools import cache
from pathlib import Path

_SPARK = "engines/spark/"


def calls_upwards(caller: str, called: str) -> bool:
    """Whether a function, as `file:Class.function` below the package, is on a floor above the one that calls it."""
    if caller.startswith(_SPARK) and called.startswith(_SPARK):
        inside = _floors("penstock.engines.spark")
        return inside[_room(called.removeprefix(_SPARK))] > inside[_room(caller.removeprefix(_SPARK))]
    floors = _floors("penstock")
    return floors[_room(called)] > floors[_room(caller)]


def _room(function: str) -> str:
    return function.partition(":")[0].partition("/")[0].removesuffix(".py")


@cache
def _floors(container: str) -> dict[str, int]:
    """The floor of each folder and module right below that package; the lowest is 0."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    (layers,) = [one["layers"] for one in contracts if one.get("containers") == [container] and "layers" in one]
    rows = [layer.replace("|", " ").replace(":", " ").split() for layer in reversed(layers)]
    return {room: number for number, row in enumerate(rows) for room in row}
