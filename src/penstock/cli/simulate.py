"""`penstock simulate`: a scenario on the simulated cluster, policies side by side."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from penstock.cli.output import write_json, write_text
from penstock.core.ports import Store
from penstock.core.run import RunInfo
from penstock.planning.registry import policy_named
from penstock.simulation.expect import Finding, judge
from penstock.simulation.reading import Variant, read_scenario
from penstock.simulation.run import RunResult
from penstock.simulation.run import simulate as run_one
from penstock.store.open import open_store
from penstock.telling.explain import explain
from penstock.telling.report import page

EXAMPLE = """
\b
Examples:
  penstock simulate scenarios/henge/fig13.yaml
  penstock simulate scenarios/henge/fig16.yaml --policy henge,ds2,static --plot fig16.png
  penstock simulate my.yaml --json - | jq '.runs[0].utility_mean'
"""


@click.command(epilog=EXAMPLE)
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--policy", "policies", help="Policies to compare, separated by commas; the scenario's own by default.")
@click.option("--seed", type=int, help="Seed of all chance in the run; the scenario's own by default.")
@click.option("--json", "json_out", help="Write the results as JSON to this file; - is standard output.")
@click.option(
    "--plot", "plot_out", type=click.Path(path_type=Path), help="Draw utility and decisions to this PNG file."
)
@click.option("--html", "html_out", help="Write a page about the (first acting) run to this file.")
@click.option("--store", "store_at", help="Record the runs in this store (a file or a URL) for report and explain.")
@click.option("--story", is_flag=True, help="Tell every decision, with its reason and what came of it.")
@click.pass_context
def simulate(
    context: click.Context,
    scenario: Path,
    policies: str | None,
    seed: int | None,
    json_out: str | None,
    plot_out: Path | None,
    html_out: str | None,
    store_at: str | None,
    story: bool,
) -> None:
    """Run SCENARIO (a YAML file) on the simulated cluster and judge its claims.

    Exit code 1 when a claim of the scenario does not come out as it says.
    """
    console = Console(stderr=True, width=None if sys.stderr.isatty() else 120)
    variants = read_scenario(scenario)
    names = _policies(policies, variants)
    for name in names:
        policy_named(name)  # an unknown name is refused before any run
    seed = variants[0].scenario.seed if seed is None else seed
    results = _run_all(console, scenario, variants, names, seed, store_at)
    findings = judge(variants[0].scenario.expect, results)
    console.print(_table(results))
    _print_findings(console, findings)
    if story:
        for result in results:
            click.echo(explain(result.run(), console.width), err=True)
    if html_out is not None:
        write_text(html_out, page(acting(results).run()), "--html")
        console.print(f"report: {html_out}")
    if plot_out is not None:
        from penstock.simulation.plot import plot  # matplotlib takes a second to import

        plot(results, plot_out)
        console.print(f"picture: {plot_out}")
    if json_out is not None:
        write_json(json_out, _document(variants, seed, results, findings))
    if not all(finding.as_declared for finding in findings):
        context.exit(1)


def _policies(given: str | None, variants: tuple[Variant, ...]) -> list[str]:
    if given is None:
        return list(variants[0].scenario.policies)
    return [name.strip() for name in given.split(",") if name.strip()]


def _run_all(
    console: Console, path: Path, variants: tuple[Variant, ...], names: list[str], seed: int, store_at: str | None
) -> list[RunResult]:
    columns = (TextColumn("{task.description:40}"), BarColumn(), TextColumn("{task.percentage:3.0f} %"))
    results: list[RunResult] = []
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("", total=sum(variant.scenario.duration for variant in variants) * len(names))
        for variant in variants:
            for name in names:
                progress.update(task, description=f"{name} {variant.label}"[:40])
                done = sum(result.variant.scenario.duration for result in results)
                teller = _teller(progress, task, done)
                with _store(store_at, variant, name) as store:
                    results.append(run_one(variant, name, path.parent, seed, teller, store))
    return results


@contextmanager
def _store(at: str | None, variant: Variant, policy: str) -> Iterator[Store | None]:
    if at is None:
        yield None
        return
    store = open_store(at)
    name = f"{variant.scenario.name} {variant.label}".strip()
    store.begin(RunInfo(f"{name} {policy} {uuid4().hex[:6]}", name, policy, "simulator"))
    try:
        yield store
    finally:
        store.close()


def _teller(progress: Progress, task: TaskID, done: float) -> Callable[[float], None]:
    return lambda now: progress.update(task, completed=done + now)


def _table(results: list[RunResult]) -> Table:
    scenario = results[0].variant.scenario
    title = f"{scenario.name}: {scenario.about}\nutility in % of its maximum"
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
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


def acting(results: list[RunResult]) -> RunResult:
    """The first run in which something was done; the first of all when nothing was."""
    return next((result for result in results if result.recorder.decisions), results[0])


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _print_findings(console: Console, findings: list[Finding]) -> None:
    for finding in findings:
        figure = f"{finding.figure:.4g}" if isinstance(finding.figure, float) else str(finding.figure)
        sign = "[green]holds[/]" if finding.holds else "[red]fails[/]"
        if finding.not_reproduced is not None:
            sign = "[yellow]not reproduced[/]" if not finding.holds else "[red]holds after all[/]"
        console.print(f"{sign}: {finding.claim} (found {figure}, wanted {finding.wanted})", highlight=False)
        if finding.not_reproduced is not None:
            console.print(f"   {finding.not_reproduced}", highlight=False, style="dim")


def _document(
    variants: tuple[Variant, ...], seed: int, results: list[RunResult], findings: list[Finding]
) -> dict[str, object]:
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
