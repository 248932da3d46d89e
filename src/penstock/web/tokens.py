"""Tokens: one to read, one to operate. They are shown once; only their hashes are kept, in a file.

Whoever replaces the file decides who may come in from a moment later on: no server has to begin again for that. A file
system that stands still changes nothing: the tokens that were read last count until it answers.
"""

import hashlib
import hmac
import json
import logging
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from penstock.errors import ConfigError, told, unreachable
from penstock.store.open import default_path
from penstock.web.kept_file import KeptFile, written_whole

Role = Literal["none", "read", "operate"]
FIELD = "tokens"
REMEDY = "give another path with --tokens, or make new ones: penstock serve --new-tokens"

_HASH = re.compile("[0-9a-f]{64}")
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


def kept_tokens(path: Path) -> KeptFile[Tokens]:
    """The tokens in that file as it is now; nobody's while it is gone or holds none."""

    def read(known: Tokens | None) -> Tokens:
        try:
            return tokens_at(path, make=False)[0]
        except ConfigError as error:
            if known is None:
                raise
            _log.error("no token is accepted: %s", told(error))
            return NO_TOKENS

    return KeptFile(path, FIELD, read, _log)


def default_tokens() -> Path:
    """Where the hashes are kept when nobody says where."""
    return default_path().with_name("web-tokens.json")


def tokens_at(path: Path, make: bool = True) -> tuple[Tokens, Shown | None]:
    """The tokens kept in that file; at the first start new ones, which are to be shown.

    Unless they are to be made there are none as long as there is no file: nobody is shown what nobody needs.
    """
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Tokens(_hash_in(kept, "read"), _hash_in(kept, "operate")), None
    except FileNotFoundError:
        return _first_at(path) if make else (NO_TOKENS, None)
    except PermissionError as error:
        raise unreachable(error, FIELD) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError(FIELD, str(path), f"it holds no tokens; {REMEDY}") from None


def _hash_in(kept: Any, role: str) -> str:
    """As we write them: other words can be compared with no token."""
    found = str(kept[role])
    if not _HASH.fullmatch(found):
        raise ValueError(f"{role}: no hash")
    return found


def new_tokens_at(path: Path) -> Shown:
    """New ones in the place of those in the file: from now on these count, and no other."""
    tokens, shown = _fresh()
    _write(tokens, path, _instead)
    return shown


def _first_at(path: Path) -> tuple[Tokens, Shown | None]:
    """New ones; where somebody else makes the first ones at the same time, theirs."""
    tokens, shown = _fresh()
    return (tokens, shown) if _write(tokens, path, _where_none_is) else tokens_at(path, make=False)


def _fresh() -> tuple[Tokens, Shown]:
    shown = Shown(f"read-{secrets.token_urlsafe(32)}", f"operate-{secrets.token_urlsafe(32)}")
    return Tokens(hash_of(shown.read), hash_of(shown.operate)), shown


def _write(tokens: Tokens, path: Path, put: Callable[[Path, Path], bool]) -> bool:
    """What `put` says."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path, json.dumps({"read": tokens.read, "operate": tokens.operate})) as whole:
            return put(whole, path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _instead(whole: Path, path: Path) -> bool:
    whole.replace(path)
    return True


def _where_none_is(whole: Path, path: Path) -> bool:
    try:
        os.link(whole, path)
    except OSError:  # there is one, or it is a file system without links
        if path.exists():
            return False
        whole.rename(path)
    return True


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(FIELD, str(path), f"it cannot be written ({error.strerror}); {REMEDY}")


def hash_of(token: str) -> str:
    """All that is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
