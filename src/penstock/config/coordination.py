"""The file of a coordinator: which cluster many applications share, and within which bounds each may have executors.

name: prod
cluster: {standalone: "http://master:8080"}    # the page of Spark's standalone master; or one of
                                               # {yarn: "http://resourcemanager:8088", queue: root.streams}
                                               # {kubernetes: streams}, a namespace; {cores: 64}; or what a
                                               # package brings, see docs/extending.md
interval: 10s                    # between decisions
report: 2s                       # between reports of an agent, while they are few
lease: 15s                       # a coordinator that is silent for so long is followed by another
leadership: {kubernetes: streams/fleet}        # who leads is in that Lease object; in the store by default
applications:                    # of those that nobody lists here the bounds are those under `others`
  fraud: {min_executors: 2, max_executors: 12}
others: {max_executors: 4, utility: 10}        # utility: all its tenants together count for no more
awaits: 2m                       # executors are kept for those under `applications` that have not come, 0s: for nobody
price: {slot_hour: 0.05, currency: EUR}        # of a core, for what `penstock coordinate --advise` says of money
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from penstock.config.document import read_document
from penstock.config.fields import (
    A_NUMBER,
    Amount,
    Matching,
    PolicySettings,
    PositiveSeconds,
    Seconds,
    SlotCount,
    within,
)
from penstock.config.policies import wrong_policies
from penstock.config.pricing import PricePart
from penstock.config.problems import tried
from penstock.config.tenants import Name
from penstock.core.addresses import place_in
from penstock.core.asked.intents import MOST_UTILITY
from penstock.core.asked.price import Price
from penstock.errors import ConfigError, choose, refuse
from penstock.extending import GROUPS, loaded, named

ApplicationName = Annotated[str, Matching(r"^[A-Za-z0-9_./-]+$", "write letters, digits, dots, _, - and / only")]
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"

_PAGES = ("http", "https")
ALL_OF_YARN = "root"  # the queue that holds all others

_CLUSTERS = {
    "standalone": "standalone: http://host:8080",
    "yarn": "yarn: http://host:8088",
    "kubernetes": "kubernetes: NAMESPACE",
    "cores": "cores: N",
}


class _FleetPart(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class ClusterPart(_FleetPart):
    """Where what there is can be asked for, or how much there is. `queue` is a part of YARN's cluster.

    `installed` is the name of one that a package brings, and what stands behind that name in the file.
    """

    standalone: str | None = None
    yarn: str | None = None
    queue: str | None = None
    kubernetes: Annotated[str, Matching(rf"^{_LABEL}$", "write a namespace")] | None = None
    cores: SlotCount | None = None
    installed: tuple[str, str] | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_of_a_package(cls, given: Any) -> Any:
        """One that a package brings stands in the file like those that ship."""
        theirs = set(given) - set(cls.model_fields) if isinstance(given, dict) else set()
        found = theirs & set(named(GROUPS["cluster"]))
        if len(theirs) != 1 or not found:
            return given  # whatever else it is, it is refused field by field
        (name,) = found
        return {**{key: value for key, value in given.items() if key != name}, "installed": (name, str(given[name]))}

    @model_validator(mode="after")
    def _is_one(self) -> "ClusterPart":
        given = [name for name in _CLUSTERS if getattr(self, name) is not None]
        given += [] if self.installed is None else [self.installed[0]]
        try:
            if len(given) != 1:
                told = " and ".join(given) or "nothing"
                raise ConfigError("cluster", told, f"write one of {', '.join(_CLUSTERS.values())}")
            if self.queue is not None and self.yarn is None:
                raise ConfigError("cluster.queue", self.queue, "write it beside yarn, which has queues")
            self._check()
        except ConfigError as error:
            raise within(error) from None
        return self

    def _check(self) -> None:
        """Who checks a file has no cluster at hand; an address is right or wrong by itself."""
        if self.installed is not None:
            of_package(*self.installed)  # it says itself what is wrong with its address
        if self.standalone is not None and place_in(self.standalone, _PAGES) is None:
            remedy = "write the address of the master's page, such as http://host:8080"
            raise ConfigError("cluster.standalone", self.standalone, remedy)
        if self.yarn is not None and None in [place_in(url, _PAGES) for url in self.yarn.split(",")]:
            remedy = "write the address of the ResourceManager's page, such as http://host:8088, several with commas"
            raise ConfigError("cluster.yarn", self.yarn, remedy)
        if self.queue is not None and self.queue.split(".")[0] != ALL_OF_YARN:
            raise ConfigError("cluster.queue", self.queue, f"write the whole path, {ALL_OF_YARN}.{self.queue}")


def of_package(name: str, at: str) -> Any:
    """The cluster that a package brings under that name."""
    if name not in named(GROUPS["cluster"]):
        raise ConfigError("cluster", name, choose(name, (*_CLUSTERS, *named(GROUPS["cluster"]))))
    return loaded(named(GROUPS["cluster"])[name], f"cluster.{name}")(at)


class LeadershipPart(_FleetPart):
    """Where it is decided which of several coordinators leads: with the store, where nothing else is said."""

    kubernetes: Annotated[str, Matching(rf"^{_LABEL}/{_LABEL}$", "write NAMESPACE/NAME, of a Lease object")] | None = (
        None
    )


class BoundsPart(_FleetPart):
    """The executors that an application may have, and what its tenants may count for."""

    min_executors: Annotated[int, Field(ge=0, le=100_000), A_NUMBER] = 0
    max_executors: SlotCount = 100_000
    utility: Annotated[Amount, Field(gt=0, le=MOST_UTILITY)] = MOST_UTILITY

    @model_validator(mode="after")
    def _agrees(self) -> "BoundsPart":
        if self.min_executors > self.max_executors:
            remedy = f"write max_executors or fewer: {self.max_executors}"
            raise within(ConfigError("min_executors", self.min_executors, remedy))
        return self


class CoordinationFile(_FleetPart):
    """One fleet."""

    name: Name = "fleet"
    cluster: ClusterPart
    policy: str | None = None
    settings: PolicySettings = {}
    interval: PositiveSeconds = 10.0
    report: PositiveSeconds = 2.0
    lease: PositiveSeconds = 15.0
    leadership: LeadershipPart = LeadershipPart()
    applications: dict[ApplicationName, BoundsPart] = {}
    others: BoundsPart = BoundsPart()
    awaits: Seconds = 120.0
    price: PricePart | None = None

    @model_validator(mode="after")
    def _prices_cores(self) -> "CoordinationFile":
        if self.price is not None and self.price.slot_hour is None:
            remedy = "write slot_hour, the price of a core: executors of applications are of different sizes"
            raise within(ConfigError("price.executor_hour", self.price.executor_hour, remedy))
        return self

    @property
    def lists_all(self) -> bool:
        """Whether whoever comes stands under `applications`, as far as the file says: it has no word of others."""
        return "others" not in self.model_fields_set

    def core_price(self) -> Price | None:
        """What an hour of one core costs, where the file says so."""
        found = None if self.price is None else self.price.slot_hour
        return None if self.price is None or found is None else Price(found, self.price.currency)


def read_coordination(path: Path, policy: str | None = None) -> CoordinationFile:
    """The fleet in that file, checked."""
    document = read_document(path, "fleet file")
    found, errors = tried(CoordinationFile, document.values, document)
    refuse([*errors, *wrong_policies(document, "policy", policy)])
    assert found is not None  # nothing was wrong
    return found
