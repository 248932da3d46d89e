"""A session: one policy, one store and what is wanted, which live through a world that is opened for them.

simulate, twins, serve with a scenario      a simulated world
what-if                                     the same, made of the present
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.core.intents import Intent
from penstock.core.orders import Control, NoControl
from penstock.core.ports import Clock, Policy, Store, World
from penstock.loop import Governor, LoopSettings, drive
from penstock.planning.provision.advise import JobModels
from penstock.planning.registry import policy_named, takes_profiles, with_routes
from penstock.running.tending import Tending

if TYPE_CHECKING:
    from penstock.planning.routing.policy import RoutingSettings


@dataclass(frozen=True, slots=True)
class Session:
    """What serves whom, and how long."""

    intents: Mapping[str, Intent]
    policy: Policy
    store: Store
    settings: LoopSettings = LoopSettings()
    control: Control = field(default_factory=NoControl)
    until_s: float = float("inf")
    models: Mapping[str, JobModels] = field(default_factory=dict)  # of jobs whose operators were profiled

    def live_through(self, world: World, clock: Clock, on_cycle: Callable[[float], None] = lambda now: None) -> None:
        """Open the world, start its jobs, govern them until the end and close it; between rounds it is tended."""
        tending = Tending(world.tend)

        def tended() -> tuple[str, ...]:
            tending()
            return tending.troubles()

        parts = (self.policy, self.store, self.settings, self.control, self.models)
        governor = Governor(world, *parts, between=tended, intents=lambda: self.intents)
        world.open()
        try:
            world.start()
            drive(governor, clock, self.until_s, on_cycle)
        finally:
            world.close()


def decider(
    policy: str | Policy,
    settings: Mapping[str, object] | None = None,
    profiles: Callable[[], object] | None = None,
    routing: "RoutingSettings | None" = None,
) -> Policy:
    """The policy of that name with its settings, and with what was profiled where it can use that; routes beside it."""
    if not isinstance(policy, str):
        return with_routes(policy, routing)
    learnt = {"profiles": profiles()} if profiles is not None and takes_profiles(policy) else {}
    return policy_named(policy, {**(settings or {}), **learnt}, routing)
