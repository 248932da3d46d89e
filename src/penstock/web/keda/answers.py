"""What a trigger of KEDA asks for, by its metadata, and the number that answers it.

    fleet: lab           all applications together; or
    application: fraud   one of them; or
    tenant: fraud/ads    the application of one tenant, by the tenant's name on the pages
    count: wanted        what was decided; needed: beyond which more would be worth next to nothing
    unit: executors      or cores
    perReplica: "1"      of these units in one replica
    tokenFromEnv: NAME   where a token is asked for: the variable of the scaled workload that holds it

A word that is none of these, or of KEDA's own, is refused: a misspelt `application` must not scale something else.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from penstock.engines.applications.wishes import ExecutorWish, Wishes
from penstock.errors import ConfigError, OutageError, PenstockError, choose

WHO = ("fleet", "application", "tenant")
COUNTS = ("wanted", "needed")
UNITS = ("executors", "cores")
TOKENS = ("tokenFromEnv", "token")
KEYS = (*WHO, "count", "unit", "perReplica", *TOKENS)
_OF_KEDA = frozenset(
    {"scalerAddress", "enableTLS", "unsafeSsl", "caCert", "tlsCertFile", "tlsClientCert", "tlsClientKey", "metricType"}
)


class UnknownNameError(PenstockError):
    """Nobody of that name reports here."""


@dataclass(frozen=True, slots=True)
class KedaQuestion:
    """One trigger's question."""

    kind: str
    name: str
    count: str = "wanted"
    unit: str = "executors"
    per_replica: float = 1.0
    token: str = ""

    @property
    def metric(self) -> str:
        """Its metric's name, part of a URL of Kubernetes' API: no name of a tenant is in it."""
        return f"penstock-{self.unit}"


def asked_by(metadata: Mapping[str, str]) -> KedaQuestion:
    """What the metadata say; a ConfigError with the remedy where they are wrong.

    >>> asked_by({"scalerAddress": "here:7475", "application": "fraud", "unit": "cores"})
    KedaQuestion(kind='application', name='fraud', count='wanted', unit='cores', per_replica=1.0, token='')
    """
    for key in metadata:
        if key not in KEYS and key not in _OF_KEDA:
            raise ConfigError("metadata", key, choose(key, KEYS))
    named = [kind for kind in WHO if metadata.get(kind)]
    if len(named) != 1:
        raise ConfigError("metadata", " and ".join(named) or "nobody", f"name one of {', '.join(WHO)}")
    (kind,) = named
    token = next((metadata[key] for key in TOKENS if metadata.get(key)), "")
    return KedaQuestion(
        kind,
        metadata[kind],
        _one_of(metadata, "count", COUNTS),
        _one_of(metadata, "unit", UNITS),
        _amount(metadata.get("perReplica", "1")),
        token,
    )


def answer(asked: KedaQuestion, wishes: Wishes) -> float:
    """The number; an UnknownNameError for a name that is none, an OutageError where what is known is old."""
    if wishes.age_s > wishes.stale_s:
        raise OutageError(f"no decision for {wishes.age_s:.0f} s: keep the present size")
    found = _meant(asked, wishes)
    if asked.kind != "fleet" and found[0].silent_s > wishes.silent_s:
        raise OutageError(f"{asked.name} was not heard for {found[0].silent_s:.0f} s: nothing is decided over it")
    return float(sum(_of(asked, wish) for wish in found))


def _meant(asked: KedaQuestion, wishes: Wishes) -> tuple[ExecutorWish, ...]:
    if asked.kind == "fleet":
        if asked.name != wishes.fleet:
            raise UnknownNameError(f"this is the coordinator of {wishes.fleet}, not of {asked.name}")
        return wishes.all
    found = tuple(wish for wish in wishes.all if asked.name in _names(asked.kind, wish))
    if not found:
        raise UnknownNameError(f"no {asked.kind} {asked.name} reports to the coordinator of {wishes.fleet}")
    return found[:1]


def _names(kind: str, wish: ExecutorWish) -> tuple[str, ...]:
    return (wish.application,) if kind == "application" else wish.tenants


def _of(asked: KedaQuestion, wish: ExecutorWish) -> int:
    executors = wish.wanted if asked.count == "wanted" else wish.needed
    return executors * (wish.cores if asked.unit == "cores" else 1)


def _one_of(metadata: Mapping[str, str], key: str, known: tuple[str, ...]) -> str:
    given = metadata.get(key, known[0])
    if given not in known:
        raise ConfigError(f"metadata.{key}", given, choose(given, known))
    return given


def _amount(given: str) -> float:
    try:
        amount = float(given)
    except ValueError:
        amount = 0.0
    if not 0.0 < amount < 1e6:
        raise ConfigError("metadata.perReplica", given, "write how many of the unit one replica has, such as 4")
    return amount
