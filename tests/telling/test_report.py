"""The page stands by itself, and holds what users write without being broken by it."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from penstock.core.asked.budget import Budget, BudgetWindow, Burn, SpentBudget
from penstock.core.columns import Column
from penstock.core.run import JobTimeline, Run
from penstock.core.seen.deeds import Deed
from penstock.store.memory import MemoryStore
from penstock.telling.explain import explain
from penstock.telling.report import page
from penstock.telling.run_document import summary_document
from tests.recorded import RUN, SHORTFALL, a_cycle, a_foretelling_cycle, a_job, a_pooled_view, a_view, an_acting_cycle
from tests.telling.sample import sample_run

EVIL = "<script>alert('x')</script>\"><img src=http://evil.example/x>"
VOID = {"meta", "br", "img", "path", "rect", "line"}


class Elements(HTMLParser):
    """Checks that every element is closed in its turn, and notes text, names and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID or tag == "path":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def told() -> str:
    return page(sample_run())


def test_error_budgets_stand_beside_the_jobs_and_in_the_story() -> None:
    budget = Budget.of("99%")
    spent = SpentBudget(budget, 80.64, 500, 90, 0, (Burn(3600.0, 8.0), Burn(21_600.0, 4.0)))
    store = MemoryStore(RUN)
    jobs = [replace(a_job("ads"), spent=spent, window=BudgetWindow(0.0)), a_job("fraud")]
    store.append(a_cycle(10.0, a_view(10.0, jobs)))
    run = store.read_run(RUN.id)
    told = Elements(page(run)).text
    assert "Error budget left" in told
    assert "of 99% of 5m windows over 28d, burns 8.0 times as fast as it may" in told
    story = " ".join(explain(run).split())
    assert "ads has a budget of 99% of 5m windows over 28d: spent, 90 bad of 80.6 that may be" in story
    assert "worth 3 times as much meanwhile" in story
    assert "Error budget left" not in page(sample_run(cycles=3))
    document = summary_document(run)["jobs"]
    assert document[0]["budget"]["burns"] == {"1h": 8.0, "6h": 4.0}
    assert "budget" not in document[1]


def test_the_page_is_well_formed_and_has_no_script(told: str) -> None:
    assert {"svg", "table", "style"} <= Elements(told).names
    assert "script" not in Elements(told).names


def test_nothing_is_fetched_from_anywhere(told: str) -> None:
    fetching = {"src", "srcset", "action", "data", "poster", "xlink:href"}
    found = Elements(told).attributes
    assert not [name for name, _ in found if name in fetching]
    assert all((value or "").startswith("#") for name, value in found if name == "href")
    assert not re.search(r"url\(|@import|https?://", told)


def test_the_summary_comes_first_and_everything_is_there(told: str) -> None:
    heads = re.findall(r"<(?:h2|figcaption)>([^<]*)", told)
    assert heads == [
        "Summary",
        "Intents met by each job",
        "Utility against its maximum",
        "Weight in sharing the slots, by job",
        "Jobs",
        "Troubles",
        "Decisions",
    ]


def test_each_decision_has_its_mark_and_its_row(told: str) -> None:
    decisions = len(sample_run().decisions)
    assert told.count('class="mark"') == decisions
    assert [name for name, value in Elements(told).attributes if value == f"d{decisions}"] == ["id"]


def test_words_of_users_stay_words() -> None:
    store = MemoryStore(replace(RUN, name=EVIL, master=EVIL))
    ill = a_job(EVIL)
    store.append(a_cycle(10.0, a_view(10.0, [replace(ill, figures=replace(ill.figures, trouble=EVIL))])))
    acting = an_acting_cycle(20.0, error=EVIL)
    store.append(replace(acting, plan=replace(acting.plan, decisions=(replace(acting.plan.decisions[0], why=EVIL),))))
    found = Elements(page(store.read_run(RUN.id)))
    assert found.names.isdisjoint({"script", "img"})
    assert found.text.count(EVIL) >= 5


def test_a_run_without_a_cycle_is_a_page_too() -> None:
    assert "Nothing is recorded of this run yet." in Elements(page(MemoryStore(RUN).read_run(RUN.id))).text


def test_a_run_in_which_nothing_could_be_measured_is_a_page_too() -> None:
    store = MemoryStore(RUN)
    store.append(a_cycle(10.0, a_view(10.0, [a_job("ads", utility=None)])))
    assert "–" in Elements(page(store.read_run(RUN.id))).text


def test_two_days_of_forty_jobs_stay_a_page_that_opens() -> None:
    cycles = 17_280
    column: Column[float] = Column(float, [1.0 + number % 7 for number in range(cycles)])
    flags: Column[bool] = Column(bool, [number % 7 > 2 for number in range(cycles)])
    threads: Column[int] = Column(int, [number % 5 for number in range(cycles)])
    jobs = tuple(JobTimeline(f"job-{n}", "", 10.0, column, flags, threads, column, column) for n in range(40))
    total = tuple(value or 0.0 for value in column)
    run = Run(RUN, tuple(10.0 * number for number in range(cycles)), total, (70.0,) * cycles, jobs)
    assert len(page(run)) < 1_000_000


def test_what_went_wrong_in_governing_stands_among_the_troubles() -> None:
    store = MemoryStore(RUN)
    store.append(replace(a_cycle(10.0), error="observing failed: no answer"))
    told = Elements(page(store.read_run(RUN.id))).text
    assert "(governing)" in told
    assert "observing failed: no answer" in told


def test_predictions_stand_with_the_decision_and_their_error_with_the_job() -> None:
    store = MemoryStore(RUN)
    for at_s in (10.0, 20.0):
        store.append(a_foretelling_cycle(at_s))
    told = Elements(page(store.read_run(RUN.id))).text
    assert "utility 55 → 65; ads 2.1 s instead of 6.4 s; fraud processes 72 % of its input instead of 100 %" in told
    assert "Foretold utility off by" in told
    assert "3.1 % over 12" in told
    assert f"Since 0:00:10 {SHORTFALL}." in told


def test_a_weight_is_told_with_the_slots_that_it_stands_for() -> None:
    store = MemoryStore(RUN)
    for at_s, ads in ((10.0, 2), (20.0, 5)):
        store.append(a_cycle(at_s, a_pooled_view(at_s, {"ads": ads, "fraud": 6}, slots=8)))
    told = Elements(page(store.read_run(RUN.id))).text
    assert "weight 2 → 5: 3.6 of 8 slots" in told
    assert "by weights" not in told  # they cost nothing: the slots are there whoever has them
    assert re.search(r"[\d.]+ utility was missing on average", told)


def test_what_the_engine_did_by_itself_has_a_line_each() -> None:
    deed = Deed(25.0, None, "executors 4 -> 2", "the jobs have 2 slots in all")
    told = page(replace(sample_run(cycles=12), deeds=(deed,)))
    assert "by itself: executors 4 → 2; the jobs have 2 slots in all" in Elements(told).text
    assert "By itself" not in page(sample_run(cycles=12))


@pytest.mark.parametrize("utility", [float("inf"), float("nan"), 1e308])
def test_a_run_whose_utility_an_older_penstock_recorded_as_no_figure_can_be_told(utility: float) -> None:
    run = sample_run(cycles=40)
    poisoned = replace(run, utility=[utility] * len(run.at_s), max_utility=[utility] * len(run.at_s))
    Elements(page(poisoned))
    assert explain(poisoned)
