"""Files that options name to be written: what cannot be written is refused before the work, not after it."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

import click

from penstock.errors import ConfigError

Command = TypeVar("Command", bound=Callable[..., Any])
_PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg")


def out_option(*names: str, **how: Any) -> Callable[[Command], Command]:
    """An option that names a file to be written; - where it has a meaning for it."""
    return click.option(*names, type=click.Path(), metavar="FILE", callback=_checked, **how)


def picture_option(**how: Any) -> Callable[[Command], Command]:
    """`--plot`: a file for a picture, whose kind its ending says."""
    return click.option("--plot", "plot_out", type=click.Path(), metavar="FILE", callback=_checked_picture, **how)


def _checked_picture(context: click.Context, param: click.Parameter, path: str | None) -> str | None:
    if path is not None and Path(path).suffix.lower() not in _PICTURES:
        raise ConfigError(param.opts[-1], path, f"end its name with one of {', '.join(_PICTURES)}")
    return _checked(context, param, path)


def _checked(context: click.Context, param: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        check_out_file(path, param.opts[-1])
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
