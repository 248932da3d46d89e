"""Programs that stand in for those that a script calls."""

from pathlib import Path


def program(path: Path, script: str) -> Path:
    """A program that does what the script says; the folder that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path.parent


def answering(path: Path, version: str) -> Path:
    """A uv of that version, which notes how it is called."""
    return program(path, f'[ "$1" = --version ] && echo "uv {version} (here)" && exit\necho "{version} $*" >>calls')
