"""The fleet as an engine: what agents report is observed, and decisions become promises, and orders to agents.

    report -> heard -> snapshot -> ... the loop ... -> steps -> wanted -> promised -> order -> agent

All agents' reports and the loop meet here, under one lock: a report for some microseconds, the loop and `tend` for 7 ms
with 1,000 applications. Between rounds `tend` asks the cluster manager what there is, hands on what became free, and
forgets who left.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from math import inf

from penstock.core.asked.intents import Intent
from penstock.core.levers import Executors
from penstock.core.plan import Outcome, Step, StepOutcome
from penstock.core.seen.contacts import Contacts
from penstock.core.seen.figures import Snapshot
from penstock.core.seen.leader import LATEST_HEEDED
from penstock.engines.applications.absent import AbsentApplications
from penstock.engines.applications.book import Application
from penstock.engines.applications.cluster import Cluster, understood
from penstock.engines.applications.cluster_watch import ClusterWatch, cores_for, machines_of
from penstock.engines.applications.diary import FleetDiary
from penstock.engines.applications.joining import LEAST_SIZE, check_driver, check_names, check_size
from penstock.engines.applications.listed import Listed
from penstock.engines.applications.obedience import REFUSED_S
from penstock.engines.applications.promises import promises
from penstock.engines.applications.settings import FleetSettings
from penstock.engines.applications.wire import Order, Reply, Report, Serials
from penstock.engines.applications.wishes import ExecutorWish, wish_of
from penstock.engines.hand import Limit, NoLimit
from penstock.engines.lifetime import NothingToOpen
from penstock.errors import OutageError, PenstockError

_AT_LEISURE: Limit = NoLimit()


class NotLeadingError(OutageError):
    """Another coordinator leads, or nobody does yet."""


class FleetEngine(NothingToOpen):
    """Many applications, of which each has an agent; `leads` says whether this coordinator still may."""

    def __init__(
        self,
        cluster: Cluster,
        settings: FleetSettings = FleetSettings(),
        epoch: int = 1,
        leads: Callable[[], bool] = lambda: True,
        even: Callable[[], float] = time.monotonic,
        asking: Limit = _AT_LEISURE,
    ) -> None:
        """`asking` is how long the cluster manager is waited for."""
        self._cluster = cluster
        self._asking = asking
        self._settings = settings
        self._epoch = epoch
        self._leads = leads
        self._even = even
        self._lock = threading.Lock()
        self._known: dict[str, Application] = {}
        self._opened_s = even()
        self._absent = AbsentApplications(self._opened_s, settings.forgotten_s)
        self._diary = FleetDiary(even)
        self._watch = ClusterWatch(self._diary)
        self._looked_s = -inf  # at the cluster
        self._number = 0
        self._obeyed = 0  # the latest epoch that an agent said it obeys
        self._rose_s = -inf
        self._joined_s = inf  # since when somebody awaits a round that is the first to see it
        self._listed = Listed(settings.bounds or {}, self._opened_s, settings.awaits_s, settings.lists_all)

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
            self._absent.left({name: executors for name, executors in wanted.items() if name not in self._known})

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
            self._diary.note(None, f"leads in epoch {epoch}", f"agents obeyed epoch {self._obeyed}, and no earlier one")
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
                self._diary.note(known.name, "an order was not carried out", "its agent says why", report.refused)
            found = known.after(report, now)
            if found.state.tenants.keys() != known.state.tenants.keys():
                check_names(found, self._known.values())
            if found.size > max(known.size, LEAST_SIZE):
                check_size(found, self._known.values())
            self._note_obedience(known, found)
            self._known[known.name] = found
            order = found.order if found.order is not None and found.order.serials > found.applied else None
            return self._answer(report.number, order)

    def _note_obedience(self, before: Application, after: Application) -> None:
        if before.obeys == after.obeys or after.order is None:
            return
        if after.obeys:
            self._diary.note(after.name, "obeys again", "its agent carries orders out, or says why not")
            return
        self._diary.note(after.name, "obeys no order", _why_no_more(after, after.order), after.refused or None)

    def _heed(self, obeys: int) -> None:
        if obeys <= LATEST_HEEDED:
            self._obeyed = max(self._obeyed, obeys)

    def _join(self, known: Application | None, report: Report, now: float) -> Reply:
        check_driver(known, now, self._settings.lease_s)
        if report.base is not None:
            return self._answer(None, None)
        bounds = (self._settings.bounds or {}).get(report.application, self._settings.others)
        found = Application.joining(report, bounds, now).within(self._watch.room)
        check_names(found, self._known.values())
        check_size(found, self._known.values())
        wanted = self._absent.wanted(found, known, self._even())
        if wanted is None or self._settings.advises:
            self._diary.note(found.name, f"joined with {found.held} executors", "its agent reported")
            self._joined_s = min(self._joined_s, now)
        else:
            found = found.going_on(wanted)
            text = f"joined again with {found.held} executors, is to have {found.wanted}"
            self._diary.note(found.name, text, "its driver restarted, and gets its former number of executors")
        self._known[found.name] = found
        self._listed.came(found.name, now)
        return self._answer(report.number, None)

    def _leave(self, known: Application | None, report: Report) -> None:
        if known is not None and known.instance == report.instance:
            del self._known[known.name]
            self._diary.note(known.name, "left", "its agent said good-bye")

    def _answer(self, heard: int | None, order: Order | None) -> Reply:
        return Reply(self._epoch, heard, self._every_s, self._settings.lease_s, order)

    @property
    def _every_s(self) -> float:
        return max(self._settings.every_s, len(self._known) / self._settings.reports_per_s)

    # What the loop asks

    @property
    def hurries(self) -> bool:
        """Whether somebody joined whom no round has seen, so long ago that whoever began beside it is heard of, too.

        That is the time between two reports: the more applications there are, the longer.
        """
        with self._lock:
            return self._even() - self._joined_s >= self._every_s

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
            room, deeds = self._watch.room, self._diary.told(now)
            self._joined_s = inf
            to_come = self._listed.to_come(even)
            contacts = self._contacts(known, even)
        fresh_s = self._settings.silent_s
        return Snapshot(
            at_s=now,
            jobs=tuple(job for one in known for job in one.jobs(even)),
            machines=machines_of(room),
            max_threads=cores_for(room, known),
            levers=tuple(one.dial(even - one.heard_s <= fresh_s) for one in known),
            deeds=deeds,
            to_come=to_come,
            contacts=contacts,
        )

    def _contacts(self, known: Sequence[Application], even: float) -> Contacts:
        cluster_s = even - max(self._watch.asked_s, self._opened_s)
        return Contacts({one.name: round(even - one.heard_s, 1) for one in known}, round(cluster_s, 1))

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
            return f"{move.job} no longer exists"
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
            self._asking.do("asking the cluster what is free", partial(self._ask, now))
        except PenstockError as error:
            late = f"{self._cluster.name} does not answer: it has not said in time what is free"
            with self._lock:
                self._watch.failed(str(error) if isinstance(error, OutageError) else late)

    def _ask(self, now: float) -> None:
        """What comes too late for whoever waits is known from then on all the same."""
        with understood(self._cluster.name):
            room = self._cluster.room()
        with self._lock:
            self._known = self._watch.told(room, now, self._known)
            if not self._settings.advises:
                self._known = self._watch.waited(self._known)

    def _forget(self) -> None:
        now, lease_s = self._even(), self._settings.lease_s
        report = {one.state.cluster_id for one in self._known.values() if now - one.heard_s <= lease_s}
        for name, known in list(self._known.items()):
            silent_s = now - known.heard_s
            why = self._why_gone(known, report) if silent_s > lease_s else ""
            if silent_s > self._settings.forgotten_s and not why:
                why = f"its agent has not reported for {silent_s:.0f} s"
            if why:
                del self._known[name]
                self._absent.went(known)
                self._diary.note(name, "is no longer there", why)
        self._absent.forget(now)

    def _why_gone(self, silent: Application, report: Set[str]) -> str:
        """Why one that is silent is gone for sure; empty where it need not be. `report` are the names in the cluster of
        those that are heard: what one holds would count twice, once by each name.
        """
        if self._watch.has_ended(silent):
            return "the cluster manager has ended it"
        cluster_id = silent.state.cluster_id
        return "its driver reports by another name" if cluster_id and cluster_id in report else ""

    def _promise(self) -> None:
        """Promises, and orders for those whose promise changed, or did not come although the order was taken up."""
        if self._settings.advises:
            self._known = {name: known.as_it_asked() for name, known in self._known.items()}
            return
        now = self._even()
        recent = now - self._watch.asked_s <= self._settings.old_s
        known = tuple(self._known.values())
        found = promises([one.standing for one in known], cores_for(self._watch.room, known) if recent else None)
        for one in known:
            promised = found[one.name]
            if one.fits and (promised != one.promised or self._is_overdue(one, promised, now)):
                self._order(one, promised, now)  # one that does not fit waits in a cluster that may grow by that

    def _is_overdue(self, one: Application, promised: int, now: float) -> bool:
        """Whether its agent has taken the order up, or was given none, and long since asks for another number."""
        taken_up = one.order is None or one.applied >= one.order.serials
        late = now - max(one.ordered_s, self._opened_s) > self._settings.again_s
        return promised != one.state.executors.wanted and late and taken_up

    def _order(self, one: Application, promised: int, now: float) -> None:
        if promised > one.promised and one.promised != one.wanted:
            self._diary.note(one.name, f"executors promised {one.promised} -> {promised}", "so many are free by now")
        why = f"{promised} of the {one.wanted} that it is to have" if promised != one.wanted else ""
        self._known[one.name] = one.ordered(Order(self._next(), promised, why), now)

    def _next(self) -> Serials:
        self._number += 1
        return Serials(self._epoch, self._number)

    def _check_leads(self) -> None:
        if not self._leads():
            raise NotLeadingError("this coordinator does not lead")


def _why_no_more(one: Application, order: Order) -> str:
    did = "neither carried out nor refused"
    if not one.obedience.unanswered(one.heard_s):
        did = f"has refused for {REFUSED_S / 60.0:.0f} minutes"
    counts = f"it counts for the {one.held} that it has, is promised no more, and nothing is waited for from it"
    return f"its agent {did} to have {order.executors} executors; {counts}"
