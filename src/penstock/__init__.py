"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

_STUB = __spec__.loader.get_data(f"{__path__[0]}/__init__.pyi").decode()  # in an archive as well


@cache
def _homes() -> Mapping[str, str]:
    """Where each public name lives: the lines of `__init__.pyi`, which is what type checkers see of this module.

    Where a line imports `*`, the module's own `__all__` says which of its names are public.
    """
    lines = (line.split() for line in _STUB.splitlines() if line.startswith("from "))
    homes: dict[str, str] = {}
    for _, home, _, name, *_ in lines:
        homes |= dict.fromkeys(import_module(home).__all__ if name == "*" else (name,), home)
    return homes


# Names that are to go, each with the public name to write instead and the version that does not have it any more.
_GOING: dict[str, tuple[str, str]] = {}


# A name is imported when it is first asked for, `__all__` too: pyspark, numpy and METIS take more than a second, and
# every command of the command line imports this package.
def __getattr__(name: str) -> object:
    if name == "__all__":
        return sorted(_homes())
    if name in _GOING:
        instead, gone_in = _GOING[name]
        warn = import_module("penstock.deprecating").going
        warn(f"penstock.{name}", f"write penstock.{instead}", gone_in)
        name = instead
    if name not in _homes():
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_homes()[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_homes()})
