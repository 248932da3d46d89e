"""Of runs that are recorded: `penstock explain`, `report`, `diff` and one look of `top` as calls.

`run` is the id or the name of a run, "last", or the path of a SQLite file, whose last run is meant. `store` is where
runs are recorded, if not at the default path.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from penstock.calls.opening import StorePlace, opened
from penstock.core.known.counterfactual import Counterfactual
from penstock.core.run import Run
from penstock.store.gallery import Gallery
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.telling.explain import WIDTH
from penstock.telling.explain import explain as told_story
from penstock.telling.held_back import with_held
from penstock.telling.incident import lines
from penstock.telling.report import page
from penstock.telling.run_document import summary_document
from penstock.telling.summary import summarise
from penstock.web.shapes_simulated import RemediesOut

SIMULATED_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run summed up."""

    run: Run
    tried: tuple[Counterfactual, ...] = ()
    nine: RemediesOut | None = None  # what one tenant's next nine would cost

    @property
    def sentences(self) -> tuple[str, ...]:
        """What `penstock report` says."""
        nine = () if self.nine is None else (f"{self.nine.job}: {self.nine.text}",)
        return *summarise(self.run, self.tried).sentences, *nine

    def document(self) -> Mapping[str, Any]:
        """The same for programs, with each tenant and each decision."""
        nine = {} if self.nine is None else {"next_nine": asdict(self.nine)}
        return {**summary_document(self.run, self.tried), **nine}

    def html(self) -> str:
        """One page, with everything in it."""
        return page(self.run, self.tried)


def explain(run: str = "last", store: StorePlace = None, *, without: bool = False, width: int = WIDTH) -> str:
    """What happened in a run, and why; with `without`, how it would have gone without each of its newest decisions."""
    return told_story(read_recorded(run, store), width, read_tried(run, store) if without else (), whole=True)


def report(run: str = "last", store: StorePlace = None, *, without: bool = False, nine: str | None = None) -> RunReport:
    """A run summed up: sentences, a document, a page; with `nine` what the next nine of that tenant would cost."""
    tried = read_tried(run, store) if without else ()
    return RunReport(read_recorded(run, store), tried, None if nine is None else read_nine(run, store, nine))


def incident(
    tenant: str,
    run: str = "last",
    store: StorePlace = None,
    *,
    since_s: float | None = None,
    until_s: float | None = None,
) -> str:
    """What happened to one tenant in a part of a run, whom else it hit, why, what was done, and what it cost."""
    from penstock.web.incidents import incident_of

    with _opened(run, store) as (archive, run_id):
        gallery = Gallery(archive.database, run_id)
        return "\n".join(lines(incident_of(gallery, tenant, since_s, until_s)))


def diff(a: str, b: str = "last", store: StorePlace = None) -> Mapping[str, Any]:
    """Two runs side by side, each from its own beginning on, as `penstock diff --json` has them."""
    from penstock.web.comparing import compared
    from penstock.web.feed import plain
    from penstock.web.reading import Reader

    with closing(open_store(store, create=False)) as archive:
        found: Mapping[str, Any] = plain(compared(Reader(archive), a, b))
        return found


def present(run: str = "last", store: StorePlace = None) -> Mapping[str, Any]:
    """One look of `penstock top`: the run, how its controller stands, and the present of each tenant."""
    from penstock.web.feed import plain
    from penstock.web.reading import Reader

    with closing(open_store(store, create=False)) as archive:
        reader = Reader(archive)
        gallery = reader.gallery(reader.find(run))
        decisions = reader.decisions(gallery)
        seen = reader.present(gallery, decisions)
        return {
            "run": plain(reader.whole(gallery)),
            "control": plain(reader.control(gallery.info.id)),
            "present": None if seen is None else plain(seen),
        }


def read_recorded(run: str, store: StorePlace) -> Run:
    """The run of that name or id, or the last one of the file at that path, with what held tenants back."""
    with _opened(run, store) as (archive, run_id):
        return with_held(archive.read_run(run_id), Gallery(archive.database, run_id).view_at)


def read_tried(run: str, store: StorePlace) -> tuple[Counterfactual, ...]:
    """How the run would have gone without its newest decisions, as many as there is time for."""
    from penstock.web.counterfactuals import settled, tried

    with _opened(run, store) as (archive, run_id):
        gallery = Gallery(archive.database, run_id)
        return tried(gallery, settled(gallery.decisions()), SIMULATED_WITHIN_S)


def read_nine(run: str, store: StorePlace, tenant: str) -> RemediesOut:
    """What would be enough for that tenant's latency target at its next nine, from the run's newest cycle on."""
    from penstock.web.remedying import RemediesIn, answer

    with _opened(run, store) as (archive, run_id):
        return answer(Gallery(archive.database, run_id), RemediesIn(job=tenant, nine=True), SIMULATED_WITHIN_S)


def _opened(run: str, store: StorePlace) -> AbstractContextManager[tuple[SqlStore, str]]:
    return opened(run, "last") if Path(run).is_file() else opened(store, run)
