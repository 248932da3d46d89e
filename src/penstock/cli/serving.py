"""The options of commands that serve pages."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.output import say

if TYPE_CHECKING:
    from penstock.store.sql import SqlStore
    from penstock.web.settings import WebSettings

_OPTIONS = (
    click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=7373,
        show_default=True,
        help="Port to listen on; 0 picks a free one.",
    ),
    click.option(
        "--allow-host",
        "allowed_hosts",
        multiple=True,
        help="Host name under which a proxy forwards requests; needs tokens.",
    ),
    click.option(
        "--proxy",
        "proxies",
        multiple=True,
        metavar="ADDRESS",
        help="Address or network of a trusted proxy that sets X-Forwarded-For; needs tokens.",
    ),
    click.option("--tokens", type=click.Path(path_type=Path, dir_okay=False), help="File with the hashes of tokens."),
    click.option("--tls-certificate", type=click.Path(path_type=Path), help="PEM file; needs --tls-key."),
    click.option("--tls-key", type=click.Path(path_type=Path), help="PEM file of the certificate's key."),
)


def web_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """All of them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def web_settings(**given: Any) -> "WebSettings":
    """The settings that the options state."""
    from penstock.web.settings import WebSettings

    names = {option: frozenset(given[option]) for option in ("allowed_hosts", "proxies")}
    return WebSettings(**{**given, **names})


@contextmanager
def dashboard_over(
    store: str | None, given: dict[str, Any], begins: bool, tell: Callable[[str], None]
) -> Iterator[None]:
    """The pages over a store, while a command does something else; `tell` hears that they are gone, or were.

    Where that `begins` a run, the pages wait for it: what an earlier one came to is not what they were opened for.
    """
    from penstock.store.open import open_store
    from penstock.web.server import Site  # a web server takes half a second to import

    with closing(open_store(store)) as opened:
        before = _runs_of(opened) if begins else None
        settings = web_settings(**given, runs_before=before)
        site = Site(opened, settings, lambda line: say(line, err=True))
        with site.beside(tell):
            say(f"dashboard: {site.url}", err=True)
            yield


def _runs_of(store: "SqlStore") -> frozenset[str]:
    """The ids of the runs that are there; a store that cannot be read now stops nobody from governing."""
    from penstock.store.archive import StoreError

    try:
        return frozenset(info.id for info in store.runs())
    except StoreError:
        return frozenset()
