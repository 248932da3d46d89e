"""An executor that is killed on a real cluster: how long it was missing is told, and every row is counted once."""

from pathlib import Path

import pytest

from penstock.local.spark import standalone
from tests.drivers import told_by
from tests.harness.ports import own_port
from tests.patience import patiently


@pytest.mark.cluster
def test_a_killed_executor_is_a_loss_until_as_many_run_again_and_one_that_is_let_go_of_is_none(tmp_path: Path) -> None:
    patiently(standalone)
    state = tmp_path / "cluster.json"
    try:
        cluster = standalone.up(state, workers=2, cores=1, memory="1g", port=own_port())
        found = told_by("tests.engines.spark.on_lost_executor", cluster.master, tmp_path / "driver")
    finally:
        standalone.down(state)
    kind, downtime_s, short_s, short_of, slowed = found["figures"]
    assert (kind, downtime_s, short_of) == ("executor", 0.0, 1.0)
    assert short_s > 0.0
    assert slowed is None or 0.0 < slowed <= 1.0  # where no batch ran wholly meanwhile nobody knows
    assert found["late_s"] > -1.0  # its instant is that of the kill, or a little later, by clocks of their own
    assert found["same_afterwards"] is True
    assert found["departed"].pop(found["lost"]) is False
    assert list(found["departed"].values()) == [True]
    assert found["equal"] is True
