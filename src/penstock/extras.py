"""Extras: what penstock can do beside governing, and the libraries for it that a driver need not have.

The core needs Spark and small packages only. A door to more asks here first, so that what is missing is one line with
the command that brings it. pyproject.toml has the same names; a test compares the two.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from penstock.errors import PenstockError

# By extra: what it is for, and the modules that it brings.
_EXTRAS: dict[str, tuple[str, tuple[str, ...]]] = {
    "history": ("reading a compressed event log", ("zstandard",)),
    "kafka": ("asking Kafka's brokers", ("confluent_kafka",)),
    "keda": ("answering KEDA", ("grpc",)),
    "models": ("packing operators into slots exactly", ("scipy",)),
    "plots": ("drawing", ("matplotlib",)),
    "postgres": ("a store in PostgreSQL", ("psycopg",)),
    "routing": ("routing by key", ("pymetis", "pyarrow")),
    "web": ("serving pages and metrics", ("fastapi", "prometheus_client", "starlette", "uvicorn")),
}
NAMES = tuple(_EXTRAS)


class MissingExtraError(PenstockError):
    """Something that an extra brings is asked for, and the extra is not installed.

    >>> print(MissingExtraError("kafka", "confluent_kafka"))
    asking Kafka's brokers needs confluent_kafka, which is not installed: pip install 'penstock[kafka]'
    """

    def __init__(self, extra: str, module: str) -> None:
        self.extra = extra
        purpose, _ = _EXTRAS[extra]
        super().__init__(f"{purpose} needs {module}, which is not installed: pip install 'penstock[{extra}]'")


def installed(extra: str) -> bool:
    """Whether all modules of that extra are there; none is imported."""
    return _first_missing(extra) is None


def check_extra(extra: str) -> None:
    """Raise a MissingExtraError at the door, rather than in the middle of what needs it."""
    missing = _first_missing(extra)
    if missing is not None:
        raise MissingExtraError(extra, missing)


def extra_of(module: str | None) -> str | None:
    """The extra that brings this module, by its full name.

    >>> extra_of("matplotlib.pyplot"), extra_of("json")
    ('plots', None)
    """
    top = (module or "").partition(".")[0]
    return next((extra for extra, (_, modules) in _EXTRAS.items() if top in modules), None)


@contextmanager
def missing_told() -> Iterator[None]:
    """What is imported inside may be of an extra that is not there: then that is what is said."""
    try:
        yield
    except ModuleNotFoundError as error:
        extra = extra_of(error.name)
        if extra is None:
            raise
        raise MissingExtraError(extra, str(error.name).partition(".")[0]) from None


def _first_missing(extra: str) -> str | None:
    return next((module for module in _EXTRAS[extra][1] if find_spec(module) is None), None)
