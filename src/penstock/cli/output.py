"""Where commands put their documents: a file, or standard output and nothing else on it."""

import json
import sys
from pathlib import Path
from typing import Any

from penstock.errors import ConfigError


def write_json(out: str, document: Any) -> None:
    """One JSON document to the file `out`; - is standard output."""
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    if out == "-":
        sys.stdout.write(text)
    else:
        write_text(out, text, "--json")


def write_text(out: str, text: str, option: str) -> None:
    """Text to a file that the user named with an option."""
    try:
        # Words of users may hold what is not Unicode; a question mark stands there.
        Path(out).write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(option, out, f"give a path that can be written ({error.strerror})") from None
