"""The console of commands: words of others are never markup, and nothing in them is obeyed by the terminal."""

from collections.abc import Iterable
from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from penstock.cli.background_writer import NOBODY_THERE, speak_to_nobody
from penstock.core.safe_text import visible

PIPED = 1000  # columns


class Terminal(Console):
    """Takes text as it is: an error that says "[/10.0.0.1:9092]" is no markup. Styles are given as `Text`.

    What is told on standard error is told beside the work: where it cannot be written it is dropped, and nothing ends.
    """

    def __init__(self, **how: Any) -> None:
        super().__init__(markup=False, emoji=False, **how)

    def render_str(self, text: str, **how: Any) -> Text:
        """Text with what is measured already made visible, so that columns stay columns."""
        return super().render_str(visible(text, lines=True), **{**how, "markup": False, "emoji": False})

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is written at last, however it came here; only the console's own moves of the cursor are obeyed."""
        for segment in super().render(renderable, options):
            shown = segment.text if segment.control else visible(segment.text, lines=True)
            yield segment if shown == segment.text else segment._replace(text=shown)

    def on_broken_pipe(self) -> None:
        """Nobody reads any more; see Console, which ends the program from whichever thread it was that spoke."""
        if not self.stderr:
            super().on_broken_pipe()
        self._speak_to_nobody()

    def _check_buffer(self) -> None:
        try:
            super()._check_buffer()
        except OSError as error:
            if not self.stderr:
                raise
            if error.errno in NOBODY_THERE:
                self._speak_to_nobody()
            del self._buffer[:]

    def _speak_to_nobody(self) -> None:
        self.quiet = True
        speak_to_nobody(self.file)


class Lines(Table):
    """A table each of whose cells is one line, whatever it holds."""

    def add_row(self, *cells: RenderableType | None, **how: Any) -> None:
        """A row; text in it is made visible."""
        super().add_row(*(visible(cell) if isinstance(cell, str) else cell for cell in cells), **how)


def width_for(where: TextIO) -> int | None:
    """A terminal's own width; into a pipe or a file all goes, for nothing there is as wide as a screen."""
    return None if where.isatty() else PIPED


def line(text: str, style: str = "") -> Text:
    """Words of others as one line."""
    return Text(visible(text), style=style)
