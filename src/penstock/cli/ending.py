"""How a program that runs for long ends: never without a word in its log.

A signal is told by its name, an error in its words, a crash of the interpreter with its stacks. Of what no program
hears, SIGKILL and the kernel's want of memory, others must tell.
"""

import faulthandler
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from penstock.cli.output import say
from penstock.errors import told

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@contextmanager
def ending_told(who: str) -> Iterator[None]:
    """Say why `who` ends when the block does; signals that end programs become a KeyboardInterrupt in it."""
    with suppress(ValueError, OSError):  # where standard error is no file there is nothing to write stacks to
        faulthandler.enable()
    with signal_told(who):
        try:
            yield
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            _said(f"{who} ends: {told(error)}")
            raise
    _said(f"{who} ends: it is done")


@contextmanager
def signal_told(who: str) -> Iterator[None]:
    """Say which signal ends `who`; it becomes a KeyboardInterrupt in the block."""
    heard: list[str] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(signal.Signals(number).name)
        raise KeyboardInterrupt

    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` has it
            signal.signal(number, hear)
    try:
        yield
    except KeyboardInterrupt:
        _said(f"{who} ends: {heard[0] if heard else 'it was interrupted'}")
        raise


def end_as_by_ctrl_c() -> None:
    """An order to end and a terminal's end are as Ctrl-C; the latter not where somebody had it ignored, as `nohup` has.

    In a container this is the first process, which the kernel spares signals that it does not handle.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.default_int_handler)


def quietly(say: Callable[[str], None]) -> Callable[[str], None]:
    """Says it, or not where nobody reads standard error any more: that is no reason to end."""

    def said(text: str) -> None:
        with suppress(OSError):
            say(text)

    return said


def _said(text: str) -> None:
    quietly(lambda told: say(told, err=True))(text)
