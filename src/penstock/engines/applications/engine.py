"""The fleet as an engine: what agents report is observed, and decisions become promises, and orders to agents.

    report -> heard -> snapshot -> ... the loop ... -> steps -> wanted -> promised -> order -> agent

All agents' reports and the loop meet here, under one lock: a report for some microseconds, the loop and `tend` for 7 ms
with 1,000 applications. Between rounds `tend` asks the cluster manager what there is, hands on what became free, and
forgets who left.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, nextafter

from penstock.core.deeds import Deed
from penstock.core.figures import MachineFigures, Snapshot
from penstock.core.intents import Intent
from penstock.core.leader import LATEST_HEEDED
from penstock.core.levers import Executors
from penstock.core.plan import Outcome, Step, StepOutcome
from penstock.engines.applications.book import Application, Bounds
from penstock.engines.applications.cluster import Cluster, Room
from penstock.engines.applications.obedience import REFUSED_S
from penstock.engines.applications.promises import promises
from penstock.engines.applications.wire import Order, Reply, Report, Serials
from penstock.engines.applications.wishes import ExecutorWish, wish_of
from penstock.errors import OutageError, PenstockError, in_a_line

_log = logging.getLogger("penstock.fleet")
_DEEDS = 1000
_INSTANT_S = 1e-6
# Of what one token's applications say together: 4,096 of at most 16 KiB, or 16 of the most that a report holds. What is
# made of it here takes about fifteen times as much.
_MOST_OF_A_TOKEN = 64 * 2**20
_LEAST_SIZE = 16 * 2**10


class AnotherDriverError(PenstockError):
    """A report of a second driver of the same name, while the first one is heard."""


class TakenNameError(PenstockError):
    """A report of an application with a tenant whose name in the fleet is that of another one's."""


class TooMuchSaidError(PenstockError):
    """A report by whose token more is said already than is kept of one."""


class NotLeadingError(OutageError):
    """Another coordinator leads, or nobody does yet."""


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
    old_s: float = 30.0  # what the cluster manager said so long ago is no ground for promises
    advises: bool = False  # nobody is ordered anything
    bounds: Mapping[str, Bounds] | None = None
    others: Bounds = Bounds()


class FleetEngine:
    """Many applications, of which each has an agent; `leads` says whether this coordinator still may."""

    def __init__(
        self,
        cluster: Cluster,
        settings: FleetSettings = FleetSettings(),
        epoch: int = 1,
        leads: Callable[[], bool] = lambda: True,
        even: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cluster = cluster
        self._settings = settings
        self._epoch = epoch
        self._leads = leads
        self._even = even
        self._lock = threading.Lock()
        self._known: dict[str, Application] = {}
        self._ended_by_cluster: dict[str, Application] = {}  # whose drivers may begin anew
        self._before: dict[str, int] = {}  # executors, by applications of whom nothing was heard in this term yet
        self._number = 0
        self._room: Room | None = None
        self._room_s = -inf
        self._looked_s = -inf
        self._cluster_said = ""
        self._waits: Mapping[str, str] = {}
        self._twice: frozenset[str] = frozenset()  # names by which the cluster knows one and several say they are
        self._deeds: deque[Deed] = deque(maxlen=_DEEDS)
        self._obeyed = 0  # the latest epoch that an agent said it obeys
        self._rose_s = -inf
        self._opened_s = even()
        self._ahead_s: float | None = None  # of our clock is the loop's

    @property
    def silent_s(self) -> float:
        """How long an agent may be silent and be decided over all the same."""
        return self._settings.silent_s

    @property
    def forgotten_s(self) -> float:
        """How long after its last report an application is remembered."""
        return self._settings.forgotten_s

    def remember(self, wanted: Mapping[str, int]) -> None:
        """What applications were to have under the coordinator before: who died with it gets that back."""
        with self._lock:
            self._before = {name: executors for name, executors in wanted.items() if name not in self._known}

    @property
    def obeyed(self) -> int:
        """The latest epoch that an agent said it obeys, refusing orders of those before; 0 where that is ours.

        Told once a lease at most: whoever claims a later one in each report has us begin no more epochs than that.
        """
        recently = self._even() - self._rose_s < self._settings.lease_s
        return 0 if recently or self._obeyed <= self._epoch else self._obeyed

    def rise(self, epoch: int) -> None:
        """Lead in this later epoch from now on; what was ordered and not taken up is ordered again."""
        with self._lock:
            self._note(None, f"leads in epoch {epoch}", f"agents obeyed epoch {self._obeyed}, and no earlier one")
            self._epoch, self._rose_s = epoch, self._even()
            for name, one in self._known.items():
                if one.order is not None and one.order.serials != one.applied:
                    self._known[name] = replace(one, order=replace(one.order, serials=self._next()))

    # What agents say

    def hear(self, report: Report) -> Reply:
        """Take a report up, and answer it; a PenstockError where it cannot be."""
        self._check_leads()
        now = self._even()
        with self._lock:
            known = self._known.get(report.application)
            self._heed(max(report.obeys, report.applied.epoch))
            if report.leaving:
                self._leave(known, report)
                return self._answer(report.number, None)
            if known is None or known.instance != report.instance:
                return self._join(known, report, now)
            overtaken = report.number < known.number  # on its way, by one that its agent sent later
            if overtaken or (report.base is not None and report.base != known.number):
                return self._answer(None, None)
            if report.refused and report.refused != known.refused:
                self._note(known.name, "an order was not carried out", "its agent says why", report.refused)
            found = known.after(report, now)
            if found.state.tenants.keys() != known.state.tenants.keys():
                self._check_names(found)
            if found.size > max(known.size, _LEAST_SIZE):
                self._check_size(found)
            self._note_obedience(known, found)
            self._known[known.name] = found
            order = found.order if found.order is not None and found.order.serials > found.applied else None
            return self._answer(report.number, order)

    def _note_obedience(self, before: Application, after: Application) -> None:
        if before.obeys == after.obeys or after.order is None:
            return
        if after.obeys:
            self._note(after.name, "obeys again", "its agent carries orders out, or says why not")
            return
        self._note(after.name, "obeys no order", _why_no_more(after, after.order), after.refused or None)

    def _heed(self, obeys: int) -> None:
        if obeys <= LATEST_HEEDED:
            self._obeyed = max(self._obeyed, obeys)

    def _join(self, known: Application | None, report: Report, now: float) -> Reply:
        if known is not None and now - known.heard_s < self._settings.lease_s:
            raise AnotherDriverError(
                f"{report.application}: another driver of that name reports already; give this one another name, or "
                f"end that one"
            )
        if report.base is not None:
            return self._answer(None, None)
        bounds = (self._settings.bounds or {}).get(report.application, self._settings.others)
        found = Application.joining(report, bounds, now).within(self._room)
        self._check_names(found)
        self._check_size(found)
        wanted = self._wanted_before(found, known)
        if wanted is None or self._settings.advises:
            self._note(found.name, f"joined with {found.held} executors", "its agent reported")
        else:
            found = found.going_on(wanted)
            text = f"joined again with {found.held} executors, is to have {found.wanted}"
            self._note(found.name, text, "its driver began anew, and gets what it was to have before")
        self._known[found.name] = found
        return self._answer(report.number, None)

    def _check_names(self, found: Application) -> None:
        """Of two tenants of one name the intent of one would count for the other, and be told as its."""
        names = set(found.job_names().values())
        for other in self._known.values():
            taken = names.intersection(other.job_names().values()) if other.name != found.name else ()
            if taken:
                raise TakenNameError(
                    f"{min(taken)} is a tenant of {other.name} in this fleet: give {found.name} another name"
                )

    def _check_size(self, found: Application) -> None:
        """One token is one part's: it may not take the memory that is there for all."""
        others = (one for one in self._known.values() if one.whose == found.whose and one.name != found.name)
        total = sum(max(one.size, _LEAST_SIZE) for one in (found, *others))
        if total > _MOST_OF_A_TOKEN:
            raise TooMuchSaidError(
                f"{found.name}: the applications of the token for {found.whose or 'all'} say {total:,} bytes together, "
                f"of {_MOST_OF_A_TOKEN:,} that are kept ({_LEAST_SIZE:,} at least for each); give some another token"
            )

    def _wanted_before(self, found: Application, known: Application | None) -> int | None:
        """What one that joins was to have before; None of one that is new, or that lived on under two coordinators."""
        here = known or self._ended_by_cluster.pop(found.name, None)
        left = self._before.pop(found.name, None)
        if here is not None:
            return here.wanted
        old = self._even() - self._opened_s > self._settings.forgotten_s
        lived_on = found.applied != Serials() or left == found.wanted
        return None if old or lived_on else left

    def _leave(self, known: Application | None, report: Report) -> None:
        if known is not None and known.instance == report.instance:
            del self._known[known.name]
            self._note(known.name, "left", "its agent said good-bye")

    def _answer(self, heard: int | None, order: Order | None) -> Reply:
        every_s = max(self._settings.every_s, len(self._known) / self._settings.reports_per_s)
        return Reply(self._epoch, heard, every_s, self._settings.lease_s, order)

    # What the loop asks

    def intents(self) -> dict[str, Intent]:
        """What is wanted of every tenant, by its name in the fleet."""
        with self._lock:
            all_known = tuple(self._known.values())
        return {name: known.intents[tenant] for known in all_known for tenant, name in known.job_names().items()}

    def wishes(self) -> tuple[ExecutorWish, ...]:
        """What each application is to have, by name, for whoever carries it out outside of them."""
        self._check_leads()
        now = self._even()
        with self._lock:
            known = [self._known[name] for name in sorted(self._known)]
        return tuple(wish_of(one, now) for one in known)

    def observe(self, now: float) -> Snapshot:
        """All applications as they were reported last."""
        self._check_leads()
        even = self._even()
        with self._lock:
            known = [self._known[name] for name in sorted(self._known)]
            room, deeds = self._room, tuple(self._told(now))
        fresh_s = self._settings.silent_s
        return Snapshot(
            at_s=now,
            jobs=tuple(job for one in known for job in one.jobs(even)),
            machines=() if room is None else _machines(room),
            max_threads=_cores(room, known),
            levers=tuple(one.dial(even - one.heard_s <= fresh_s) for one in known),
            deeds=deeds,
        )

    def apply(self, steps: Sequence[Step]) -> Outcome:
        """Have it so: who gives is told with its next report, who takes once that is free."""
        self._check_leads()
        with self._lock:
            outcomes = tuple(StepOutcome(step, self._want(step)) for step in steps)
            self._promise()
        return Outcome(outcomes)

    def _want(self, step: Step) -> str | None:
        """Why a step cannot be; None where it is to be."""
        (move, *more) = step.moves
        if more or not isinstance(move, Executors):
            return "between applications only executors move"
        known = self._known.get(move.job)
        if known is None:
            return f"{move.job} is not there any more"
        if not known.least <= move.after <= known.most:
            return f"{move.job} holds {known.least} to {known.most} executors; {move.after} are not within that"
        if move.after != known.wanted:
            self._known[move.job] = replace(known, wanted=move.after, since_s=self._even())
        return None

    # Between rounds

    def tend(self) -> None:
        """Look at the cluster, hand on what became free, and forget who is gone."""
        self._check_leads()
        self._look()
        with self._lock:
            self._forget()
            self._promise()

    def _look(self) -> None:
        now = self._even()
        if now - self._looked_s < self._settings.cluster_every_s:
            return
        self._looked_s = now
        try:
            room = self._cluster.room()
        except OutageError as error:
            said = str(error)
            if said != self._cluster_said:
                with self._lock:
                    self._note(None, "what the cluster has is not known", "nothing is promised meanwhile", said)
            self._cluster_said = said
            return
        self._cluster_said = ""
        with self._lock:
            self._room, self._room_s = room, now  # when it was asked: what happened since it need not know
            twice = _said_twice(self._known.values())
            self._note_twice(twice)
            for name, known in self._known.items():
                held = None if known.state.cluster_id in twice else _held(known, room)
                self._known[name] = known.told_by_cluster(held, now).within(room)
            self._note_waits({name: room.waits.get(one.state.cluster_id, "") for name, one in self._known.items()})

    def _note_twice(self, twice: Mapping[str, Sequence[str]]) -> None:
        """Which applications say that the cluster knows them by one name, once as long as it is so."""
        for cluster_id in twice.keys() - self._twice:
            named = " and ".join(twice[cluster_id])
            why = f"the cluster knows one application as {cluster_id}; for each counts what it says itself"
            self._note(None, f"{named} say that they are the same one", why)
        self._twice = frozenset(twice)

    def _note_waits(self, waits: Mapping[str, str]) -> None:
        """Why executors of which application do not come, once for each reason."""
        for name, why in waits.items():
            if why and why != self._waits.get(name):
                self._note(name, "executors that were asked for wait", why)
        self._waits = waits

    def _forget(self) -> None:
        now = self._even()
        for name, known in list(self._known.items()):
            silent_s = now - known.heard_s
            ended = silent_s > self._settings.lease_s and self._ended(known)
            if silent_s > self._settings.forgotten_s or ended:
                del self._known[name]
                self._ended_by_cluster[name] = known
                why = "the cluster manager has ended it" if ended else f"its agent was not heard for {silent_s:.0f} s"
                self._note(name, "is no longer there", why)
        gone = self._ended_by_cluster.items()
        self._ended_by_cluster = {n: one for n, one in gone if now - one.heard_s <= self._settings.forgotten_s}

    def _ended(self, known: Application) -> bool:
        """Whether the cluster manager, who would know, no longer knows the application."""
        room, by_name = self._room, known.state.cluster_id
        told_since = self._room_s > known.heard_s
        return room is not None and bool(by_name) and told_since and room.tells and by_name not in room.held

    def _promise(self) -> None:
        """Promises, and orders for those whose promise changed, or did not come although the order was taken up."""
        if self._settings.advises:
            self._known = {name: known.as_it_asked() for name, known in self._known.items()}
            return
        now = self._even()
        recent = now - self._room_s <= self._settings.old_s
        known = tuple(self._known.values())
        found = promises([one.standing for one in known], _cores(self._room, known) if recent else None)
        for one in known:
            if not one.fits:  # a cluster that grows by what waits may yet have room
                continue
            promised = found[one.name]
            taken_up = one.order is not None and one.applied >= one.order.serials
            asked = one.state.executors.wanted
            late = promised != asked and now - max(one.ordered_s, self._opened_s) > self._settings.again_s
            if promised == one.promised and not (late and (taken_up or one.order is None)):
                continue
            if promised > one.promised and one.promised != one.wanted:
                self._note(one.name, f"executors promised {one.promised} -> {promised}", "so many are free by now")
            why = f"{promised} of the {one.wanted} that it is to have" if promised != one.wanted else ""
            order = Order(self._next(), promised, why)
            self._known[one.name] = one.ordered(order, now)

    def _next(self) -> Serials:
        self._number += 1
        return Serials(self._epoch, self._number)

    def _check_leads(self) -> None:
        if not self._leads():
            raise NotLeadingError("this coordinator does not lead")

    # What was done without a decision

    def _note(self, job: str | None, text: str, why: str, error: str | None = None) -> None:
        last_s = self._deeds[-1].at_s if self._deeds else -inf
        deed = Deed(max(self._even(), nextafter(last_s, inf)), job, text, in_a_line(why), error and in_a_line(error))
        self._deeds.append(deed)

    def _told(self, now: float) -> list[Deed]:
        """All of the last ones, each at one instant however often it is told; those before the run at its begin."""
        if self._ahead_s is None:
            self._ahead_s = now - self._even()
        ahead_s = self._ahead_s
        return [
            replace(deed, at_s=max(deed.at_s + ahead_s, _INSTANT_S * place)) for place, deed in enumerate(self._deeds)
        ]


def _why_no_more(one: Application, order: Order) -> str:
    did = "neither carried out nor refused"
    if not one.obedience.unanswered(one.heard_s):
        did = f"has refused for {REFUSED_S / 60.0:.0f} minutes"
    counts = f"it counts for the {one.held} that it has, is promised no more, and nothing is waited for from it"
    return f"its agent {did} to have {order.executors} executors; {counts}"


def _said_twice(known: Iterable[Application]) -> dict[str, list[str]]:
    """Names in the cluster that several applications say are theirs, with those: whose executors they are nobody knows.

    The first to say so is not believed either: it may have guessed the name of one that is about to begin.
    """
    found: dict[str, list[str]] = {}
    for one in known:
        if one.state.cluster_id:
            found.setdefault(one.state.cluster_id, []).append(one.name)
    return {cluster_id: sorted(names) for cluster_id, names in found.items() if len(names) > 1}


def _held(known: Application, room: Room) -> int | None:
    """Its executors by the cores that the cluster manager has granted it; None where that does not know it."""
    if not known.state.cluster_id or not room.tells:
        return None
    cores = room.held.get(known.state.cluster_id)
    return None if cores is None else cores // known.state.executors.cores


def _cores(room: Room | None, known: Sequence[Application]) -> int | None:
    """The cores that the fleet can have: all there are but what others hold, and what lacks memory."""
    if room is None:
        return None
    executor_cores: dict[str, int] = {}
    for one in known:
        cores, cluster_id = one.state.executors.cores, one.state.cluster_id
        executor_cores[cluster_id] = min(cores, executor_cores.get(cluster_id, cores))
    return max(0, room.cores_for(executor_cores) - room.without_memory(executor_cores))


def _machines(room: Room) -> tuple[MachineFigures, ...]:
    return tuple(
        MachineFigures(
            worker.name,
            worker.cores,
            memory_share=None
            if not worker.memory_mib or worker.free_memory_mib is None
            else 1.0 - worker.free_memory_mib / worker.memory_mib,
            alive=worker.alive,
            slots=worker.cores,
        )
        for worker in room.workers
    )
