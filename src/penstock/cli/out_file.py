"""Files that options name to be written: what cannot be written is refused before the work, not after it."""

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import click

from penstock.errors import ConfigError


class OutFile(click.Path):
    """The path of a file to be written; - where the option has a meaning for it."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The path, once it is known that it can be written."""
        path = str(value)
        check_out_file(path, "FILE" if param is None else param.opts[-1])
        return path


def check_out_file(path: str, option: str) -> None:
    """A ConfigError where no file can be written there; what is there stays as it is, and nothing is made."""
    if path == "-":
        return
    try:
        _try(Path(path))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigError(option, path, f"give a path that can be written ({why})") from None


def _try(path: Path) -> None:
    if path.is_dir() or path.is_file():
        path.open("r+b").close()
    elif not path.exists():  # what is neither, such as a pipe, is opened once, by whoever writes
        TemporaryFile(dir=path.parent).close()
