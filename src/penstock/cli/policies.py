"""`penstock policies`: the policies, a line each."""

import click

from penstock.cli.output import say
from penstock.planning.registry import DEFAULT, POLICIES


@click.command()
def policies() -> None:
    """List the policies with one line each."""
    for name, entry in POLICIES.items():
        default = " (default)" if name == DEFAULT else ""
        say(f"{name:10} {entry.about}{default}")
