"""Who was held back, by what, and what would have helped: told where a policy came to rest, and at the end."""

from dataclasses import replace

from penstock.core.plan import Plan
from penstock.core.run import Run
from penstock.core.seen.view import JobView
from penstock.store.memory import MemoryStore
from penstock.telling.explain import explain
from penstock.telling.held_back import among, held_news, with_held
from penstock.telling.report import page
from penstock.telling.run_document import story_document, summary_document
from penstock.telling.summary import summarise
from tests.recorded import RUN, a_cycle, a_job, a_view

BOUND = "it has all 4 slots that it may have"
HELPS = "a higher max_slots for it"


def behind(name: str = "ads", processed_rps: float = 50.0, **figures: object) -> JobView:
    """Half of its rows are processed, and it has all four slots that it may have."""
    plain = a_job(name)
    bound = {"max_threads": 4, "processed_rps": processed_rps, **figures}
    return replace(plain, figures=replace(plain.figures, **bound))  # type: ignore[arg-type]


def well(name: str = "ads") -> JobView:
    return a_job(name, utility=35.0)


def told(*rounds: tuple[JobView, str]) -> Run:
    """A run of cycles 10 s apart, each with one tenant and what the policy says of it."""
    store = MemoryStore(RUN)
    for number, (job, note) in enumerate(rounds, start=1):
        store.append(a_cycle(10.0 * number, a_view(10.0 * number, [job]), Plan(note=note)))
    return with_held(store.read_run(RUN.id), among([cycle.view for cycle in store.cycles(RUN.id)]))


def test_a_policy_that_rests_while_somebody_misses_has_told_what_binds_and_what_would_help() -> None:
    run = told((well(), "converged"), (behind(), "converged"), (behind(), "converged"), (well(), "converged"))
    story = " ".join(explain(run, whole=True).split())
    assert f"0:00:20 ads is held back: {BOUND} what would help: {HELPS}" in story
    assert "converged, though ads stays below target" in story
    assert [(one.at_s, one.what) for one in run.held] == [(20.0, BOUND)]


def test_what_holds_at_the_end_is_in_the_summary_and_on_the_page() -> None:
    run = told((well(), "waiting"), (behind(), "waiting"))
    assert f"Held back at the end: ads: {BOUND} (what would help: {HELPS})." in summarise(run).sentences
    assert "<h2>Held back</h2>" in page(run)
    assert BOUND in page(run)
    for document in (summary_document(run), story_document(run)):
        assert document["held"] == [{"at_s": 20.0, "job": "ads", "what": BOUND, "helps": HELPS}]


def test_nobody_is_held_back_where_all_have_what_they_asked_for() -> None:
    run = told((well(), "converged"), (well(), "converged: everyone has what they asked for"))
    assert run.held == ()
    assert "held back" not in explain(run).lower() + page(run).lower()


def test_it_is_told_again_when_something_else_binds_and_not_when_figures_change() -> None:
    rounds = [
        (behind(), "converged"),
        (behind(), "waiting"),
        (behind(max_threads=5, processed_rps=40.0), "converged"),  # of its own limit it is not at the end any more
        (behind(), "waiting"),
        (behind(), "converged"),
    ]
    run = told(*rounds)
    assert [one.at_s for one in run.held] == [10.0, 50.0]
    assert [one.at_s for one in held_news(run)] == [10.0]


def test_a_policy_that_waits_or_names_those_below_is_left_its_own_words() -> None:
    run = told((behind(), "waiting"), (behind(), "ads below target; no other shares or bounds would give 0.1 % more"))
    assert "though" not in explain(run)
