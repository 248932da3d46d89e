"""What a scenario may say: each bad value is refused with its field, itself and a remedy."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from penstock.engines.sim.microbatch import MicroBatchCluster, MicroBatchFault, MicroBatchStage
from penstock.errors import ConfigError
from tests.engines.sim.microbatch.builders import a_job, an_engine


@pytest.mark.parametrize(
    ("build", "values", "message"),
    [
        (
            MicroBatchStage,
            {"name": "s", "partitions": 0},
            "s.partitions: 0 cannot be used; write a whole number of 1 or more",
        ),
        (MicroBatchStage, {"name": "s", "partitions": 1, "cpu_s_per_row": -1.0}, "s.cpu_s_per_row: -1.0"),
        (a_job, {"stages": ()}, "job.stages: () cannot be used; give at least one stage"),
        (
            a_job,
            {"selectivity": (0.5, 0.5)},
            "job.selectivity: (0.5, 0.5) cannot be used; give one value for each stage",
        ),
        (a_job, {"arrivals": np.array([-1.0])}, "job.arrivals"),
        (a_job, {"arrivals": np.array([np.nan])}, "job.arrivals"),
        (a_job, {"trigger_s": float("nan")}, "job.trigger_s: nan"),
        (
            a_job,
            {"starts_at_s": 5.0, "ends_at_s": 5.0},
            "job.ends_at_s: 5.0 cannot be used; write a time after starts_at_s",
        ),
        (a_job, {"threads": 1, "min_threads": 2}, "job.threads: 1 cannot be used; write a whole number of 2 or more"),
        (
            a_job,
            {"threads": 3, "min_threads": 3, "max_threads": 2},
            "job.max_threads: 2 cannot be used; write a whole number of 3 or more",
        ),
        (a_job, {"max_rows_per_batch": 0}, "job.max_rows_per_batch: 0"),
        (MicroBatchCluster, {"slots": 1, "machines": 2}, "slots: 1 cannot be used; write a whole number of 2 or more"),
        (
            MicroBatchCluster,
            {"scheduling": "lottery"},
            "scheduling: 'lottery' cannot be used; choose one of fifo, fair",
        ),
        (MicroBatchCluster, {"noise": -0.1}, "noise: -0.1"),
        (MicroBatchCluster, {"window_s": 0.0}, "window_s: 0.0"),
        (
            MicroBatchFault,
            {"kind": "gremlin", "at_s": 1.0},
            "fault: 'gremlin' cannot be used; choose one of job, machine",
        ),
        (MicroBatchFault, {"kind": "link", "at_s": 1.0}, "for_s: 0.0 cannot be used; write a number above zero"),
    ],
)
def test_a_bad_value_is_refused(build: Callable[..., object], values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        build(**values)


def test_jobs_need_names_of_their_own() -> None:
    with pytest.raises(ConfigError, match="each a name of its own"):
        an_engine(a_job("twin"), a_job("twin"))


def test_slots_and_cores_that_do_not_divide_go_to_the_first_machines() -> None:
    engine = an_engine(a_job(), slots=5, cores=4, machines=3)
    assert engine.slots == 5
    assert [machine.cores for machine in engine.observe(0.0).machines] == [2, 1, 1]
