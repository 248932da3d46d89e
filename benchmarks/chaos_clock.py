"""A clock of the driver's own, which the nemesis sets: what stands between its processes and the machine's clock.

What Python and the JVM ask of the wall's clock is answered from it (`chaos_clock.c`); the clock that nobody sets is
left alone. The machine's clock is everybody's, and stays as it is. It takes a C compiler.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".c")
COMPILER = shutil.which("cc")


def environment(place: Path) -> Mapping[str, str]:
    """With which a process has the clock that is set in that place."""
    assert COMPILER is not None
    library = place / "clock.so"
    if not library.exists():
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"], check=True)
        _write(place, 0)
    return {"LD_PRELOAD": str(library), "CHAOS_CLOCK": str(place / "clock")}


@contextmanager
def set_by(place: Path, seconds: int) -> Iterator[None]:
    """The clock is so far from the right one meanwhile."""
    _write(place, seconds)
    try:
        yield
    finally:
        _write(place, 0)


def _write(place: Path, seconds: int) -> None:
    """All at once, into the file that the processes look at."""
    file = os.open(place / "clock", os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(file, seconds.to_bytes(8, "little", signed=True), 0)
    os.close(file)
