"""The options of commands whose applications have a coordinator."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from penstock.engines.applications.link import AgentTls

_FILES = {
    "ca": "PEM file of the CA that signed the coordinator's certificate, if this machine does not trust it.",
    "certificate": "PEM file of the certificate for a coordinator with --agents-ca.",
    "key": "PEM file of that certificate's key.",
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
    told = "The coordinator that assigns executors; see `penstock coordinate`."
    return click.option("--coordinator", metavar="URL", help=told)(command)


def files_of(given: dict[str, Any]) -> "AgentTls":
    """The certificates that the options name, which are taken out of what was given."""
    from penstock.engines.applications.link import AgentTls

    return AgentTls(*(given.pop(f"coordinator_{name}") for name in _FILES))
