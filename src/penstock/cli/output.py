"""Where commands put their words and documents: the terminal, a file, or standard output and nothing else on it."""

import json
import logging
import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from math import isfinite
from pathlib import Path
from stat import S_IMODE
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
    """Text to a file that the user named with an option: all of it, or what was there before stays."""
    # Words of users may hold what is not Unicode; a question mark stands there.
    body = text.encode("utf-8", "replace")
    try:
        path = Path(out)
        # What is somebody's already, as a pipe, a device or our own output, keeps its place.
        theirs = path.is_relative_to("/proc") or str(path.parent) in ("/dev", "/dev/fd")
        if theirs or (path.exists() and not path.is_file()):
            path.write_bytes(body)
        else:
            _replace(path.resolve(), body)
    except OSError as error:
        raise ConfigError(option, out, f"give a path that can be written ({error.strerror})") from None


def _replace(path: Path, body: bytes) -> None:
    fresh = path.with_name(f".penstock-{os.getpid()}-{threading.get_ident()}")
    try:
        with fresh.open("xb") as file:
            file.write(body)
        if path.exists():
            fresh.chmod(S_IMODE(path.stat().st_mode))
        fresh.replace(path)
    except PermissionError:  # into a folder where nobody may make a file
        path.write_bytes(body)
    finally:
        with suppress(OSError):
            fresh.unlink()
