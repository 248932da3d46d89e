"""Files of lines that several append to, each line whole."""

import errno
import os
from pathlib import Path


def append_lines(path: Path, lines: bytes) -> None:
    """Lines that stand for themselves, also after one that a full disk broke off."""
    lines = _after_half(path) + lines
    with path.open("ab", buffering=0) as file:
        written = file.write(lines)
    if written < len(lines):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _after_half(path: Path) -> bytes:
    """What ends the file's last line, where that has no end."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - 1))
        return b"\n" if file.read(1) not in (b"", b"\n") else b""
