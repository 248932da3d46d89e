"""Where commands put their documents: a file, or standard output and nothing else on it."""

import json
import sys
from pathlib import Path
from typing import Any

from penstock.errors import ConfigError


def write_json(out: str, document: Any) -> None:
    """One JSON document to the file `out`; - is standard output."""
    text = json.dumps(document, indent=2, allow_nan=False)
    if out == "-":
        sys.stdout.write(text + "\n")
        return
    try:
        Path(out).write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError("--json", out, f"give a file that can be written ({error.strerror})") from None
