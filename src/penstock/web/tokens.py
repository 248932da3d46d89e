"""Tokens: one to read, one to operate. They are shown once; only their hashes are kept, in a file.

Whoever replaces the file decides who may come in from the next request on: no server has to begin again for that.
"""

import hashlib
import hmac
import json
import logging
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from penstock.errors import ConfigError, told, unreachable
from penstock.store.open import default_path

Role = Literal["none", "read", "operate"]
REMEDY = "give another path with --tokens, or make new ones: penstock serve --new-tokens"

_log = logging.getLogger("penstock.web")


@dataclass(frozen=True, slots=True)
class Shown:
    """New tokens in the clear, for the eyes of whoever starts the server."""

    read: str
    operate: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """The hashes. Tokens are 256 bits of chance, so a plain hash cannot be searched."""

    read: str
    operate: str

    def role_of(self, token: str) -> Role:
        """What this token allows."""
        return self.role_of_hash(hash_of(token))

    def role_of_hash(self, given: str) -> Role:
        """The same of a token whose hash was kept."""
        if hmac.compare_digest(given, self.operate):
            return "operate"
        return "read" if hmac.compare_digest(given, self.read) else "none"


NO_TOKENS = Tokens("", "")  # no hash is empty


class KeptTokens:
    """The tokens in that file as it is now; nobody's while it is gone or holds none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = _mark(path)
        self._tokens = NO_TOKENS if self._seen is None else tokens_at(path, make=False)[0]

    def __call__(self) -> Tokens:
        mark = _mark(self._path)  # a request costs a look at the file's dates, and no descriptor
        if mark != self._seen:
            self._seen, self._tokens = mark, self._read()
        return self._tokens

    def _read(self) -> Tokens:
        try:
            return tokens_at(self._path, make=False)[0]
        except ConfigError as error:
            _log.error("no token is accepted: %s", told(error))
            return NO_TOKENS


def default_tokens() -> Path:
    """Where the hashes are kept when nobody says where."""
    return default_path().with_name("web-tokens.json")


def tokens_at(path: Path, make: bool = True) -> tuple[Tokens, Shown | None]:
    """The tokens kept in that file; at the first start new ones, which are to be shown.

    Unless they are to be made there are none as long as there is no file: nobody is shown what nobody needs.
    """
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Tokens(str(kept["read"]), str(kept["operate"])), None
    except FileNotFoundError:
        return _made(path, path) if make else (NO_TOKENS, None)
    except PermissionError as error:
        raise unreachable(error, "tokens") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError("tokens", str(path), f"it holds no tokens; {REMEDY}") from None


def new_tokens_at(path: Path) -> Shown:
    """New ones in the place of those in the file: from now on these count, and no other."""
    whole = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    _, shown = _made(whole, path)
    try:
        whole.replace(path)
    except OSError as error:
        whole.unlink(missing_ok=True)
        raise _unwritable(path, error) from None
    return shown


def _made(path: Path, wanted: Path) -> tuple[Tokens, Shown]:
    shown = Shown(f"read-{secrets.token_urlsafe(32)}", f"operate-{secrets.token_urlsafe(32)}")
    tokens = Tokens(hash_of(shown.read), hash_of(shown.operate))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump({"read": tokens.read, "operate": tokens.operate}, file)
    except OSError as error:
        raise _unwritable(wanted, error) from None
    return tokens, shown


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError("tokens", str(path), f"it cannot be written ({error.strerror}); {REMEDY}")


def _mark(path: Path) -> tuple[int, int, int] | None:
    """What tells a file from the one that was there; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def hash_of(token: str) -> str:
    """All that is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
