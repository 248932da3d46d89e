"""Builds the dashboard's pages from frontend/ into the Python package, and says whether what is there is fresh.

python scripts/pages.py           the API's types, npm ci, type check, build
python scripts/pages.py --test    npm ci, type check, tests of components
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
    subprocess.run([sys.executable, ROOT / "scripts" / "api_types.py"], check=True)
    _npm(["ci", "--no-fund", "--no-audit"], ["run", "build"])
    MARK.write_text(digest() + "\n")


def test() -> None:
    """Types, and the tests of components."""
    _npm(["ci", "--no-fund", "--no-audit"], ["run", "check"], ["test"])


def _npm(*commands: list[str]) -> None:
    for command in commands:
        if subprocess.run(["npm", *command], cwd=FRONTEND, check=False).returncode:
            sys.exit(f"npm {' '.join(command)} failed in {FRONTEND}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--test"]:
        test()
    elif sys.argv[1:] != ["--check"]:
        build()
    elif not fresh():
        sys.exit("the pages in src/penstock/web/static are older than frontend/: run `make pages` (it needs Node)")
