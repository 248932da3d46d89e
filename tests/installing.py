"""Packages of this checkout, installed as a user would: built by uv, without a registry."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def uv(*words: str | Path) -> None:
    """Run uv, where it is, or where `make setup` leaves it; what builds these packages built penstock before."""
    own = Path(sys.prefix).parent / ".tools" / "bin" / "uv"
    settings = {**os.environ, "UV_OFFLINE": "1", "UV_PYTHON_DOWNLOADS": "never"}
    subprocess.run([shutil.which("uv") or str(own), "--quiet", *map(str, words)], env=settings, check=True)


def installed_into(place: Path, package: Path) -> Path:
    """The folder, with that package in it and nothing that it needs."""
    uv("pip", "install", "--no-deps", "--python", sys.executable, "--target", place, package)
    return place
