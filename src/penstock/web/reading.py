"""What the pages ask of a store, answered in the shapes of the API."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.core.run import RunInfo, asked_latency_s
from penstock.core.seen.shares import shares_of
from penstock.core.seen.states import State, state_of
from penstock.errors import ConfigError
from penstock.store.archive import StoreError
from penstock.store.gallery import NO_LENGTH, Gallery, Length, Newest, lengths
from penstock.store.open import find_run
from penstock.store.slices import Slices
from penstock.store.sql import SqlStore
from penstock.store.thinning import Stretch
from penstock.telling.life import life_text
from penstock.web import decision_list, present
from penstock.web.lives import Lives
from penstock.web.shapes import DecisionOut, RunOut
from penstock.web.shapes_control import ActOut, AuditOut, ControlOut
from penstock.web.shapes_fleet import ClusterOut, JobOut, OverviewOut, PresentOut

if TYPE_CHECKING:
    from penstock.web.metrics import Seen

RECENT = 200  # decisions that come with a page; the decisions page has all
POINTS = 300  # over time, on the first page
ALL_POINTS = 24_000  # of all tenants on it: with more of them each has fewer, so that the page of 400 is no heavier
LEAST_POINTS = 50
STRIP_DIGITS = 3  # what a strip and a stack can show


class NotBegunError(StoreError):
    """The run that is to be looked at has not begun; whoever waits a little finds it."""


class Reader:
    """Reads one store; of a run's past only what is new is read again.

    With the ids of `runs_before` the last run is one that begins after them: until then nothing is told in its place.
    """

    def __init__(self, store: SqlStore, runs_before: frozenset[str] | None = None, lives: Lives | None = None) -> None:
        self._store = store
        self._before = runs_before
        self._past = Slices()
        self._lives = lives or Lives()

    def warm(self) -> None:
        """Read the newest run's past before anybody asks for it: of a day of 20 tenants 170,000 rows."""
        for info in self._store.runs()[-1:]:
            self.overview(info.id, None, POINTS)

    def runs(self) -> tuple[RunOut, ...]:
        """All runs, newest first."""
        kept = lengths(self._store.database)
        return tuple(self._run(info, kept.get(info.id, NO_LENGTH)) for info in reversed(self._store.runs()))

    def find(self, name: str) -> str:
        """The id of the run that is meant: an id, a name, or `last`."""
        if name != "last" or self._before is None:
            return find_run(self._store, name).id
        begun = [info.id for info in self._store.runs() if info.id not in self._before]
        if not begun:
            raise NotBegunError("The run is starting: it has not begun yet.")
        return begun[-1]

    def gallery(self, run_id: str) -> Gallery:
        """All of one run."""
        return Gallery(self._store.database, run_id, self._past)

    def overview(self, run_id: str, span_s: float | None, points: int, may_act: bool = False) -> OverviewOut:
        """The first page."""
        gallery = self.gallery(run_id)
        stretch = Stretch(None if span_s is None else (gallery.length().last_s or 0.0) - span_s, points=points)
        each = replace(stretch, points=points_of_each(points, len(self._store.jobs(run_id))))
        decisions = self.decisions(gallery)
        return OverviewOut(
            run=self.whole(gallery),
            control=self.control(run_id, may_act),
            present=self.present(gallery, decisions),
            totals=present.series(gallery.totals(stretch)),
            jobs={name: present.series(columns, STRIP_DIGITS) for name, columns in gallery.jobs(each).items()},
            decisions=decisions[-RECENT:],
        )

    def job(self, run_id: str, name: str, stretch: Stretch) -> JobOut:
        """One tenant's page."""
        gallery = self.gallery(run_id)
        columns = gallery.job(stretch, name)
        if columns is None and gallery.job(Stretch(), name) is None:
            known = ", ".join(sorted(gallery.jobs(Stretch(points=1)))) or "none has been seen"
            raise ConfigError("job", name, f"name one of {known}")
        decisions = tuple(d for d in self.decisions(gallery) if name in d.jobs)
        newest = gallery.newest(stretch.to_s)
        view = None if newest is None else next((job for job in newest.view.jobs if job.name == name), None)
        figures = None if view is None else view.figures
        last = decisions[-1] if decisions else None
        now = None
        if newest is not None and view is not None:
            share = shares_of(newest.view)[name]
            now = present.tenant(view, share, newest, last, _past(gallery, newest))
        return JobOut(
            run=self.whole(gallery),
            tenant=now,
            series=present.series(columns),
            operators=() if figures is None else present.operators(figures),
            edges=() if figures is None else present.edges(figures),
            stages=() if figures is None else present.stages(figures),
            phases_s={} if figures is None else dict(figures.phases_s),
            state_bytes=None if figures is None else figures.state_bytes,
            forecast=None if newest is None else present.forecast(newest.outlooks.get(name)),
            recovery_s=None if now is None else now.recovery_s,
            recovery_target_s=None if now is None else now.recovery_target_s,
            decisions=decisions[-RECENT:],
            asked=tuple(present.asked_for(at_s, intent) for at_s, intent in gallery.asked(name)),
            recoveries=() if newest is None or view is None else present.recoveries(newest.recoveries_by_kind(view)),
        )

    def cluster(self, run_id: str, stretch: Stretch) -> ClusterOut:
        """The machines' page."""
        gallery = self.gallery(run_id)
        newest = gallery.newest(stretch.to_s)
        jobs = () if newest is None else tuple(job.figures for job in newest.view.jobs)
        return ClusterOut(
            run=self.whole(gallery),
            present=self.present(gallery, self.decisions(gallery)),
            machines={name: present.series(columns) for name, columns in gallery.machines(stretch).items()},
            stages=tuple(stage for job in jobs for stage in present.stages(job)),
            keys=present.keys(jobs),
        )

    def decisions(self, gallery: Gallery) -> tuple[DecisionOut, ...]:
        """Every decision of the run, oldest first."""
        most = max((v or 0.0 for v in gallery.totals(Stretch()).values["max_utility"]), default=0.0)
        return decision_list.told(gallery.decisions(), most)

    def present(self, gallery: Gallery, decisions: tuple[DecisionOut, ...]) -> PresentOut | None:
        """The newest cycle."""
        newest = gallery.newest()
        return None if newest is None else present.present(newest, decisions, _past(gallery, newest))

    def control(self, run_id: str, may_act: bool = False) -> ControlOut:
        """How the run's controller stands."""
        desk = self._store.desk
        card = desk.card(run_id)
        if card is None:
            return ControlOut(
                live=False, may_act=False, paused_by=None, dry_run=False, interval_s=None, seen_at_epoch_s=None
            )
        life = self._lives.of(run_id, card)
        live = life.governs
        waiting = tuple(filed.request.act.value for filed in desk.waiting(run_id)) if live else ()
        asked = desk.open_proposals(run_id) if live else ()
        return ControlOut(
            live=live,
            may_act=live and may_act,
            paused_by=card.paused_by,
            dry_run=card.dry_run,
            interval_s=card.interval_s,
            seen_at_epoch_s=card.seen_at_epoch_s,
            approval=card.approval,
            waiting=waiting,
            proposals=tuple(decision_list.proposed(proposal) for proposal in asked),
            life=life.value,
            said=life_text(life, card.sign, time.time()),
        )

    def seen(self, run: str) -> "Seen":
        """What metrics are made of."""
        from penstock.web.metrics import Seen  # Prometheus's library is for who scrapes

        run_id = self.find(run)
        gallery = self.gallery(run_id)
        return Seen(self.whole(gallery), gallery.newest(), self.decisions(gallery), self.control(run_id))

    def acts(self, run_id: str) -> tuple[ActOut, ...]:
        """What people asked that the run's controller has heard, oldest first."""
        return tuple(ActOut(act.at_s, act.who, act.line, act.job) for act in self.gallery(run_id).acts())

    def audit(self, run_id: str) -> tuple[AuditOut, ...]:
        """What people did, newest first."""
        entries = self._store.audit(run_id)
        return tuple(AuditOut(e.at_epoch_s, e.who, e.act, e.detail) for e in reversed(entries))

    def _run(self, info: RunInfo, length: Length) -> RunOut:
        live = self._lives.of(info.id, self._store.desk.card(info.id)).governs
        told = (info.id, info.name, info.policy, info.engine, info.master, info.started_at_s)
        return RunOut(*told, live, length.cycles, length.first_s, length.last_s)

    def whole(self, gallery: Gallery) -> RunOut:
        """Which run it is, and how long."""
        return self._run(gallery.info, gallery.length())


def points_of_each(points: int, tenants: int) -> int:
    """In how many points each of so many tenants is told where all of them are on one page.

    >>> [points_of_each(300, tenants) for tenants in (4, 100, 400, 1000)]
    [300, 240, 60, 50]
    """
    return min(points, max(LEAST_POINTS, ALL_POINTS // max(1, tenants)))


def _past(gallery: Gallery, newest: Newest) -> present.KnownBefore:
    """Of each tenant that is not fine, when it last was; of each whose latency is not known, what that was last."""
    ill = [job for job in newest.view.jobs if state_of(job) not in (State.FINE, State.RESTING)]
    unknown = [job.name for job in ill if asked_latency_s(job) is None]
    known = {name: last for name in unknown if (last := gallery.last_latency(name)) is not None}
    return present.KnownBefore({job.name: gallery.missed_since(job.name) for job in ill}, known, gallery.info.price)
