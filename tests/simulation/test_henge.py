"""Henge against simulated fleets, where one round's figures do not tell what a policy is worth."""

from pathlib import Path
from typing import Any

from penstock.simulation.checking import check_scenario
from penstock.simulation.run import RunResult, simulate
from tests.simulation.small import written


def run(tmp_path: Path, **raw: Any) -> RunResult:
    """A scenario under Henge, from its first second."""
    path = written(tmp_path, {"govern_from": "0s", "seed": 3, **raw})
    return simulate(check_scenario(path)[0], "henge", path.parent)


LINE = {
    "flow": {"source": ["work"], "work": []},
    "operators": {
        "source": {"threads": 2, "cpu": "0.1ms"},
        "work": {"threads": 2, "cpu": "0.5ms", "wait": "9ms", "queue_limit": 2000},
    },
}


def test_one_of_25_tenants_whose_input_becomes_six_times_as_much_is_helped(tmp_path: Path) -> None:
    intent = {"latency": "100ms", "utility": 10}
    grows = {"step": {"before": 60, "after": 360, "at": "300s"}, "noise": 0.03}
    result = run(
        tmp_path,
        name="25 tenants",
        duration="600s",
        cluster={"machines": 10, "cores": 4, "noise": 0.02},
        topologies={"line": LINE},
        jobs=[
            {"name": "grows", "topology": "line", "rate": grows, "intent": intent},
            {"name": "T", "copies": 24, "topology": "line", "rate": {"constant": 60, "noise": 0.03}, "intent": intent},
        ],
    )
    share = dict(zip(result.recorder.at_s, result.recorder.share(), strict=True))
    assert min(share.values()) > 0.95  # what one of 25 has is no fall of 5 %
    assert [record.decision.jobs for record in result.recorder.decisions] == [("grows",)]
    assert share[600.0] == 1.0
