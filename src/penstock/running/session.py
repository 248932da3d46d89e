"""A session: one policy, one store and what is wanted. The only place where the parts of a round are put together.

simulate, twins, serve with a scenario      it lives through a simulated world
what-if                                     the same, made of the present
govern, run, attach, comparison, an         a controller has its rounds in a thread, beside queries that run: what it
engine that a package brings                asks for has time limits, and what is wanted may change meanwhile
coordinate                                  rounds over a fleet, for as long as a coordinator leads
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from penstock.core.asked.intents import Intent
from penstock.core.asked.orders import Control, NoControl
from penstock.core.asked.price import Price
from penstock.core.known.job_models import JobModels
from penstock.core.ports import Clock, Engine, Policy, Store, World
from penstock.core.seen.view import View
from penstock.engines.hand import CycleLimits
from penstock.loop import Loop, LoopSettings, as_seen, drive
from penstock.planning.registry import policy_named, takes_profiles
from penstock.planning.routing_settings import RoutingSettings
from penstock.running.tending import Tending


@dataclass(frozen=True, slots=True)
class BesideCycles:
    """What goes on beside them: for real, where a simulated world needs none of it."""

    troubles: Callable[[], Sequence[str]] = tuple  # between rounds, in words, each told once
    began_epoch_s: float = 0.0  # when the run did: the calendar's time is that and the run's clock
    limits: CycleLimits = CycleLimits()  # for how long engine and policy are waited for


@dataclass(frozen=True, slots=True)
class Session:
    """What serves whom, and how long."""

    intents: Callable[[], Mapping[str, Intent]]  # what is wanted of each job, as it stands
    policy: Policy
    store: Store
    settings: LoopSettings = LoopSettings()
    control: Control = field(default_factory=NoControl)
    until_s: float = float("inf")
    models: Mapping[str, JobModels] = field(default_factory=dict)  # of jobs whose operators were profiled
    slot_price: Price | None = None

    def loop(self, engine: Engine, beside: BesideCycles = BesideCycles()) -> Loop:
        """Who decides in each round over that engine."""
        return Loop(
            engine,
            self.policy,
            self.store,
            self.settings,
            self.control,
            self._advice(),
            beside.troubles,
            beside.began_epoch_s,
            beside.limits,
            self.intents,
            self.slot_price,
        )

    def _advice(self) -> Callable[[View], View]:
        if not self.models:
            return as_seen
        from penstock.planning.combined import advice_of  # numpy

        return advice_of(self.models)

    def live_through(self, world: World, clock: Clock, on_cycle: Callable[[float], None] = lambda now: None) -> None:
        """Open the world, start its jobs, govern them until the end and close it; between rounds it is tended."""
        tending = Tending(world.tend)

        def tended() -> tuple[str, ...]:
            tending()
            return tending.troubles()

        loop = self.loop(world, BesideCycles(tended))
        world.open()
        try:
            world.start()
            drive(loop, clock, self.until_s, on_cycle)
        finally:
            world.close()


def decider(
    policy: str | Policy,
    settings: Mapping[str, object] | None = None,
    profiles: Callable[[], object] | None = None,
    routing: RoutingSettings | None = None,
) -> Policy:
    """The policy of that name with its settings, and with what was profiled where it can use that; routes beside it."""
    if isinstance(policy, str):
        learnt = {"profiles": profiles()} if profiles is not None and takes_profiles(policy) else {}
        return policy_named(policy, {**(settings or {}), **learnt}, routing)
    if routing is None:
        return policy
    from penstock.planning.combined import with_routes  # numpy

    return with_routes(policy, routing)
