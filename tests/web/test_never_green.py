"""Never green without proof: whatever tenants go through, all is not said to be well while one is unseen or misses.

A law over generated histories, since the example that was found first is never the last.
"""

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Group
from rich.text import Text

from penstock.cli.screen import Screen
from penstock.core.plan import Plan
from penstock.core.run import Run
from penstock.core.seen.life import ControllerLife
from penstock.core.seen.states import BAD, UNSEEN, State, states_of
from penstock.core.seen.view import JobView, View
from penstock.governing.notebook import Ending, html
from penstock.store.desk import Card
from penstock.store.open import open_store
from penstock.store.sql import SqlStore
from penstock.telling.explain import explain
from penstock.telling.report import page
from penstock.telling.summary import summarise
from penstock.web.metrics import exposition
from penstock.web.reading import Reader
from penstock.web.shapes_fleet import PresentOut
from tests.patience import patience_s
from tests.recorded import RUN, a_cycle, a_job, a_view

WELL = "have what they asked for", "has what it asked for"
NAMES = ("ads", "fraud", "geo")


@dataclass(frozen=True)
class Lot:
    """What one tenant goes through in one cycle."""

    utility: float | None
    fresh: bool
    up_s: float | None
    backlog_rows: float | None
    settling: bool
    trouble: str | None
    counted: bool

    @property
    def proven(self) -> bool:
        """Whether it has all 35 that it is worth, by figures of now, and nothing is wrong with it."""
        return self.fresh and self.trouble is None and self.utility == 35.0

    def view(self, name: str) -> JobView:
        plain = a_job(name, self.utility)
        figures = replace(
            plain.figures,
            age_s=0.0 if self.fresh else 40.0,
            up_s=self.up_s,
            backlog_rows=self.backlog_rows,
            settling=self.settling,
            trouble=self.trouble,
            latency=None if self.utility is None else plain.figures.latency,
            arrival_rps=100.0 if self.counted else None,
        )
        return replace(plain, figures=figures, fresh=self.fresh)


lots = st.builds(
    Lot,
    utility=st.sampled_from([None, 5.0, 35.0, 35.0]),
    fresh=st.sampled_from([True, True, True, False]),
    up_s=st.sampled_from([None, 5.0, 400.0]),
    backlog_rows=st.sampled_from([None, 0.0, 62_614.0]),
    settling=st.booleans(),
    trouble=st.sampled_from([None, None, None, "its query died: no memory"]),
    counted=st.booleans(),
)
histories = st.lists(st.fixed_dictionaries(dict.fromkeys(NAMES, lots)), min_size=1, max_size=5)
lives = st.sampled_from([ControllerLife.LIVE, ControllerLife.LIVE, *ControllerLife])
notes = st.sampled_from(["", "converged: everyone has what they asked for", "everyone has what they asked for"])


def views_of(history: Sequence[dict[str, Lot]]) -> list[View]:
    return [
        a_view(10.0 * number, [lot.view(name) for name, lot in lots.items()])
        for number, lots in enumerate(history, start=1)
    ]


LONG_S = 1e6  # longer than anybody waits for a sign of life
AS_OF = {
    ControllerLife.LIVE: "",
    ControllerLife.AWAITED: "Last known: ",
    ControllerLife.ENDED: "At its end: ",
    ControllerLife.SILENT: "Last known: ",
    ControllerLife.AHEAD: "Last known: ",
}


def card_of(life: ControllerLife, at_s: float) -> Card:
    """The last sign of a controller of which that is known."""
    now_s = time.time()
    seen_s = now_s + {ControllerLife.SILENT: -LONG_S, ControllerLife.AHEAD: LONG_S}.get(life, 0.0)
    ended_s = seen_s if life is ControllerLife.ENDED else 0.0
    return Card(seen_s, at_s, interval_s=patience_s(), ended_at_epoch_s=ended_s)


def record(store: SqlStore, reader: Reader, views: Sequence[View], note: str, life: ControllerLife) -> str:
    """The id of a run with this history, and with a controller of which whoever reads knows that."""
    run = store.begin(replace(RUN, id=f"demo-{uuid4().hex}"))
    for view in views:
        store.append(a_cycle(view.at_s, view, Plan(note=note)))
    card = card_of(life, views[-1].at_s)
    if life is ControllerLife.LIVE:
        store.desk.leave_card(run.id, replace(card, seen_at_epoch_s=card.seen_at_epoch_s - 1.0))
        reader.control(run.id)
    store.desk.leave_card(run.id, card)
    return run.id


def check_present(view: View, present: PresentOut) -> None:
    """The page: the headline names everybody of whom there is no good news, and gives none of them a green state."""
    states = states_of(view)
    bad = [name for name, state in states.items() if state in BAD]
    assert all(name in present.headline for name in bad)
    all_told = "The other" not in present.headline and any(words in present.headline for words in WELL)
    assert (all_told, present.state) == (
        (True, "fine") if set(states.values()) == {State.FINE} else (False, present.state)
    )
    assert present.state != "fine" or not bad
    assert {one.name for one in present.tenants if one.met} == {n for n, state in states.items() if state is State.FINE}
    counts = Counter(states.values())
    assert (present.met, present.starting) == (counts[State.FINE], counts[State.STARTING])
    assert present.judged == len(states) - counts[State.STARTING]
    for one in present.tenants:
        assert one.state == states[one.name]
        assert one.why or one.state == "fine"
        if one.state in UNSEEN and one.backlog_rows:
            assert "62,614 rows wait" in (one.why or "")
    if UNSEEN.intersection(states.values()):
        assert "everyone" not in present.note


def check_top(screen: Screen, present: PresentOut, life: ControllerLife) -> None:
    drawn = screen.drawn()
    assert isinstance(drawn, Group)
    (head, *_) = (part for part in drawn.renderables if isinstance(part, Group))
    headline = f"{AS_OF[life]}{present.headline}"
    (told,) = (line for line in head.renderables if isinstance(line, Text) and line.plain == headline)
    assert ("green" in str(told.style)) == (present.state == "fine" and life is ControllerLife.LIVE)
    starting = f", {present.starting} starting" if present.starting else ""
    known = sum(one.utility or 0.0 for one in present.tenants if one.state != "stale")
    utility = f"utility {known:g} of {present.possible_utility:g}"
    utility += f", {present.utility - known:g} more by old metrics" if present.utility > known else ""
    counted = f"{utility}   {present.met} of {present.judged} SLOs met{starting}"
    assert any(counted in re.sub("[█░]+ ", "", line.plain) for line in head.renderables if isinstance(line, Text))


def check_metrics(view: View, text: str, life: ControllerLife) -> None:
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    met = {one.labels["job"]: one.value for one in samples if one.name == "penstock_job_slo_met"}
    now = {
        one.labels["job"]: one.labels["state"]
        for one in samples
        if one.name == "penstock_job_state" and one.value == 1.0
    }
    states = {name: state if life.governs else State.STALE for name, state in states_of(view).items()}
    assert {one.value for one in samples if one.name == "penstock_controller_up"} == {float(life.governs)}
    assert now == {name: state.value for name, state in states.items()}
    assert {name for name, value in met.items() if value} == {n for n, state in states.items() if state is State.FINE}
    assert not met.keys() & {name for name, state in states.items() if state in (*UNSEEN, State.STARTING)}
    (possible,) = (one.value for one in samples if one.name == "penstock_utility_possible")
    assert possible == sum(35.0 for state in states_of(view).values() if state is not State.STARTING)


def check_notebook(views: Sequence[View]) -> None:
    """A notebook: who is fine is said to be, and nobody once governing has ended."""
    fine = "<td>fine</td>"
    assert html(views, [], None).count(fine) == Counter(states_of(views[-1]).values())[State.FINE]
    assert fine not in html(views, [], Ending(time.time(), views[-1].at_s, "it was stopped"))


def check_story(views: Sequence[View], run: Run) -> None:
    """The story: whoever was unseen or missed at any time is named, and not lost among those that were always well."""
    summary, story = " ".join(summarise(run).sentences), " ".join(explain(run).split())
    ever = {name: {states_of(view)[name] for view in views} for name in NAMES}
    if any(states & BAD for states in ever.values()):
        assert "Every job met its intent whenever it was seen" not in summary
    for name, states in ever.items():
        if State.BLIND in states:
            assert f"{name} is blind" in story
        if State.STALE in states:
            assert f"{name} is stale" in story
        if states & UNSEEN:
            assert f"{name} for " in summary
    if all(UNSEEN.intersection(states_of(view).values()) for view in views):
        assert "everyone" not in story


def check_page(run: Run, ever: Mapping[str, set[State]]) -> None:
    """The report: nobody who was ever unseen or missed has a strip that is met from end to end."""
    for name, states in ever.items():
        (strip,) = re.findall(rf'<svg[^>]*aria-label="{name}: intent met[^"]*"[^>]*>(.*?)</svg>', page(run), re.DOTALL)
        assert not (states & BAD) or set(re.findall(r'class="(\w+)"', strip)) != {"met"}


def check(store: SqlStore, history: Sequence[dict[str, Lot]], note: str, life: ControllerLife) -> None:
    views = views_of(history)
    reader = Reader(store)
    run_id = record(store, reader, views, note, life)
    present = reader.present(reader.gallery(run_id), ())
    assert present is not None
    assert (present.state == "fine") == all(lot.proven for lot in history[-1].values())
    check_present(views[-1], present)
    control = reader.control(run_id)
    assert (control.life, control.live, bool(control.said)) == (
        life,
        life.governs,
        life is not ControllerLife.LIVE,
    )
    check_top(Screen(store, reader, run_id), present, life)
    check_metrics(views[-1], exposition(reader.seen(run_id)).decode(), life)
    check_notebook(views)
    run = store.read_run(run_id)
    check_story(views, run)
    check_page(run, {name: {states_of(view)[name] for view in views} for name in NAMES})
    assert ("has given no sign of life since" in " ".join(explain(run).split())) == (life is ControllerLife.SILENT)


@pytest.mark.parametrize("examples", [25, pytest.param(500, marks=pytest.mark.long)])
def test_a_run_in_which_anybody_is_blind_stale_or_missing_is_never_told_as_fine(tmp_path: Path, examples: int) -> None:
    with closing(open_store(tmp_path / "runs.sqlite")) as store:

        @settings(max_examples=examples)
        @given(histories, notes, lives)
        def law(history: Sequence[dict[str, Lot]], note: str, life: ControllerLife) -> None:
            check(store, history, note, life)

        law()
