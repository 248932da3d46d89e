"""A session: one policy, one store and what is wanted, put together for a world; the one assembly of all that governs.

penstock run, ps.govern, demo, comparison   a Controller drives it from a thread, on a real application
simulate, twins, serve with a scenario      it lives through a simulated world
what-if                                     the same, on a world that was made of the present
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.core.intents import Intent
from penstock.core.orders import Control, NoControl
from penstock.core.ports import Clock, Engine, Policy, Store, World
from penstock.errors import GoverningEndsError, told
from penstock.loop import Carried, Governor, LoopSettings, drive
from penstock.planning.provision.advise import JobModels
from penstock.planning.registry import policy_named, takes_profiles, with_routes

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
    began_epoch_s: float = 0.0  # when the run did, by the calendar; simulated time begins with the epoch

    def live_through(self, world: World, clock: Clock, on_cycle: Callable[[float], None] = lambda now: None) -> Carried:
        """Open the world, start its jobs, govern them until the end and close it; between rounds it is tended."""
        world.open()
        try:
            world.start()
            return self.drive(world, clock, on_cycle, between=lambda: _tended(world))
        finally:
            world.close()

    def drive(
        self,
        engine: Engine,
        clock: Clock,
        on_cycle: Callable[[float], None] = lambda now: None,
        carried: Carried | None = None,
        between: Callable[[], Sequence[str]] = tuple,
        newest: "Callable[[], Session] | None" = None,
    ) -> Carried:
        """Govern a world that somebody else opened; what another loop would go on from, and may have `carried` here.

        `between` tells what went wrong between rounds, `newest` what holds from then on, where that may change.
        """
        now = newest or (lambda: self)

        def governor() -> Governor:
            session = now()
            parts = (session.policy, session.store, session.settings, session.control, session.models)
            return Governor(engine, *parts, between, session.began_epoch_s)

        return drive(governor(), lambda: now().intents, clock, self.until_s, on_cycle, carried, governor)


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


def _tended(world: World) -> Sequence[str]:
    try:
        world.tend()
    except GoverningEndsError:
        raise
    except Exception as error:
        return (f"tending the jobs between rounds failed: {told(error)}; it is tried again",)
    return ()
