"""Where penstock keeps its user's files, as the XDG base directory specification has it."""

import os
from collections.abc import Mapping
from pathlib import Path


def state_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """What is to outlive a process: runs, models, routing tables, what was started here.

    >>> str(state_folder({"XDG_STATE_HOME": "/state"})), str(state_folder({"HOME": "/home/ann"}))
    ('/state/penstock', '/home/ann/.local/state/penstock')
    """
    base = environment.get("XDG_STATE_HOME")
    return Path(base or Path(environment.get("HOME") or Path.home(), ".local", "state"), "penstock")


def cache_folder() -> Path:
    """What can be fetched or made anew."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "penstock")
