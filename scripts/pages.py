"""Builds the dashboard's pages from frontend/ into the Python package, and says whether what is there is fresh.

python scripts/pages.py           npm ci, type check, build
python scripts/pages.py --check   needs no Node: compares the sources with the mark that the last build left
"""

import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FRONTEND = ROOT / "frontend"
STATIC = ROOT / "src" / "penstock" / "web" / "static"
MARK = STATIC / "built-from"
SOURCES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "public", "src")


def digest() -> str:
    """One hash over all that a build is made from."""
    places = [FRONTEND / name for name in SOURCES]
    files = sorted(file for place in places for file in ([place] if place.is_file() else place.rglob("*")))
    found = hashlib.sha256()
    for file in files:
        if file.is_file():
            found.update(str(file.relative_to(FRONTEND)).encode() + b"\0" + file.read_bytes() + b"\0")
    return found.hexdigest()


def fresh() -> bool:
    """Whether the built pages come from the sources as they are."""
    return MARK.is_file() and MARK.read_text().strip() == digest()


def build() -> None:
    """Build, and leave the mark."""
    for command in (["npm", "ci", "--no-fund", "--no-audit"], ["npm", "run", "build"]):
        subprocess.run(command, cwd=FRONTEND, check=True)
    MARK.write_text(digest() + "\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        build()
    elif not fresh():
        sys.exit("the pages in src/penstock/web/static are older than frontend/: run `make pages` (it needs Node)")
