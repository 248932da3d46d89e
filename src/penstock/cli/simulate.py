"""`penstock simulate`: a scenario on the simulated cluster, policies side by side."""

import sys
from pathlib import Path

import click

from penstock.cli.completing import policy_names
from penstock.cli.out_file import out_option, picture_option
from penstock.cli.output import say, write_json, write_text

EXAMPLE = """
\b
Examples:
  penstock simulate scenarios/henge/fig13.yaml
  penstock simulate scenarios/henge/fig16.yaml --policy henge,ds2
  penstock simulate scenarios/henge/fig16.yaml --plot fig16.png
  penstock simulate my.yaml --json - | jq '.runs[0].utility_mean'
"""


@click.command(epilog=EXAMPLE)
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option(
    "--policy",
    "policies",
    shell_complete=policy_names,
    help="Policies to compare, separated by commas. Default: as in the scenario.",
)
@click.option("--seed", type=click.IntRange(0), help="Seed of the random numbers. Default: as in the scenario.")
@out_option("--json", "json_out", help="Write the results as JSON to this file; - is standard output.")
@picture_option(help="Draw utility and decisions to this PNG file.")
@out_option("--html", "html_out", help="Write a page about the first run with an acting policy to this file.")
@click.option("--store", "store_at", help="Record the runs in this store (file or URL), for report and explain.")
@click.option("--story", is_flag=True, help="Print every decision with its reason and its effect.")
@click.pass_context
def simulate(
    context: click.Context,
    scenario: Path,
    policies: str | None,
    seed: int | None,
    json_out: str | None,
    plot_out: str | None,
    html_out: str | None,
    store_at: str | None,
    story: bool,
) -> None:
    """Run SCENARIO (a YAML file) on the simulated cluster and check its claims.

    Exits with 1 if a claim of the scenario fails.
    """
    from penstock.cli import simulated  # the simulator takes a second to import
    from penstock.cli.terminal import Terminal, width_for
    from penstock.simulation.checking import check_scenario
    from penstock.simulation.expect import judge
    from penstock.telling.explain import explain
    from penstock.telling.report import page

    console = Terminal(stderr=True, width=width_for(sys.stderr))
    given = [name.strip() for name in (policies or "").split(",") if name.strip()]
    variants = check_scenario(scenario, given)  # whatever is wrong is refused before any run
    names = given or list(variants[0].scenario.policies)
    seed = variants[0].scenario.seed if seed is None else seed
    results = simulated.run_all(console, scenario, variants, names, seed, store_at)
    findings = judge(variants[0].scenario.expect, results)
    console.print(simulated.table(results))
    simulated.print_findings(console, findings)
    if story:
        for result in results:
            say(explain(simulated.told(result), console.width), err=True)
    if html_out is not None:
        write_text(html_out, page(simulated.told(simulated.acting(results))), "--html")
        console.print(f"report: {html_out}")
    if plot_out is not None:
        from penstock.simulation.plot import plot  # matplotlib takes a second to import

        plot(results, Path(plot_out))
        console.print(f"picture: {plot_out}")
    if json_out is not None:
        write_json(json_out, simulated.document(variants, seed, results, findings))
    if not all(finding.as_declared for finding in findings):
        context.exit(1)
