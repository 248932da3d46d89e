"""A fleet with an agent that lies, and what it says."""

from collections.abc import Mapping
from typing import Any

from fleet_world import held, of_one

from penstock.engines.applications.book import Bounds
from penstock.engines.applications.settings import FleetSettings
from penstock.engines.applications.wire import Report, encode_report, plain_state, read_report
from tests.engines.applications.fleet import Fleet
from tests.engines.applications.saying import state

CORES, MOST = 6, 4


class Deceived(Fleet):
    """Two honest applications, clicks with enough and fraud with a spike to come, and one that says something."""

    def __post_init__(self) -> None:
        self.settings = FleetSettings(others=Bounds(most=MOST, utility=20.0))
        super().__post_init__()
        self.honest = of_one("clicks", self.cluster, 150.0, wanted=2), of_one("fraud", self.cluster, 100.0)
        self.number = 0

    def says(self, said: Mapping[str, Any], refused: str = "") -> None:
        self.number += 1
        raw = encode_report(Report("liar", "liar-1", self.number, said, refused=refused))
        self.engine.hear(read_report(raw))

    def deceived(self, said: Mapping[str, Any] | None) -> dict[str, int]:
        """The honest ones' executors after six rounds, with a spike of fraud's after three."""
        for number in range(6):
            if number == 3:
                self.honest[1].rates["fraud"] = 380.0
            if said is not None:
                self.says(said)
            self.round(*self.honest)
            assert self.carried.error is None
        return dict(held(self.cluster))


def a_lie(**said: Any) -> dict[str, Any]:
    return plain_state(state("liar", **{"now": 1, "most": 8, "worth": [(1, 0.0), (8, 10.0)], **said}))
