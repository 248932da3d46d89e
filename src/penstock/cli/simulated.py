"""What `penstock simulate` runs, and how it shows what came of it."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from penstock.calls.simulated import run_each
from penstock.cli.terminal import Lines, line
from penstock.core.run import Run
from penstock.core.safe_text import visible
from penstock.simulation.expect import Finding
from penstock.simulation.run import RunResult
from penstock.simulation.scenario_file import Variant
from penstock.telling.held_back import among, with_held


def run_all(
    console: Console, path: Path, variants: tuple[Variant, ...], names: list[str], seed: int, store_at: str | None
) -> list[RunResult]:
    """Every variant under every policy, with a bar that says how far it is."""
    columns = (TextColumn("{task.description:40}", markup=False), BarColumn(), TextColumn("{task.percentage:3.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=sum(variant.scenario.duration for variant in variants) * len(names))

        def teller(variant: Variant, name: str, so_far: Sequence[RunResult]) -> Callable[[float], None]:
            progress.update(task, description=f"{name} {variant.label}"[:40])
            done = sum(result.variant.scenario.duration for result in so_far)
            return lambda now: progress.update(task, completed=done + now)

        return run_each(path, variants, names, seed, store_at, teller)


def table(results: list[RunResult]) -> Table:
    """A line for each run."""
    scenario = results[0].variant.scenario
    title = f"{visible(scenario.name)}: {scenario.about}\nutility in % of its maximum"
    table = Lines(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    varied = any(result.variant.values for result in results)
    for heading in (["variant"] if varied else []) + ["policy"]:
        table.add_column(heading, no_wrap=True)
    for heading in (
        "utility, mean",
        "p5",
        "p15",
        "p50",
        "p90",
        "SLOs met",
        "decisions",
        "full from",
        "thread-h",
    ):
        table.add_column(heading, justify="right")
    for result in results:
        table.add_row(*([result.variant.label] if varied else []), *_row(result))
    return table


def print_findings(console: Console, findings: list[Finding]) -> None:
    """What became of the scenario's claims."""
    for finding in findings:
        figure = f"{finding.figure:.4g}" if isinstance(finding.figure, float) else str(finding.figure)
        claim = line(f": {finding.claim} (found {figure}, wanted {finding.wanted})")
        console.print(Text.assemble(_sign(finding), claim))
        if finding.not_reproduced is not None:
            console.print(line(f"   {finding.not_reproduced}", "dim"))


def _sign(finding: Finding) -> Text:
    if finding.not_reproduced is not None:
        return Text("holds after all", "red") if finding.holds else Text("not reproduced", "yellow")
    return Text("holds", "green") if finding.holds else Text("fails", "red")


def acting(results: list[RunResult]) -> RunResult:
    """The first run in which something was done; the first of all when nothing was."""
    return next((result for result in results if result.recorder.decisions), results[0])


def told(result: RunResult) -> Run:
    """The run for reports and stories, with what held tenants back at its end."""
    last = result.recorder.last_view
    return with_held(result.run(), among([] if last is None else [last]))


def document(
    variants: tuple[Variant, ...], seed: int, results: list[RunResult], findings: list[Finding]
) -> dict[str, object]:
    """The results of `penstock simulate --json`."""
    return {
        "scenario": variants[0].scenario.name,
        "seed": seed,
        "runs": [result.summary() for result in results],
        "expect": [
            {
                "claim": finding.claim,
                "found": finding.figure,
                "wanted": finding.wanted,
                "holds": finding.holds,
                "not_reproduced": finding.not_reproduced,
            }
            for finding in findings
        ],
    }


def _row(result: RunResult) -> list[str]:
    summary = result.summary()
    met = [job["slo_met"] for job in summary["jobs"].values() if job["slo_met"] is not None]
    converged = summary["converged_at"]
    return [
        result.policy,
        _percent(summary["utility_mean"]),
        *(_percent(summary[f"utility_p{percent}"]) for percent in (5, 15, 50, 90)),
        _percent(sum(met) / len(met)) if met else "-",
        str(summary["reconfigurations"]),
        "never" if converged is None else f"{converged:.0f} s",
        f"{summary['slot_seconds'] / 3600:.1f}",
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
