"""A fleet whose round could not be read again is recorded as far as it can be, and its story is told."""

from dataclasses import replace

import pytest

from penstock.core.plan import Outcome, StepOutcome
from penstock.core.seen.figures import StageFigures
from penstock.core.seen.view import View, snapshot_of
from penstock.store import codec
from penstock.store.fitting import LeftOut, snapshot_text
from penstock.store.sql import SqlStore
from penstock.telling.explain import explain
from penstock.telling.report import page
from tests.recorded import RUN, Noted, a_cycle, a_job, a_view, an_acting_cycle

JOBS = 1000
STAGES = tuple(StageFigures(f"stage {number}", 8, 1000, 1000, 1.5, 0.5) for number in range(10))


def fleet(at_s: float) -> View:
    """Each job tells much of its stages."""
    jobs = [a_job(f"job-{number}") for number in range(JOBS)]
    return a_view(at_s, [replace(job, figures=replace(job.figures, stages=STAGES)) for job in jobs])


def room(whole: int, bare: int) -> int:
    """As many characters as so many of its jobs take with their stages, and so many without."""
    each = len(snapshot_text(snapshot_of(fleet(0.0)), LeftOut())) / JOBS
    less = len(snapshot_text(snapshot_of(a_view(0.0, [a_job(f"job-{n}") for n in range(JOBS)])), LeftOut())) / JOBS
    return round(whole * each + bare * less)


@pytest.mark.parametrize(
    ("whole", "bare", "told", "seen"),
    [
        (350, 650, "700 of 1,000 jobs are recorded without stages, batches and keys, for no more than", JOBS),
        (0, 450, "600 of 1,000 jobs are recorded in columns alone, for no more than", 400),
    ],
    ids=["stages do not fit", "not even figures do"],
)
def test_of_a_fleet_that_is_too_large_as_much_is_recorded_as_fits_and_it_is_told(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, whole: int, bare: int, told: str, seen: int
) -> None:
    monkeypatch.setattr(codec, "MOST_IN_A_CELL", room(whole, bare))
    for at_s in (10.0, 20.0):
        store.append(a_cycle(at_s, fleet(at_s)))
    (first, _), run = store.views(RUN.id), store.read_run(RUN.id)
    assert len(first.jobs) == seen
    assert [len(job.utility) for job in run.jobs] == [2] * JOBS  # the columns of all of them
    assert told in (run.errors[0].text or "")
    assert told in explain(run, width=1000)
    assert "job-999" in page(run)
    assert first.job("job-0").figures.operators == fleet(10.0).job("job-0").figures.operators


def test_what_is_left_out_is_still_told_once_the_round_is_complete(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(codec, "MOST_IN_A_CELL", room(350, 650))
    for at_s in (10.0, 20.0):
        announced = replace(an_acting_cycle(at_s), view=fleet(at_s), outcome=Outcome())
        store.announce(announced)
        (step,) = an_acting_cycle(at_s).outcome.steps
        store.append(replace(announced, outcome=Outcome((StepOutcome(step.step),)), error="storing was slow"))
    (note,) = store.read_run(RUN.id).errors
    assert note.text.startswith("storing was slow; 700 of 1,000 jobs are recorded without stages")
    assert caplog.text.count("jobs are recorded without") == 1


def test_a_memory_that_could_not_be_read_again_keeps_no_round_from_the_record(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.append(replace(a_cycle(10.0), memory=Noted(1)))
    monkeypatch.setattr(codec, "MOST_IN_A_CELL", 10_000)
    store.append(replace(a_cycle(20.0), memory="x" * 20_000))
    (note,) = store.read_run(RUN.id).errors
    assert note.text.startswith("the policy's memory is not recorded: a cell of 0.0 MiB is not written")
    assert store.last_memory(a_cycle(10.0).policy, Noted) == Noted(1)


def test_a_fleet_that_fits_is_written_whole() -> None:
    left_out = LeftOut()
    text = snapshot_text(snapshot_of(fleet(10.0)), left_out)
    assert (text.count("stage 9"), left_out.said) == (JOBS, [])
