"""What an attack on the pages comes to, over several runs."""

import json
from pathlib import Path
from typing import Any

from web_attack import ranges, running

PHASE: dict[str, Any] = {
    "control_p99_s": 0.2,
    "gap_mean_s": 2.0,
    "gap_most_s": 2.1,
    "descriptors": 90,
    "log_mb_per_h": 0.1,
}


def test_each_figure_has_the_least_and_the_most_of_all_runs_that_have_it() -> None:
    attacked = [PHASE, {**PHASE, "gap_mean_s": None}, {**PHASE, "gap_mean_s": 2.4, "control_p99_s": 0.1}]
    found = ranges([{"quiet": PHASE, "attacked": one} for one in attacked])
    assert found["quiet"]["control_p99_s"] == [0.2, 0.2]
    assert (found["attacked"]["gap_mean_s"], found["attacked"]["control_p99_s"]) == ([2.0, 2.4], [0.1, 0.2])


def test_the_driver_that_is_attacked_has_an_engine_of_its_own_and_pages(tmp_path: Path) -> None:
    command = running(tmp_path)
    assert command[0] == "run"
    assert "--dashboard" in command
    assert json.loads((tmp_path / "tenants.yaml").read_text())["engine"] == {"toy": {"each": 60}}
