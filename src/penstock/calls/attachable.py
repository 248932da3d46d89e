"""Drivers that somebody else started: what `penstock attach --list` and `--jar` tell, as calls."""

import os
from collections.abc import Sequence
from pathlib import Path

from penstock.engines.spark.jvm.beside.door import JAR, DriverDoor, doors, folder


def attachable() -> Sequence[DriverDoor]:
    """The drivers of yours on this machine that let a penstock in; the `application` of one is for `ps.attach`."""
    return doors(folder(os.environ))


def plugin_jar() -> Path:
    """The plugin's jar, for the class path of a driver in Scala, Java or SQL, or of a declarative pipeline."""
    return JAR
