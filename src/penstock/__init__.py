"""penstock gives each Spark streaming tenant its share: intents in, explained decisions out."""


def _homes() -> dict[str, str]:
    """Where each public name lives: the lines of `__init__.pyi`, which is what type checkers see of this module."""
    stub = __spec__.loader.get_data(f"{__path__[0]}/__init__.pyi").decode()
    lines = (line.split() for line in stub.splitlines() if line.startswith("from "))
    return {name: home for _, home, _, name, *_ in lines}


# A name is imported when it is first asked for: pyspark, numpy and METIS take more than a second, and every command of
# the command line imports this package.
_HOMES = _homes()
__all__ = sorted(_HOMES)

# Names that are to go, each with the public name to write instead and the version that does not have it any more.
_GOING: dict[str, tuple[str, str]] = {}


def __getattr__(name: str) -> object:
    import importlib

    if name in _GOING:
        instead, gone_in = _GOING[name]
        warn = importlib.import_module("penstock.deprecating").going
        warn(f"penstock.{name}", f"write penstock.{instead}", gone_in)
        name = instead
    if name not in _HOMES:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
