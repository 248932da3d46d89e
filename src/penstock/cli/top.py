"""`penstock top`: a live table of tenants in the terminal, those in trouble first."""

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

import click

from penstock.cli.completing import run_names
from penstock.cli.output import say, write_json
from penstock.cli.recorded import json_option, store_option

EXAMPLE = """
\b
Examples:
  penstock top
  penstock top --run nightly --every 5
  penstock top --once | grep missing
  penstock top --json - | jq .present.headline
"""


@click.command(epilog=EXAMPLE)
@click.option(
    "--run", "run_name", default="last", show_default=True, shell_complete=run_names, help="Id or name of the run."
)
@click.option(
    "--every", type=click.FloatRange(0.2, 60), default=1.0, show_default=True, help="Seconds between updates."
)
@click.option("--once", is_flag=True, help="Print one table and exit. Default if the output is not a terminal.")
@json_option
@store_option
def top(run_name: str, every: float, once: bool, json_out: str | None, store: str | None) -> None:
    """Show tenants live, like top: who is in trouble, why, what was done and whether it helped."""
    if json_out is not None:
        from penstock.calls.recorded import present

        write_json(json_out, present(run_name, store))
        return
    from rich.live import Live

    from penstock.cli.screen import Screen  # with the database, most of a second to import
    from penstock.cli.terminal import Terminal, width_for
    from penstock.store.open import open_store
    from penstock.web.reading import Reader

    console = Terminal(width=width_for(sys.stdout))
    with closing(open_store(store, create=False)) as opened:
        screen = Screen(opened, Reader(opened), run_name)
        if once or not (sys.stdout.isatty() and sys.stdin.isatty()):
            with console.capture() as printed:
                console.print(screen.drawn())
            say("\n".join(row.rstrip() for row in printed.get().splitlines()))
            return
        # Ctrl-C is one more way to quit, also where whoever started us in the background had it ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        with suppress(KeyboardInterrupt), _keys(), Live(console=console, screen=True, auto_refresh=False) as live:
            while not screen.over:
                live.update(screen.drawn(), refresh=True)
                key = _key(every)
                if key is not None:
                    screen.pressed(key)


@contextmanager
def _keys() -> Iterator[None]:
    """Keys come one by one, without Enter, until the terminal is given back as it was."""
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        with suppress(termios.error):  # the terminal may be gone
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _key(within_s: float) -> str | None:
    """What was pressed in that time; q where the terminal is gone, which would be ready for ever."""
    ready, _, _ = select.select([sys.stdin], [], [], within_s)
    if not ready:
        return None
    try:
        # Not from the buffer of sys.stdin: it would take all that was typed, and the next look would wait for more.
        return os.read(sys.stdin.fileno(), 1).decode("latin-1") or "q"
    except OSError:
        return "q"
