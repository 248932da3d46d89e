"""The file by which a driver lets a penstock in, as a driver writes it."""

import json
import os
from pathlib import Path
from typing import Any


def written(place: Path, application: str = "app-1", mode: int = 0o600, **other: Any) -> Path:
    told = {"name": "shop", "spark": "4.3.0", "pid": os.getpid(), "host": "127.0.0.1", "port": 1, "token": "s3cret"}
    file = place / f"{application}.json"
    file.write_text(json.dumps({"application": application, **told, **other}))
    file.chmod(mode)
    return file
