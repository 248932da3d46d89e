"""The Java of this machine, by which everything of the JVM is started."""

import os
import shutil
from pathlib import Path

from penstock.errors import EngineError


def found_java() -> Path | None:
    """The program, of JAVA_HOME where that is set."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else None)
    return None if found is None else Path(found)


def java() -> str:
    """The Java to run."""
    found = found_java()
    if found is None:
        home = os.environ.get("JAVA_HOME")
        where = f" in JAVA_HOME, {home}" if home else ""
        raise EngineError(f"no Java was found{where}; install one (17 or 21), or set JAVA_HOME")
    return str(found)
