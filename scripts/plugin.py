"""Builds the plugin that lets a penstock beside a driver in: of Java sources a jar, the same bytes each time.

python scripts/plugin.py            after a change of the sources (needs a JDK)
python scripts/plugin.py --check    fails where the jar is not of these sources; where javac is of the version that
                                    built it, it is built again and compared byte by byte
"""

import hashlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pyspark

PLACE = Path(__file__).parents[1] / "src" / "penstock" / "engines" / "spark" / "jvm" / "plugin"
JAR = PLACE / "penstock-attach.jar"
RELEASE = "8"  # the oldest Java that Spark 3.5 runs on
_WHEN = (2020, 1, 1, 0, 0, 0)
_MANIFEST = "META-INF/MANIFEST.MF"
_NEEDED = (
    *("spark-core", "spark-sql", "spark-common", "spark-catalyst", "spark-unsafe", "spark-launcher"),
    *("py4j", "scala-library", "slf4j-api", "jackson", "kryo"),
)


def sources() -> list[Path]:
    """In the order in which they are compiled."""
    return sorted(PLACE.glob("*.java"))


def digest() -> str:
    """One hash over all sources."""
    found = hashlib.sha256()
    for file in sources():
        found.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


def javac_version() -> str | None:
    """Of the javac on the PATH, such as 17; None where there is none."""
    if shutil.which("javac") is None:
        return None
    told = subprocess.run(["javac", "-version"], capture_output=True, text=True, check=True)
    found = re.search(r"javac (\d+)", told.stdout + told.stderr)
    return None if found is None else found.group(1)


def build(javac: str) -> bytes:
    """The jar, with nothing in it that depends on where or when it was built."""
    jars = Path(pyspark.__file__).parent / "jars"
    path = [str(jar) for jar in sorted(jars.glob("*.jar")) if jar.name.startswith(_NEEDED)]
    with tempfile.TemporaryDirectory() as place:
        how = ["-g:none", "--release", RELEASE, "-Xlint:all,-path,-options,-classfile", "-Werror", "-proc:none"]
        subprocess.run(["javac", *how, "-cp", ":".join(path), "-d", place, *map(str, sources())], check=True)
        classes = {file.relative_to(place).as_posix(): file.read_bytes() for file in Path(place).rglob("*.class")}
    manifest = f"Manifest-Version: 1.0\nBuilt-By-Javac: {javac}\nSources: {digest()[:48]}\n\n".encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as jar:  # stored: compression differs between zlibs
        for name, content in [(_MANIFEST, manifest), *sorted(classes.items())]:
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.external_attr = 0o644 << 16
            jar.writestr(entry, content)
    return written.getvalue()


def check() -> str:
    """What was compared, in words; ends the process where the jar is another than the sources make."""
    remedy = "run `python scripts/plugin.py` (it needs a JDK)"
    if not JAR.is_file():
        sys.exit(f"{JAR} is not there: {remedy}")
    with zipfile.ZipFile(JAR) as jar:
        told = dict(line.split(": ", 1) for line in jar.read(_MANIFEST).decode().splitlines() if line)
    if told["Sources"] != digest()[:48]:
        sys.exit(f"{JAR.name} was not built from the sources beside it: {remedy}")
    there = javac_version()
    if there != told["Built-By-Javac"]:
        return f"the plugin's sources are those of its jar; not built again: javac {there or 'is not here'}"
    if build(there) != JAR.read_bytes():
        sys.exit(f"{JAR.name} is not what its sources make: {remedy}")
    return "the plugin, built again, is its jar"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        print(check())
    else:
        found = javac_version()
        if found is None:
            sys.exit("there is no javac: install a JDK, such as openjdk-17-jdk-headless")
        JAR.write_bytes(build(found))
        print(f"{JAR}: {JAR.stat().st_size:,} bytes")
