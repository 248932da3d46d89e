"""`penstock policies`: the policies, a line each."""

import click

from penstock.cli.output import say, write_json
from penstock.cli.recorded import json_option
from penstock.planning.registry import DEFAULT
from penstock.planning.registry import policies as all_policies


@click.command(epilog="Example: penstock policies --json - | jq -r '.[].name'")
@json_option
def policies(json_out: str | None) -> None:
    """List the policies, one line each."""
    known = all_policies()
    if json_out is not None:
        found = [{"name": name, "about": entry.about, "default": name == DEFAULT} for name, entry in known.items()]
        write_json(json_out, found)
        return
    for name, entry in known.items():
        default = " (default)" if name == DEFAULT else ""
        say(f"{name:10} {entry.about}{default}")
