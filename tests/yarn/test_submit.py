"""`penstock submit` on a real YARN: an application for each tenant or group of them; their queue is full at first."""

import subprocess
from contextlib import ExitStack
from pathlib import Path
from signal import SIGINT

import pytest

from penstock.engines.applications.cluster import Room
from penstock.engines.applications.yarn import YarnCluster
from tests.cli.calling import ROOT, command, environment
from tests.governing.shop import NAMES, shop
from tests.patience import eventually
from tests.yarn.real import RealYarn

pytestmark = pytest.mark.yarn

QUEUE = "root.default"


def test_executors_wait_for_a_queue_that_is_full_come_once_it_is_not_and_go_with_ctrl_c(
    yarn: RealYarn, tmp_path: Path
) -> None:
    cluster = YarnCluster(yarn.page, QUEUE)
    given = ["submit", str(shop(tmp_path)), "--master", "yarn", "--logs", str(tmp_path / "logs")]
    around = {**environment(), **yarn.around}
    with (tmp_path / "submit.log").open("wb") as log, ExitStack() as stack:
        lowered = stack.enter_context(ExitStack())
        lowered.enter_context(yarn.lowered(QUEUE, percent=50))
        submit = subprocess.Popen(command(*given), cwd=ROOT, env=around, stdout=log, stderr=log)
        stack.callback(submit.kill)
        room = eventually(lambda: _full(cluster.room()))
        # Who came first may have all of it: then the master of the other one waits.
        told = " ".join(room.waits.values())
        assert "and may use 50 %" in told or "its master waits" in told
        lowered.close()
        # Three executors: two for the two that are together, one for the third.
        eventually(lambda: sorted(cluster.room().held.values()) == [1, 2])
        eventually(lambda: all((tmp_path / "checkpoints" / name / "commits" / "1").exists() for name in NAMES))
        submit.send_signal(SIGINT)
        assert submit.wait() == 130
    eventually(lambda: not cluster.room().held)


def _full(room: Room) -> Room | None:
    """Masters and executors have all three cores that the queue may use, and something waits."""
    return room if room.used + sum(room.held.values()) == 3 and room.waits else None
