"""The options of commands whose applications have a coordinator."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from penstock.engines.applications.link import AgentTls

_FILES = {
    "ca": "A PEM file: who signed the coordinator's certificate, where this machine does not trust it anyway.",
    "certificate": "A PEM file, shown to a coordinator with --agents-ca.",
    "key": "The PEM file of its key.",
}


def coordinator_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where coordinators are, and the certificates between them and the application."""
    for name, told in reversed(_FILES.items()):
        command = click.option(
            f"--coordinator-{name}",
            type=click.Path(path_type=Path),
            envvar=f"PENSTOCK_COORDINATOR_{name.upper()}",
            help=told,
        )(command)
    told = "Who says how many executors it gets; see `penstock coordinate`."
    return click.option("--coordinator", metavar="URL", help=told)(command)


def files_of(given: dict[str, Any]) -> "AgentTls":
    """The certificates that the options name, which are taken out of what was given."""
    from penstock.engines.applications.link import AgentTls

    return AgentTls(*(given.pop(f"coordinator_{name}") for name in _FILES))
