"""`penstock profile JOB --scaleouts ...`: how fast a job is at each scale-out, by copies of it on real Spark."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.out_file import check_out_file
from penstock.core.safe_text import visible
from penstock.core.units import text_of_seconds
from penstock.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from penstock.profiling.jobs.rehearse import RehearsalRound, RehearsalSettings
    from penstock.profiling.jobs.state import Rehearsed

EXAMPLE = """
  penstock profile tenants.yaml:fraud --scaleouts 1,2,4,8
  penstock profile tenants.yaml:fraud --scaleouts 2,4 --record 10m --step-rate 500 --master spark://127.0.0.1:7077
"""

_OPTIONS = (
    click.option("--scaleouts", help="Of a JOB: numbers of executors to try in parallel, such as 1,2,4,8."),
    click.option("--record", default="5m", show_default=True, help="Of a JOB: length of the input to record."),
    click.option("--step-rate", type=float, help="Of a JOB: rows/s added in each round. Default: the first rate."),
    click.option(
        "--settle", default="20s", show_default=True, help="Of a JOB: time to wait in each round before measuring."
    ),
    click.option("--measure", default="30s", show_default=True, help="Of a JOB: time to measure in each round."),
    click.option("--most-rounds", default=40, show_default=True, help="Of a JOB: largest number of rounds."),
    click.option("--master", help="Of a JOB: the cluster to use. Default: as in the tenants file."),
    click.option("--store", help="Of a JOB: store of its running controller, for the live job's latency."),
)


def job_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What the command takes for jobs, beside what it takes for tasks."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def profile_job(console: "Console", jobs: tuple[str, ...], options: dict[str, Any]) -> None:
    """Search Tmax of one job at each scale-out; the profile goes to --out."""
    from penstock.profiling.jobs.job import job_named  # pyspark takes a second to import
    from penstock.profiling.jobs.live import LiveJob
    from penstock.profiling.jobs.rehearse import Rehearsal

    if len(jobs) != 1:
        raise ConfigError("JOB", ", ".join(jobs), "profile one job at a time")
    job = job_named(jobs[0], options["master"])
    settings = _settings(options)
    out: Path = options["out"] or job.path.parent / f"{job.part.name}.csv"
    check_out_file(str(out), "--out")
    live = LiveJob(options["store"], job.part.name)
    if live.latency_s() is None:
        console.print(f"{live.place} has no live run of {job.part.name}, so its latency is not watched")

    def tell(text: str) -> None:
        console.print(f"{job.part.name}: {text}", highlight=False, markup=False, style="dim")

    rehearsal = Rehearsal(job, settings, out, tell, lambda done: _tell_round(console, done))
    try:
        state = rehearsal.run(live, options["fresh"])
    except KeyboardInterrupt:
        console.print("stopped. The same command continues after the last round; --fresh starts again", markup=False)
        raise
    finally:
        live.close()
    console.print(_table(job.part.name, state))
    console.print(_live_text(state), highlight=False)
    console.print(
        f"Wrote {out}. To use it, write `profiles: {{{job.part.name}: {out.name}}}` into the tenants file", markup=False
    )


def _settings(options: dict[str, Any]) -> "RehearsalSettings":
    from penstock.profiling.jobs.rehearse import RehearsalSpans, rehearsal_settings, scaleouts_of

    spans = RehearsalSpans(options["record"], options["settle"], options["measure"], prefix="--")
    scaleouts = scaleouts_of(options["scaleouts"])
    return rehearsal_settings(scaleouts, options["first_rate"], options["step_rate"], options["most_rounds"], spans)


def _tell_round(console: "Console", done: "RehearsalRound") -> None:
    search = done.state.search
    behind = {one.scaleout: one for one in done.ended}
    parts = []
    for one in done.measured:
        latency = "nothing" if one.latency_s is None else f"{one.latency_s:.1f} s"
        ended = f", ended: Tmax {behind[one.scaleout].capacity_rps:.0f}/s" if one.scaleout in behind else ""
        parts.append(f"{one.scaleout}: {latency} at {one.processed_rps:.0f}/s{ended}")
    live = done.state.live_during_s
    told = f"; live job {live[-1]:.1f} s" if live else ""
    cost = text_of_seconds(round(search.cost_executor_s))
    console.print(
        f"round {search.rounds}, {done.rate_rps:.0f}/s: {'; '.join(parts)}; so far {cost} of executors{told}",
        highlight=False,
        markup=False,
    )


def _table(name: str, state: "Rehearsed") -> "Table":
    from rich import box

    from penstock.cli.terminal import Lines

    table = Lines(title=f"{visible(name)}: Tmax", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for heading in ("executors", "rows/s", "latency below"):
        table.add_column(heading, justify="right")
    for seen in sorted((one for one in state.search.found if one.saturated), key=lambda one: one.scaleout):
        kept = [
            one.latency_s
            for one in state.search.found
            if one.scaleout == seen.scaleout and one.rate_rps < seen.rate_rps
        ]
        known = [latency for latency in kept if latency is not None]
        table.add_row(str(seen.scaleout), f"{seen.rate_rps:.0f}", f"{max(known):.1f} s" if known else "-")
    return table


def _live_text(state: "Rehearsed") -> str:
    cost = f"cost: {text_of_seconds(round(state.search.cost_executor_s))} of executor time"
    if state.live_mean_s is None:
        return f"{cost}; the live job's latency is unknown"
    before = "unknown" if state.live_before_s is None else f"{state.live_before_s:.1f} s"
    return f"{cost}; the live job's mean latency: {before} before, {state.live_mean_s:.1f} s during the search"
