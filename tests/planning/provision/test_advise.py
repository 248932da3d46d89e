"""What models advise a policy, and that the advice reaches the view."""

from dataclasses import replace

import pytest

from penstock.core.known.job_models import JobModels
from penstock.core.known.performance import PerformanceModel
from penstock.core.seen.figures import ALL_OPERATORS
from penstock.core.seen.topology import Topology
from penstock.errors import ConfigError
from penstock.planning.provision.advise import advised, modelled_slots, modelled_threads
from tests.builders import job, operator, topology, view

WORK = PerformanceModel([(1, 50, 0.5, 0.1), (2, 80, 0.9, 0.1)])


def test_threads_are_for_what_arrives_with_headroom() -> None:
    models = JobModels({"work": WORK})
    assert modelled_threads(models, topology(), 100.0) == {"work": 2 + 2 + 1}  # 200 rows/s: 80, 80 and 40
    assert modelled_threads(JobModels({"work": WORK}, headroom=1.0), topology(), 0.0) == {"work": 1}


def test_selectivity_counts() -> None:
    models = JobModels({"work": WORK}, {("source", "work"): 0.25}, headroom=1.0)
    assert modelled_threads(models, topology(), 320.0) == {"work": 2}


def test_only_jobs_with_models_and_known_arrivals_are_advised() -> None:
    two = Topology({"a": ["work"], "b": ["work"]})
    known = job("known", 1, arrival_rps=100.0, topology=two)
    seen = view(
        0.0, [known, job("unknown", 1, topology=two), replace(known, figures=replace(known.figures, name="bare"))]
    )
    found = advised(seen, {"known": JobModels({"work": WORK}), "unknown": JobModels({"work": WORK})})
    assert [dict(each.modelled_threads) for each in found.jobs] == [{"work": 5}, {}, {}]
    assert advised(seen, {}) == seen


def test_headroom_is_above_zero() -> None:
    with pytest.raises(ConfigError, match=r"models\.headroom"):
        JobModels({}, headroom=0)


def test_operators_that_share_slots_are_advised_together() -> None:
    # 100 rows/s with headroom 2: 200/50 = 4 slots of "work"; 200/1000 of one of "sink", which others use meanwhile.
    quick = PerformanceModel([(1, 1000, 0.5, 0.1)])
    models = JobModels({"work": PerformanceModel([(1, 50, 0.5, 0.1), (8, 400, 0.9, 0.1)]), "sink": quick})
    assert modelled_slots(models, topology(), 100.0) == 5
    assert modelled_slots(models, topology(), 0.0) == 1


def test_a_job_on_spark_is_advised_by_the_topology_of_its_models() -> None:
    shared = job("spark", 1, operators=[operator(ALL_OPERATORS)], arrival_rps=100.0)
    found = advised(view(0.0, [shared]), {"spark": JobModels({"work": WORK}, topology=topology())})
    assert dict(found.jobs[0].modelled_threads) == {ALL_OPERATORS: 5}
    without = advised(view(0.0, [shared]), {"spark": JobModels({"work": WORK})})
    assert not without.jobs[0].modelled_threads
