"""Tenants of one file in several applications."""

from typing import Any

import pytest

from penstock.config.application_parts import ApplicationPart, applications, only
from penstock.config.document import Document
from penstock.config.tenants import TenantsFile, tenants_in
from penstock.errors import ConfigError


def shop(*names: str, **more: Any) -> TenantsFile:
    jobs = [{"name": name, "job": "shop.jobs:one", "intent": {"latency": "2s"}} for name in names]
    return tenants_in(Document("shop.yaml", {"name": "shop", "jobs": jobs, **more}))


def test_each_tenant_has_an_application_and_a_part_of_the_executors() -> None:
    assert applications(shop("fraud", "ads", "bots", executors=7), coordinated=False) == (
        ApplicationPart("shop.fraud", ("fraud",), 3),  # 7 / 3, and the one that is left over
        ApplicationPart("shop.ads", ("ads",), 2),
        ApplicationPart("shop.bots", ("bots",), 2),
    )


def test_those_that_are_to_be_together_share_one_whichever_way_it_is_written() -> None:
    wanted = (ApplicationPart("shop.fraud", ("fraud", "bots"), 4), ApplicationPart("shop.ads", ("ads",), 2))
    for together in (["bots", "fraud"], [["bots", "fraud"]]):
        file = shop("fraud", "ads", "bots", executors=6, together=together)
        assert applications(file, coordinated=False) == wanted


def test_under_a_coordinator_each_may_come_to_hold_all_but_one_for_each_other() -> None:
    found = applications(shop("fraud", "ads", "bots", executors=7), coordinated=True)
    assert [part.executors for part in found] == [5, 5, 5]


def test_without_a_number_of_executors_the_first_would_take_all_and_it_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="executors: missing; write the most executors that all"):
        applications(shop("fraud"), coordinated=False)


def test_the_file_of_one_application_has_its_jobs_alone() -> None:
    file = shop("fraud", "ads", "bots", profiles={"ads": "ads.csv", "bots": "bots.csv"}, together=["fraud", "bots"])
    part = only(file, ["bots", "fraud"])
    assert (part.name, [job.name for job in part.jobs], part.profiles) == (
        "shop.fraud",
        ["fraud", "bots"],
        {"bots": "bots.csv"},
    )
    assert part.together == ()


def test_a_job_that_there_is_not_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(
        ConfigError, match="--only: 'frau' cannot be used; choose one of fraud, ads; did you mean fraud"
    ):
        only(shop("fraud", "ads"), ["frau"])


@pytest.mark.parametrize(
    ("together", "told"),
    [
        (["fraud", "adds"], "together.1: 'adds' cannot be used; name a job: fraud, ads, bots; did you mean ads"),
        ([["fraud", "ads"], ["ads", "bots"]], r"together.1.0: 'ads' cannot be used; name each job in one group, once"),
        (["fraud"], "together"),
        ([["fraud"], []], "together"),
        ("fraud", "together"),
    ],
)
def test_groups_that_cannot_be_are_refused(together: Any, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        shop("fraud", "ads", "bots", together=together)
