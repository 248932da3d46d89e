"""Spark's classes, read and checked once for all JVMs of the tests: a short-lived JVM does little else.

`python -m tests.harness.class_archive` has a JVM run a little of everything and keep its classes in an archive (Java's
class-data sharing), once a machine; `make setup-tests` does. Without one tests run all the same, slower; one of another
Spark or Java has another name, and a JVM whose classes differ leaves it aside.
"""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path


def options() -> str:
    """What a JVM must be told to use the archive; nothing while there is none."""
    found = _archive()
    # Silent: a JVM with other classes, as Kafka's, would say on its standard output that it leaves the archive aside.
    return f"-XX:SharedArchiveFile={found} -Xshare:auto -Xlog:disable" if found.exists() else ""


def make() -> Path:
    """The archive, made when there is none yet."""
    found = _archive()
    if not found.exists():
        found.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="penstock-classes-", dir=found.parent) as place:
            made = Path(place, "spark.jsa")
            subprocess.run([sys.executable, "-m", "tests.harness.every_class", place, str(made)], check=True)
            made.rename(found)
    return found


def _archive() -> Path:
    spark = importlib.util.find_spec("pyspark")
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None) or ""
    of = f"{spark.origin if spark else ''} {version('pyspark')} {os.path.realpath(java)}"
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "penstock", "classes")
    return cache / f"{hashlib.sha256(of.encode()).hexdigest()[:16]}.jsa"


if __name__ == "__main__":
    print(make())
