"""Tokens: one to read, one to operate. They are shown once; only their hashes are kept."""

import hashlib
import hmac
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from penstock.errors import ConfigError

Role = Literal["none", "read", "operate"]
REMEDY = "give another path with --tokens, or remove the file: new tokens are made and shown at the next start"


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
        given = _hash(token)
        if hmac.compare_digest(given, self.operate):
            return "operate"
        return "read" if hmac.compare_digest(given, self.read) else "none"


NO_TOKENS = Tokens("", "")  # no hash is empty


def tokens_at(path: Path, make: bool = True) -> tuple[Tokens, Shown | None]:
    """The tokens kept in that file; at the first start new ones, which are to be shown.

    Unless they are to be made there are none as long as there is no file: nobody is shown what nobody needs.
    """
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Tokens(str(kept["read"]), str(kept["operate"])), None
    except FileNotFoundError:
        return _made(path) if make else (NO_TOKENS, None)
    except (OSError, ValueError, KeyError, TypeError):
        raise ConfigError("tokens", str(path), f"it holds no tokens; {REMEDY}") from None


def _made(path: Path) -> tuple[Tokens, Shown]:
    shown = Shown(f"read-{secrets.token_urlsafe(32)}", f"operate-{secrets.token_urlsafe(32)}")
    tokens = Tokens(_hash(shown.read), _hash(shown.operate))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump({"read": tokens.read, "operate": tokens.operate}, file)
    except OSError as error:
        raise ConfigError("tokens", str(path), f"it cannot be written ({error.strerror}); {REMEDY}") from None
    return tokens, shown


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
