"""What the coordinator knows of one application: what its agent reported, and what it was promised."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from penstock.core.asked.intents import MOST_UTILITY, Intent, scaled
from penstock.core.levers import Dial, Shows
from penstock.core.seen.figures import JobFigures, LatencyFigures, OperatorFigures
from penstock.core.seen.trouble import TroubleId
from penstock.engines.applications.cluster import Room
from penstock.engines.applications.lacking import Lack
from penstock.engines.applications.obedience import Obedience
from penstock.engines.applications.patches import patched
from penstock.engines.applications.promises import Promised
from penstock.engines.applications.wire import Order, Report, SaidState, SaidTenant, Serials, read_state

UNIT: Final = "executors"  # the one operator of each tenant: what works for it


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an application may have, and what its tenants may count for together."""

    least: int = 0
    most: int = 100_000
    utility: float = MOST_UTILITY


@dataclass(frozen=True, slots=True)
class Application:
    """`heard_s` is when its last report came, `seen_s` when its figures last changed; on a clock that nobody sets."""

    name: str
    instance: str
    number: int
    plain: Mapping[str, Any]
    state: SaidState
    heard_s: float
    seen_s: float
    bounds: Bounds = Bounds()
    whose: str = ""  # by which token it reports
    size: int = 0  # bytes of its state as it travels whole
    promised: int = 0
    wanted: int = 0
    since_s: float = 0.0  # when it was last to have another number
    order: Order | None = None
    ordered_s: float = 0.0
    obedience: Obedience = Obedience()
    lack: Lack = Lack()
    applied: Serials = Serials()
    refused: str = ""
    intents: Mapping[str, Intent] = field(default_factory=dict)
    held_by_cluster: int | None = None
    there: int | None = None  # the cores of the whole cluster; None where nobody told yet
    tells: bool = False  # the cluster manager says who holds what
    told_s: float = 0.0  # when the cluster manager was asked for that
    asked_most: int = 0  # of the cluster, as far as what that said may not tell of it yet
    lowered_s: float = 0.0  # when it last asked for fewer than before
    in_flight: int = 0  # the most by orders before the newest one, until its agent says that it has taken that up

    @classmethod
    def joining(cls, report: Report, bounds: Bounds, now: float) -> "Application":
        """As its first report has it: what it asked the cluster for already it was promised."""
        state, size = read_state(report.state)
        wanted = state.executors.wanted
        made = cls(report.application, report.instance, report.number, report.state, state, now, now, bounds)
        made = replace(made, whose=report.whose, size=size)
        made = replace(made, promised=wanted, wanted=wanted, asked_most=wanted, since_s=now, applied=report.applied)
        return made._with_intents()

    def going_on(self, wanted: int) -> "Application":
        """As one whose driver began anew: it is to have what it was to have before, as far as its bounds allow."""
        return replace(self, wanted=min(max(wanted, self.least), self.most))

    def ordered(self, order: Order, now: float) -> "Application":
        """With a new order, which its agent is given until it has taken it up."""
        obedience, in_flight = self.obedience.ordered(now), self._in_flight
        return replace(
            self, promised=order.executors, order=order, ordered_s=now, obedience=obedience, in_flight=in_flight
        )

    @property
    def _in_flight(self) -> int:
        """The most by orders that its agent was told of and has not said to have taken up: it may be about to."""
        taken_up = self.order is None or self.applied >= self.order.serials
        return 0 if taken_up else max(self.in_flight, 0 if self._untold else self.promised)

    @property
    def _untold(self) -> bool:
        """Whether its agent was silent since its order was made: orders go out with the answers to reports."""
        return self.order is not None and self.heard_s < self.ordered_s

    def after(self, report: Report, now: float) -> "Application":
        """What it is after another report, whose state is whole or goes on from the one before."""
        found = self._after(report, now)._having_taken_up(now)
        return replace(found, obedience=found.obedience.after(found._has_done, bool(found.refused)))

    def _having_taken_up(self, now: float) -> "Application":
        """What it asked for by orders before the newest one may come until the cluster manager has told of it since."""
        if not self.in_flight or self.order is None or self.applied < self.order.serials:
            return self
        return replace(self, asked_most=max(self.asked_most, self.in_flight), lowered_s=now, in_flight=0)

    @property
    def _has_done(self) -> bool:
        order = self.order
        return order is None or (self.applied >= order.serials and self.state.executors.wanted == order.executors)

    @property
    def obeys(self) -> bool:
        """Whether orders to it are worth while: its agent carries them out, or says why not, or is silent."""
        return self.obedience.obeys(self.heard_s)

    def _after(self, report: Report, now: float) -> "Application":
        here = replace(self, number=report.number, heard_s=now, applied=report.applied, refused=report.refused)
        if report.base is not None and not report.state:
            return here
        plain = report.state if report.base is None else patched(self.plain, report.state)
        state, size = read_state(plain)
        seen_s = self.seen_s if state.seen == self.state.seen else now
        found = replace(here, plain=plain, state=state, seen_s=seen_s, size=size)._having_asked(
            self.state.executors.wanted, now
        )
        return (
            found
            if state.tenants.keys() == self.intents.keys() and _same_intents(state, self)
            else (found._with_intents())
        )

    def told_by_cluster(self, held: int | None, told_s: float) -> "Application":
        """With what the cluster manager says of it, which was asked at `told_s`."""
        known = self.lowered_s < told_s  # what came of all that it asked for before
        asked_most = self.state.executors.wanted if known else self.asked_most
        return replace(self, held_by_cluster=held, told_s=told_s, asked_most=asked_most)

    def lacking(self) -> "Application":
        """With how long it has waited for executors, by the cluster manager's last word; waited for in vain, it is to
        have no more than it holds, though its state may need more: others could get nothing for it for ever.
        """
        held, now = self.held_by_cluster, self.told_s
        asked = self._untold or self.promised <= self.state.executors.wanted
        lacks = held is not None and self.fits and asked and held < self.promised
        lack = self.lack.after(self.held, lacks, now)
        if not lack.in_vain(now):
            return replace(self, lack=lack)
        kept = max(self.held, self._stated_least)
        return replace(self, lack=lack.given_up(self.held, kept, now), wanted=min(self.wanted, kept), since_s=now)

    def within(self, room: Room | None) -> "Application":
        """In a cluster that has that; of one whose machines are all away nobody knows what it will have."""
        return self if room is None else replace(self, there=room.cores or None, tells=room.tells)

    def _having_asked(self, before: int, now: float) -> "Application":
        """With the most that it asked for since the cluster manager last told of it: `before`, until now."""
        wanted = self.state.executors.wanted
        lowered_s = now if wanted < before else self.lowered_s
        return replace(self, asked_most=max(self.asked_most, wanted), lowered_s=lowered_s)

    def as_it_asked(self) -> "Application":
        """With what it asked the cluster for by itself taken for what it is to have."""
        asked = self.state.executors.wanted
        return self if asked == self.promised == self.wanted else replace(self, promised=asked, wanted=asked)

    def _with_intents(self) -> "Application":
        """The intents of its tenants, together worth no more than they may be."""
        stated = {name: tenant.intent for name, tenant in self.state.tenants.items()}
        total = sum(intent.max_utility for intent in stated.values())
        factor = self.factor(total)
        return replace(self, intents=stated if factor == 1.0 else {n: scaled(i, factor) for n, i in stated.items()})

    def factor(self, total: float) -> float:
        """How much of what its tenants say they are worth counts."""
        return 1.0 if total <= self.bounds.utility else self.bounds.utility / total

    @property
    def held(self) -> int:
        """The executors that it has, as the cluster manager says, else as it says itself."""
        return self._could(self.state.executors.now) if self.held_by_cluster is None else self.held_by_cluster

    def _could(self, executors: int) -> int:
        """So many, or as many as can be: more it says in error, or lies, and others would get nothing for it.

        That is all for which the cluster has cores, and what the fleet allows it where the cluster manager would tell
        of more that it has. All of it together is what there is to divide: for 100 million cores there is no memory.
        """
        if self.there is None:
            return executors
        most = max(self.bounds.most, self.held_by_cluster or 0) if self.tells else executors
        return min(executors, most, self.there // self.state.executors.cores)

    @property
    def fits(self) -> bool:
        """Whether the cluster has the cores for one executor of it."""
        return self.there is None or self.there >= self.state.executors.cores

    @property
    def least(self) -> int:
        """What it may not go below: its bounds, and what its state needs, as far as that was not waited for in vain."""
        return max(self._stated_least, self._could(min(self.state_needs, self.bounds.most)))

    @property
    def state_needs(self) -> int:
        """Executors that died count, as long as others may come in their place."""
        needs = self.state.executors.needs
        return needs if self.lack.most is None else min(needs, self.lack.most)

    @property
    def _stated_least(self) -> int:
        """What its agent takes no order below, as far as the fleet's bounds allow it, and what these are."""
        stated = min(self.state.executors.least, self.bounds.most)
        return self._could(max(stated, min(self.bounds.least, self.state.executors.most)))

    @property
    def most_allowed(self) -> int:
        """Whether the cluster has them or not: it may be one that grows by what is asked of it."""
        return max(self.least, min(self.state.executors.most, self.bounds.most))

    @property
    def most(self) -> int:
        most = self._could(min(self.state.executors.most, self.bounds.most))
        return max(self.least, most if self.lack.most is None else min(most, self.lack.most))

    @property
    def standing(self) -> Promised:
        """As promises are reckoned from; who obeys nobody is promised nothing beyond what it has."""
        cores = self.state.executors.cores
        promised, wanted = self._could(self.promised), self._could(self.wanted)
        if not self.obeys:
            promised, wanted = min(promised, self.held), min(wanted, self.held)
        return Promised(self.name, cores, self._may_hold, promised, wanted, self.since_s)

    @property
    def _may_hold(self) -> int:
        """The executors that nobody else can be promised: what it asked the cluster for may come at any moment.

        What the cluster manager says may be old, while it stands still: then the agent's newer word counts, if it is of
        more, and so does what it asked for before it asked for less. One that is silent has nothing newer to say. Of
        who obeys nobody only what it has counts: it would keep what it never asks the cluster for.
        """
        if not self.obeys:
            return self.held
        said = self.state.executors
        if self.held_by_cluster is None:
            return max(self.held, self._could(max(said.wanted, self._in_flight)))
        newer = said.now if self.heard_s > self.told_s else 0
        return max(self.held, self._could(max(self.asked_most, self._in_flight, newer)))

    def job_names(self) -> dict[str, str]:
        """The name of each tenant in the fleet: an application with one tenant is that tenant."""
        tenants = tuple(self.state.tenants)
        return {tenants[0]: self.name} if len(tenants) == 1 else {name: f"{self.name}/{name}" for name in tenants}

    def jobs(self, now: float) -> tuple[JobFigures, ...]:
        """Its tenants' figures."""
        names, older_s = self.job_names(), max(0.0, now - self.seen_s)
        return tuple(_figures(names[name], tenant, self, older_s) for name, tenant in self.state.tenants.items())

    def dial(self, fresh: bool) -> Dial:
        """Its executors as a lever; where nothing is heard of it, or it obeys nobody, one that nobody turns."""
        stated = sum(tenant.intent.max_utility for tenant in self.state.tenants.values())
        held, factor = self.held, self.factor(stated)
        wanted = self._could(self.wanted)
        asked = None if wanted == held else wanted
        if not (fresh and self.fits and self.obeys):
            return Dial(UNIT, self.name, held, held, held, costs=self.state.executors.cores)
        # More than all that its tenants may count for no executors are worth, whatever its agent says.
        worth = tuple((float(count), factor * min(utility, stated)) for count, utility in self.state.worth)
        return Dial(
            UNIT,
            self.name,
            held,
            self.least,
            self.most,
            asked,
            shows=Shows.WHEN_GIVEN,
            worth=worth,
            costs=self.state.executors.cores,
        )


def _same_intents(state: SaidState, before: Application) -> bool:
    known = before.state.tenants
    return all(tenant.intent == known[name].intent for name, tenant in state.tenants.items())


def _figures(name: str, tenant: SaidTenant, of: Application, older_s: float) -> JobFigures:
    held = of.held
    latency = tenant.latency
    unit = OperatorFigures(
        UNIT,
        held,
        capacity=tenant.busy,
        rows_in_rps=tenant.processed_rps,
        backlog_rows=tenant.backlog_rows,
        is_source=True,
        min_threads=held,
        max_threads=held,
        asked=None if of.wanted == held else of.wanted,
    )
    return JobFigures(
        name=name,
        operators=(unit,),
        age_s=tenant.age_s + older_s,
        latency=None
        if latency is None
        else LatencyFigures(latency.mean_s, tuple(sorted(latency.quantiles)), latency.estimated),
        juice=tenant.juice,
        arrival_rps=tenant.arrival_rps,
        processed_rps=tenant.processed_rps,
        backlog_rows=tenant.backlog_rows,
        settling=tenant.settling,
        up_s=tenant.up_s,
        trouble=tenant.trouble,
        trouble_id=None if tenant.trouble_kind is None else TroubleId(tenant.trouble_kind, tenant.trouble_cause),
    )
