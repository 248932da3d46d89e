"""Recorded runs on Spark, and what their twins make of the same costs."""

from pathlib import Path
from statistics import mean

import against_spark
import pytest
from against_spark import recordings, simulated

RECORDED = sorted((Path(against_spark.__file__).parent / "recorded").glob("*.jsonl"))
RUNS = {(run["case"], run["policy"]): run for run in recordings(RECORDED)}


@pytest.mark.parametrize(("case", "policy"), sorted(RUNS))
def test_a_twin_has_the_utility_that_spark_had(case: str, policy: str) -> None:
    recorded = RUNS[case, policy]
    assert mean(simulated(recorded, seeds=5)) == pytest.approx(recorded["utility_share"], abs=0.05)
