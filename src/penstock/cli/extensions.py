"""`penstock extensions`: what packages beside penstock add, a line each."""

from dataclasses import asdict

import click

from penstock.cli.output import say, write_json
from penstock.cli.recorded import json_option


@click.command(epilog="Example: penstock extensions --json - | jq -r '.[].name'")
@json_option
def extensions(json_out: str | None) -> None:
    """List the policies, engines, clusters, notifiers and sinks that other packages add.

    Each is imported. If that fails, the line says why.
    """
    from penstock.extending import GROUPS
    from penstock.extending import extensions as installed

    found = installed()
    if json_out is not None:
        write_json(json_out, [asdict(one) for one in found])
        return
    for one in found:
        say(one.text())
    if not found:
        say(f"no installed package adds any (entry points {', '.join(GROUPS.values())})")
