"""Where commands put their words and documents: the terminal, a file, or standard output and nothing else on it."""

import json
import logging
import sys
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import click

from penstock.core.safe_text import visible
from penstock.errors import ConfigError


def say(text: str, err: bool = False, nl: bool = True) -> None:
    """Words for the terminal, in lines; what it would obey in them, names and errors of others above all, is shown."""
    click.echo(visible(text, lines=True), err=err, nl=nl)


class VisibleFormatter(logging.Formatter):
    """Messages of the log as they may go to a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """What a terminal would obey in it is shown."""
        return visible(super().format(record), lines=True)


def write_json(out: str, document: Any) -> None:
    """One JSON document to the file `out`; - is standard output. A figure without end is null there."""
    text = json.dumps(_without_ends(document), indent=2, allow_nan=False) + "\n"
    if out == "-":
        sys.stdout.write(text)
    else:
        write_text(out, text, "--json")


def _without_ends(document: Any) -> Any:
    if isinstance(document, float):
        return document if isfinite(document) else None
    if isinstance(document, Mapping):
        return {key: _without_ends(value) for key, value in document.items()}
    return [_without_ends(value) for value in document] if isinstance(document, list | tuple) else document


def write_text(out: str, text: str, option: str) -> None:
    """Text to a file that the user named with an option."""
    try:
        # Words of users may hold what is not Unicode; a question mark stands there.
        Path(out).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(option, out, f"give a path that can be written ({error.strerror})") from None
