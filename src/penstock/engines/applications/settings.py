"""How a coordinator keeps in touch with its fleet."""

from collections.abc import Mapping
from dataclasses import dataclass

from penstock.core.seen.contacts import AWAY_S
from penstock.engines.applications.book import Bounds


@dataclass(frozen=True, slots=True)
class FleetSettings:
    """How agents are kept in touch with. `bounds` are those of applications by name, `others` of all that are not."""

    every_s: float = 2.0  # agents report, where they are few
    reports_per_s: float = 100.0  # that the coordinator wants to hear at the most: many agents report less often
    lease_s: float = 15.0  # an order that arrives later is void; after it a silent agent's name may be taken
    silent_s: float = 45.0  # figures of an agent that was not heard for so long are not acted on
    forgotten_s: float = 600.0  # so long after its last report an application is no longer told of
    again_s: float = 30.0  # after which an order that was taken up and did not come is given again
    cluster_every_s: float = 2.0
    old_s: float = AWAY_S  # what the cluster manager said so long ago is no ground for promises
    advises: bool = False  # nobody is ordered anything
    awaits_s: float = 120.0  # for who is listed and has not come, since the start and since the last of them that came
    lists_all: bool = False  # nobody comes that `bounds` have not
    bounds: Mapping[str, Bounds] | None = None
    others: Bounds = Bounds()
