"""A driver that is started again when its process dies: `penstock run --restart`.

The parent only waits. Each life of the driver goes on with the run of the one before: its clock, what its policy
remembers, the slots that its jobs had. It is told when the one before died, so that the downtime becomes known.
"""

import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Sequence
from threading import Event
from types import FrameType

from penstock.engines.spark.restarts import Attempts, Health, RestartPolicy

_ENDED_BY_ITSELF = (0, 2, 130)  # done, refused, Ctrl-C
_ENDS_WITHIN_S = 90.0
_LOOK_EVERY_S = 0.1
POLICY = RestartPolicy(max_restarts=20, backoff_s=0.5, max_backoff_s=30.0)


def supervise(
    command: Sequence[str], tell: Callable[[str], None], policy: RestartPolicy = POLICY, run_id: str | None = None
) -> int:
    """Run the command until it ends by itself; the exit code is its last one.

    It is given `--run-id` in every life, and `--down-since` in all but the first.
    """
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _setting(stop))
    named = [*command, "--run-id", run_id or uuid.uuid4().hex[:12]]
    attempts = Attempts()
    since: tuple[str, ...] = ()
    while True:
        attempts = attempts.started(time.time())
        code = _life([*named, *since], stop)
        if code in _ENDED_BY_ITSELF or stop.is_set():
            return code if code >= 0 else 130
        died_s = time.time()
        attempts = attempts.failed(f"exit code {code}", died_s, policy)
        tell(attempts.text(died_s) or "")
        if attempts.health is Health.GIVEN_UP or stop.wait(max(0.0, (attempts.due_s or died_s) - died_s)):
            return 1
        since = ("--down-since", f"{died_s:.3f}")


def _setting(stop: Event) -> Callable[[int, FrameType | None], None]:
    def told(number: int, frame: FrameType | None) -> None:
        stop.set()

    return told


def _life(command: Sequence[str], stop: Event) -> int:
    """One life: an order to end is passed on as Ctrl-C, which lets a driver stop its queries."""
    # In a group of its own, so that a terminal's Ctrl-C reaches it once, through us.
    driver = subprocess.Popen(command, process_group=0)
    while driver.poll() is None and not stop.wait(_LOOK_EVERY_S):
        pass
    if driver.poll() is None:
        driver.send_signal(signal.SIGINT)
        try:
            driver.wait(_ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            driver.kill()
    return driver.wait()
