"""The view: a snapshot judged against the intents. It is all that a policy gets to see."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from penstock.core.asked.budget import BudgetWindow, SpentBudget
from penstock.core.asked.coming import ToCome
from penstock.core.asked.intents import Intent, unscaled
from penstock.core.asked.price import Price
from penstock.core.levers import Dial
from penstock.core.seen.contacts import Contacts
from penstock.core.seen.deeds import Deed
from penstock.core.seen.figures import JobFigures, MachineFigures, Snapshot
from penstock.core.seen.routes import RouteFigures


@dataclass(frozen=True, slots=True)
class JobView:
    """A job, what it was asked for, and how it does. `utility` is None when a figure for it is absent."""

    figures: JobFigures
    intent: Intent
    utility: float | None
    met: bool
    fresh: bool
    modelled_threads: Mapping[str, int] = field(default_factory=dict)  # by performance models, for these arrivals
    recovery_s: float | None = None  # how long it would take to be back to normal, where somebody worked it out
    spent: SpentBudget | None = None  # how its error budget stands, where it has one
    window: BudgetWindow | None = None  # the present one of that budget, for stores

    @property
    def name(self) -> str:
        """The job's name."""
        return self.figures.name

    @property
    def max_utility(self) -> float:
        """What the job is worth when it has all it asked for."""
        return self.intent.max_utility

    @property
    def urgency(self) -> float:
        """How many times its worth it counts for here, its error budget running low; else 1."""
        return 1.0 if self.spent is None or self.intent.rests else self.spent.urgency

    @property
    def stated(self) -> Intent:
        """Its intent in the worth that its tenant stated."""
        return self.intent if self.urgency == 1.0 else unscaled(self.intent, self.urgency)


@dataclass(frozen=True, slots=True)
class View:
    """The whole fleet at an instant, with total utility and what it could be at most."""

    at_s: float
    jobs: tuple[JobView, ...]
    machines: tuple[MachineFigures, ...]
    utility: float
    max_utility: float
    max_threads: int | None = None
    routes: tuple[RouteFigures, ...] = ()
    levers: tuple[Dial, ...] = ()  # of the whole application
    deeds: tuple[Deed, ...] = ()  # done by the engine itself since the cycle before
    to_come: ToCome = ToCome()
    contacts: Contacts = Contacts()  # of a fleet
    slot_price: Price | None = None  # where somebody said what slots cost

    @property
    def dials(self) -> tuple[Dial, ...]:
        """Every lever that can be turned, the application's last."""
        return (*(dial for job in self.jobs for dial in job.figures.dials), *self.levers)

    @property
    def congested(self) -> bool:
        """Henge, section 4.3.2: a majority of machines with more runnable threads than cores."""
        alive = [machine for machine in self.machines if machine.alive]
        return 2 * sum(machine.congested for machine in alive) > len(alive)

    @property
    def slots(self) -> int | None:
        """All slots: the cluster's limit, else of its executors, else the living cores.

        Slots need not be cores: an executor may offer more of them than its machine has. None where nobody tells.
        """
        alive = [machine for machine in self.machines if machine.alive]
        offered = sum(machine.slots or 0 for machine in alive)
        cores = sum(machine.cores for machine in alive)
        return self.max_threads or offered or cores or None

    @property
    def fresh(self) -> bool:
        """Whether every job's figures are recent enough to act on."""
        return all(job.fresh for job in self.jobs)

    def job(self, name: str) -> JobView:
        """The job of that name."""
        return next(job for job in self.jobs if job.name == name)


def snapshot_of(view: View) -> Snapshot:
    """The figures alone, as an engine gave them, to be judged against other intents."""
    return Snapshot(
        view.at_s,
        tuple(job.figures for job in view.jobs),
        view.machines,
        view.max_threads,
        levers=view.levers,
        contacts=view.contacts,
    )
