"""State files: what a command started is noted as it is started, so that another command ends exactly that.

    up: write before each start and after it -> status: read -> down: read, end, remove

A file is replaced whole: a command that is killed while it writes leaves what was noted before, and never half of it.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from penstock.errors import ConfigError, in_a_line, told
from penstock.user_folders import state_folder

T = TypeVar("T")


def default_place(name: str) -> Path:
    """Where what runs on this machine under that name is noted, unless somebody names another file."""
    return state_folder() / f"{name}.json"


class StateFile(Generic[T]):
    """A file that holds one value of a frozen dataclass; `what` is whose state file it is, as errors say it."""

    def __init__(self, path: Path, kind: type[T], what: str) -> None:
        self.path = path
        self._values: TypeAdapter[T] = TypeAdapter(kind)
        self._what = what

    def read(self) -> T | None:
        """What it tells of; None when there is none."""
        try:
            return self._values.validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            remedy = f"it is no {self._what}'s state file ({_first(error)}); name another"
            raise ConfigError("state", str(self.path), remedy) from None

    def write(self, value: T) -> T:
        """Note it; it is handed back."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            whole = self.path.with_name(f"{self.path.name}.new")
            # Command lines are noted, and a store's address may hold a password.
            with open(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(self._values.dump_json(value, indent=2) + b"\n")
            whole.replace(self.path)
        except OSError as error:
            raise ConfigError(
                "state", str(self.path), f"make it writable, with room for it ({error.strerror})"
            ) from None
        return value

    def note(self, value: T, **changes: Any) -> T:
        """Note it with these fields changed, and hand that back."""
        return self.write(replace(value, **changes))  # type: ignore[type-var]

    def remove(self) -> None:
        """Nothing is there any more."""
        self.path.unlink(missing_ok=True)


def _first(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return told(error)
    (first, *_) = error.errors(include_url=False)
    return in_a_line(f"{'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}")
