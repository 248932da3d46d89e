"""Which job is meant, and what its copies are told."""

from pathlib import Path

import pytest

from penstock.errors import ConfigError
from penstock.profiling.jobs.job import job_named

TENANTS = """
master: spark://127.0.0.1:7077
conf: {spark.executor.cores: 2, spark.cores.max: 99, spark.executor.memory: 768m, my.own: 1}
jobs:
  - {name: fraud, job: "shop:fraud", intent: {latency: 2s}}
  - {name: live, job: "shop:live", intent: {latency: 2s}, real_time: 5m}
"""


@pytest.fixture
def tenants(tmp_path: Path) -> Path:
    path = tmp_path / "tenants.yaml"
    path.write_text(TENANTS)
    return path


def test_a_copy_gets_the_jobs_settings_and_executors_of_its_own(tenants: Path) -> None:
    job = job_named(f"{tenants}:fraud")
    assert job.conf(3) == {
        "spark.executor.cores": 2,
        "spark.executor.memory": "768m",
        "my.own": 1,
        "spark.cores.max": 6,
    }
    assert (job.cores, job.memory_mib) == (2, 768)


@pytest.mark.parametrize(
    ("named", "master", "said"),
    [
        ("fraudd", None, "it has: fraud, live"),
        ("", None, "name a job of that file"),
        ("live", None, "real-time mode"),
        ("fraud", "local[4]", "penstock cluster up"),
    ],
)
def test_what_cannot_be_rehearsed_is_refused(tenants: Path, named: str, master: str | None, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        job_named(f"{tenants}:{named}" if named else str(tenants), master)
