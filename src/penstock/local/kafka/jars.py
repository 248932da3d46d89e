"""Jars of the Maven registry: those of the lock file, checked by their SHA-256 and cached after the first time.

They are fetched by Ivy, which comes with pyspark, from the local Maven repository or else from the central one; a
mirror in ~/.m2/settings.xml stands in for the latter, and the JVM gets MAVEN_OPTS.
"""

import hashlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import pyspark

from penstock.errors import EngineError
from penstock.local.java import java
from penstock.user_folders import cache_folder

_LOCK = Path(__file__).with_name("jars.lock")
_FETCHED_WITHIN_S = 900.0
_MIRRORS_OF_CENTRAL = {"*", "central", "external:*"}
_SETTINGS = """<ivysettings>
  <settings defaultResolver="all"/>
  <caches defaultCacheDir={cache}/>
  <resolvers><chain name="all" returnFirst="true">
    <ibiblio name="local" m2compatible="true" usepoms="false" useMavenMetadata="false" checksums="" root={local}/>
    <ibiblio name="central" m2compatible="true" usepoms="false" useMavenMetadata="false"{root}/>
  </chain></resolvers>
</ivysettings>"""
_MODULE = """<ivy-module version="2.0">
  <info organisation="penstock" module="jars"/>
  <dependencies>
{dependencies}
  </dependencies>
</ivy-module>"""


class JarSet(StrEnum):
    """What the jars are for."""

    BROKER = "broker"
    CONNECTOR = "connector"  # of Spark
    YARN = "yarn"


@dataclass(frozen=True, slots=True)
class Jar:
    """One jar as the lock file names it."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        """Its name in the cache; two groups may have artifacts of one name."""
        return f"{self.group}.{self.artifact}-{self.version}.jar"


def locked(wanted: JarSet) -> tuple[Jar, ...]:
    """The jars of that set.

    >>> locked(JarSet.CONNECTOR)[0].artifact
    'spark-sql-kafka-0-10_2.13'
    """
    found = []
    for line in _LOCK.read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{wanted} "):
            _, coordinates, sha256 = line.split()
            group, artifact, version = coordinates.split(":")
            found.append(Jar(group, artifact, version, sha256))
    return tuple(found)


@cache
def jars(wanted: JarSet) -> tuple[Path, ...]:
    """The files of that set, fetched when they are not cached yet."""
    place, listed = default_place(), locked(wanted)
    missing = [jar for jar in listed if not _is(place / jar.file, jar)]
    if missing:
        _fetch(missing, place)
    return tuple(place / jar.file for jar in listed)


def default_place() -> Path:
    """The user's own cache."""
    return cache_folder() / "jars"


def _is(file: Path, jar: Jar) -> bool:
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == jar.sha256


def _fetch(missing: Sequence[Jar], place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=place) as work:
        said = _run_ivy(missing, Path(work))
        for jar in missing:
            fetched = Path(work, "jars", jar.file)
            if not fetched.is_file():
                raise EngineError(
                    f"{jar.group}:{jar.artifact}:{jar.version} could not be had from the Maven registry "
                    f"({_why(said)}); name a mirror in ~/.m2/settings.xml, or a proxy in MAVEN_OPTS"
                )
            if not _is(fetched, jar):
                raise EngineError(f"{jar.file} is not what the lock file says (its SHA-256 differs); it was not kept")
            fetched.replace(place / jar.file)  # whole or not at all: another process may fetch too


def _run_ivy(missing: Sequence[Jar], work: Path) -> str:
    ivy = next(Path(pyspark.__file__).parent.glob("jars/ivy-*.jar"))
    (work / "ivysettings.xml").write_text(_settings(work), encoding="utf-8")
    (work / "ivy.xml").write_text(_module(missing), encoding="utf-8")
    files = ["-settings", str(work / "ivysettings.xml"), "-ivy", str(work / "ivy.xml")]
    target = str(work / "jars" / "[organisation].[artifact]-[revision].[ext]")
    options = shlex.split(os.environ.get("MAVEN_OPTS", ""))
    command = [java(), *options, "-cp", str(ivy), "org.apache.ivy.Main", *files, "-retrieve", target]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_FETCHED_WITHIN_S, check=False)
    return done.stdout + done.stderr


def _settings(work: Path) -> str:
    mirror = mirror_of_central(Path.home() / ".m2" / "settings.xml")
    return _SETTINGS.format(
        cache=quoteattr(str(work / "cache")),
        local=quoteattr((Path.home() / ".m2" / "repository").as_uri() + "/"),
        root="" if mirror is None else f" root={quoteattr(mirror)}",
    )


def mirror_of_central(settings: Path) -> str | None:
    """The mirror that Maven's settings name for the central repository, if any."""
    if not settings.is_file():
        return None
    for mirror in ElementTree.parse(settings).getroot().iter():
        if mirror.tag.endswith("}mirror") or mirror.tag == "mirror":
            fields = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in mirror}
            if _MIRRORS_OF_CENTRAL & set(fields.get("mirrorOf", "").split(",")):
                return fields["url"].rstrip("/") + "/"
    return None


def _module(missing: Sequence[Jar]) -> str:
    lines = [
        f'    <dependency org="{jar.group}" name="{jar.artifact}" rev="{jar.version}" transitive="false"/>'
        for jar in missing
    ]
    return _MODULE.format(dependencies="\n".join(lines))


def _why(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if "ERROR" in line or "not found" in line.lower()]
    return lines[0] if lines else "Ivy said nothing about it"
