"""`penstock report`: a recorded run as a summary, and as one page to pass on."""

import click

from penstock.cli.completing import run_names
from penstock.cli.out_file import out_option
from penstock.cli.output import say, write_json, write_text
from penstock.cli.recorded import json_option, store_option, without_option

EXAMPLE = """
\b
Examples:
  penstock report last
  penstock report last --without --html report.html
  penstock report last --nine fraud
  penstock report last --json - | jq .utility_share
  penstock report last --incident --tenant fraud --from 10m --to 0:12:30
"""


@click.command("report", epilog=EXAMPLE)
@click.argument("run", shell_complete=run_names)
@out_option("--html", help="Write one self-contained page here.")
@click.option(
    "--incident", is_flag=True, help="Report on one tenant in one part of the run: what happened, why, what it cost."
)
@click.option("--tenant", help="Tenant of the incident. Optional if there is only one.")
@click.option(
    "--from", "since", metavar="TIME", help="Start of the incident since the run's start: 10m or 0:10:00. Optional."
)
@click.option("--to", "until", metavar="TIME", help="End of the incident. Optional.")
@without_option
@click.option("--nine", metavar="TENANT", help="What TENANT's target would cost at the next nine: p99 instead of p95.")
@json_option
@store_option
def report_command(
    run: str,
    html: str | None,
    incident: bool,
    tenant: str | None,
    since: str | None,
    until: str | None,
    without: bool,
    nine: str | None,
    json_out: str | None,
    store: str | None,
) -> None:
    """Summarise RUN, in the terminal or with --html as a page.

    RUN is the id or name of a recorded run, "last", or the path of a SQLite file (its last run is taken).
    """
    if incident and nine is not None:
        raise click.UsageError("--nine is about a whole run. Leave out --nine or --incident.")
    if incident:
        from penstock.cli.incidents import IncidentOptions, tell_incident

        tell_incident(run, store, IncidentOptions(tenant, since, until), html, json_out)
        return
    for option, given in (("--tenant", tenant), ("--from", since), ("--to", until)):
        if given is not None:
            raise click.UsageError(f"{option} needs --incident.")
    from penstock.calls.recorded import report  # the database takes half a second to import

    found = report(run, store, without=without, nine=nine)
    if json_out is not None:
        write_json(json_out, found.document())
    for sentence in found.sentences if json_out != "-" else ():
        say(sentence)
    if html is not None:
        write_text(html, found.html(), "--html")
        say(f"The page is at {html}", err=True)
