"""`penstock profile`: what one slot can do of a task, or so many executors of a job, by trials on real Spark."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.out_file import out_option
from penstock.cli.output import write_json
from penstock.cli.profile_job import job_options, profile_job
from penstock.core.safe_text import visible
from penstock.core.units import positive_seconds, text_of_seconds

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from penstock.core.known.performance import PerformanceModel
    from penstock.core.seen.trial import Finished
    from penstock.planning.profiling.tasks.settings import SearchSettings

EXAMPLE = """
TASK is one of the paper's five (parse, pi, file, blob, table) or your own, as module:function. JOB needs --scaleouts.
It is a running job of a tenants file, as FILE:NAME. Copies of it run on a cluster and read its recorded input.

\b
Examples:
  penstock profile pi --search bisect
  penstock profile parse blob --length 12s --warm-up 3s --max-threads 32
  penstock profile my_tasks:enrich --out models.yaml
  penstock plan linear --models models.yaml --rate 50
  penstock profile tenants.yaml:fraud --scaleouts 1,2,4,8 --first-rate 1000

To continue a stopped search, run the same command again.
"""


@click.command(epilog=EXAMPLE)
@click.argument("tasks", metavar="TASK|JOB", nargs=-1, required=True)
@job_options
@click.option("--search", "method", default="sweep", show_default=True, help="sweep, as in the paper, or bisect.")
@click.option("--length", default="6s", show_default=True, help="Length of a trial.")
@click.option("--warm-up", default="1.5s", show_default=True, help="Part of a trial that is not measured.")
@click.option(
    "--max-slope", default=0.02, show_default=True, help="Largest slope of latency (s per s) that counts as stable."
)
@click.option("--max-threads", default=64, show_default=True, help="Largest number of threads to try.")
@click.option("--thread-growth", default=1.5, show_default=True, help="Factor from one number of threads to the next.")
@click.option("--first-rate", default=1.0, show_default=True, help="First rate of a search, in rows per second.")
@click.option("--rate-growth", default=1.1, show_default=True, help="Factor from one rate of a sweep to the next.")
@click.option("--max-rate", default=1_000_000.0, show_default=True, help="Highest rate to try.")
@click.option("--tolerance", default=0.05, show_default=True, help="A bisection stops at this relative gap.")
@click.option("--slot-memory", default=3500.0, show_default=True, help="Memory of a slot, in MB.")
@click.option("--out", type=click.Path(path_type=Path), help="File of models to add to. Default: one in your home.")
@click.option(
    "--max-others", default=0.1, show_default=True, help="Share of the slot's core that other processes may use."
)
@click.option("--fresh", is_flag=True, help="Discard the trials of an earlier search.")
@out_option("--json", "json_out", help="Write the models as JSON to this file; - is standard output.")
def profile(tasks: tuple[str, ...], **options: Any) -> None:
    """Measure the peak rate of each TASK on one slot, or of a JOB on several numbers of executors."""
    from penstock.cli.terminal import Terminal, width_for
    from penstock.planning.profiling.tasks.search import method_named

    console = Terminal(stderr=True, width=width_for(sys.stderr))
    _end_politely()
    if options["scaleouts"] is not None:
        profile_job(console, tasks, options)
        return
    method_named(options["method"])
    models = dict(_profile_one(console, name, options) for name in tasks)
    for name, model in models.items():
        console.print(_table(name, model))
    if options["json_out"] is not None:
        write_json(options["json_out"], {name: model.to_dict() for name, model in models.items()})


def _end_politely() -> None:
    """Whatever ends us, a closed terminal or a reader that is gone, leaves nothing running."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def _profile_one(console: "Console", name: str, options: dict[str, Any]) -> tuple[str, "PerformanceModel"]:
    from penstock.analysis.stability import StabilitySettings
    from penstock.profiling.tasks.on_spark import TrialSettings, profile_on_spark  # pyspark takes a second to import
    from penstock.profiling.tasks.profile import ProfileSettings, Progress

    settings = ProfileSettings(
        method=options["method"],
        search=_search_settings(options),
        stability=StabilitySettings(max_slope=options["max_slope"]),
        max_others=options["max_others"],
    )
    trials = TrialSettings(
        length_s=positive_seconds(options["length"], "--length"),
        warm_up_s=positive_seconds(options["warm_up"], "--warm-up"),
        slot_memory_mb=options["slot_memory"],
    )

    def tell(progress: Progress) -> None:
        if progress.last is not None:
            console.print(_line(progress.last), highlight=False, markup=False)
        left_s = progress.at_most_left * trials.length_s
        console.print(
            f"{name}: trial {progress.done + 1}, {progress.following.threads} threads at "
            f"{progress.following.rate_rps:g}/s; at most {text_of_seconds(round(left_s / 60) * 60 or left_s)} to go",
            highlight=False,
            style="dim",
        )

    done = profile_on_spark(name, settings, trials, options["out"], options["fresh"], tell)
    console.print(f"{done.task}: {done.path}", highlight=False, markup=False)
    return done.task, done.model


def _search_settings(options: dict[str, Any]) -> "SearchSettings":
    from penstock.planning.profiling.tasks.settings import SearchSettings

    return SearchSettings(
        max_threads=options["max_threads"],
        thread_growth=options["thread_growth"],
        first_rate_rps=options["first_rate"],
        rate_growth=options["rate_growth"],
        max_rate_rps=options["max_rate"],
        tolerance=options["tolerance"],
    )


def _line(done: "Finished") -> str:
    slope = "nothing was done" if done.slope is None else f"slope {done.slope:.3f}"
    return (
        f"  {'stable' if done.stable else 'unstable'}: {done.processed_rps:.4g}/s done, {slope}, "
        f"CPU {100 * done.cpu_share:.0f} %, memory {100 * done.memory_share:.1f} %, "
        f"others on its core {100 * done.others_share:.0f} %"
    )


def _table(name: str, model: "PerformanceModel") -> "Table":
    from rich import box

    from penstock.cli.terminal import Lines

    table = Lines(title=f"{visible(name)}: one slot", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD)
    for heading in ("threads", "peak rate/s", "CPU %", "memory %"):
        table.add_column(heading, justify="right")
    for point in model.points:
        figures = (f"{point.rate_rps:.4g}", f"{100 * point.cpu:.0f}", f"{100 * point.memory:.1f}")
        table.add_row(str(point.threads), *figures)
    return table
