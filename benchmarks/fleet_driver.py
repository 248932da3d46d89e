"""A driver of a fleet, as `fleet_of_eight` and the tests of two drivers start it; it ends when it is told to."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from signal import SIGINT

_ENDS_WITHIN_S = 60.0


def begin_driver(given: Sequence[str], environment: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
    """`penstock run` with these words; what it says goes to the end of the log. Ctrl-C at a terminal is not for it."""
    command = [sys.executable, "-m", "penstock.cli.main", "run", *given]
    with log.open("ab") as said:
        return subprocess.Popen(command, env=dict(environment), stdout=said, stderr=said, start_new_session=True)


def end_driver(driver: "subprocess.Popen[bytes]") -> bool:
    """Tell it to end, as Ctrl-C does: whether it did within a minute. Afterwards it is gone in any case."""
    driver.send_signal(SIGINT)
    try:
        driver.wait(_ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        return False
    finally:
        driver.kill()
    return True
