"""`penstock profile` as calls: of a task on one slot, of a job by its executors."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.engines.spark.profiling.settings import TrialSettings
from penstock.extras import check_extra, missing_told
from penstock.profiling.tasks.profile import ProfileSettings, Progress

if TYPE_CHECKING:
    from penstock.profiling.jobs.state import Rehearsed
    from penstock.profiling.tasks.models_file import Profiled


def profile(
    task: str,
    settings: ProfileSettings | None = None,
    trials: TrialSettings | None = None,
    out: Path | None = None,
    *,
    fresh: bool = False,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> "Profiled":
    """Find the peak rate of a task on one slot: one of the paper's five, or your own as module:function.

    Trials that are on record already are not done again, unless `fresh`; the model goes into the file `out`, the user's
    own by default.
    """
    with missing_told():  # one of the tasks that ship asks a database
        from penstock.profiling.tasks.on_spark import profile_on_spark

    return profile_on_spark(task, settings or ProfileSettings(), trials or TrialSettings(), out, fresh, tell)


def rehearse(
    job: str,
    scaleouts: Sequence[int],
    first_rps: float,
    *,
    step_rps: float | None = None,
    record: object = "5m",
    settle: object = "20s",
    measure: object = "30s",
    most_rounds: int = 40,
    master: str | None = None,
    store: str | None = None,
    out: Path | None = None,
    fresh: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> "Rehearsed":
    """Find the highest rate of a job of a tenants file (FILE:NAME) at each number of executors, by copies of it.

    `record` is how much of its input is recorded first; each round of the search is `step_rps` faster than the one
    before: it waits for `settle`, then measures for `measure`. The profile goes into the file `out`, beside the
    tenants file by default.
    """
    check_extra("kafka")
    from penstock.profiling.jobs.job import job_named
    from penstock.profiling.jobs.live import LiveJob
    from penstock.profiling.jobs.rehearse import Rehearsal, RehearsalSpans, rehearsal_settings

    found = job_named(job, master)
    spans = RehearsalSpans(record, settle, measure)
    settings = rehearsal_settings(scaleouts, first_rps, step_rps, most_rounds, spans)
    live = LiveJob(store, found.part.name)
    try:
        place = out or found.path.parent / f"{found.part.name}.csv"
        return Rehearsal(found, settings, place, tell, lambda done: None).run(live, fresh)
    finally:
        live.close()
