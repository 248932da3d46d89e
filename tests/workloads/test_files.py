"""The tenants files beside the jobs: each can be read, and its jobs take the parameters that it gives them."""

import inspect
import re
from pathlib import Path

import pytest

from penstock.config.tenants import read_tenants
from penstock.workloads.sources import read_source

FILES = sorted((Path(__file__).parents[2] / "workloads").glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_tenants_file_names_jobs_that_take_its_parameters(file: Path) -> None:
    tenants = read_tenants(file)
    assert re.search(rf"penstock run workloads/{re.escape(file.name)} --for \dm", file.read_text())
    for job in tenants.jobs:
        inspect.signature(job.function()).bind(None, **job.params)
        assert read_source(job.params["source"])


def test_every_workload_has_a_file() -> None:
    named = "cars nexmark pageload places places_routed real_time riot yahoo"
    assert [file.stem for file in FILES] == named.split()
