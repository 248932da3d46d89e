"""Every scenario in the repository runs, and its claims come out as it says."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from penstock.simulation.checking import check_scenario
from penstock.simulation.expect import judge
from penstock.simulation.run import simulate

ROOT = Path(__file__).parents[2] / "scenarios"
SCENARIOS = sorted(p for p in ROOT.rglob("*.yaml") if p.read_text(encoding="utf-8").startswith("name:"))
NEEDS_DATA_FROM_ELSEWHERE = {"fig16-traces.yaml"}  # traces without a licence are not in the repository
# Hours of simulated time, 10 to 40 s each, and matrices of variants: the others have as many jobs (fig13), variants
# (fig11), forecasts and recoveries (cars) and each engine. `make scenarios` runs all.
LONG = {"ads.yaml", "budget.yaml", "first-driver.yaml", *(f"fig{number}.yaml" for number in (12, *range(15, 21)))}


def cases() -> Iterator[ParameterSet]:
    """Every scenario; those that add breadth are marked."""
    for path in SCENARIOS:
        if path.name not in NEEDS_DATA_FROM_ELSEWHERE:
            yield pytest.param(path, id=path.stem, marks=[pytest.mark.long] if path.name in LONG else [])


@pytest.mark.parametrize("path", [*cases()])
def test_the_claims_of_a_scenario_come_out_as_it_says(path: Path) -> None:
    variants = check_scenario(path)
    expectations = variants[0].scenario.expect
    wanted = [part.variant for part in expectations if part.variant is not None]
    # Variants and policies that no claim is about are for the command, not for the tests.
    chosen = [v for v in variants if not wanted or any(all(v.values[k] == w[k] for k in w) for w in wanted)]
    about = {policy for part in expectations for policy in (part.policy, part.against)}
    runs = [
        simulate(v, policy, path.parent) for v in chosen for policy in variants[0].scenario.policies if policy in about
    ]
    findings = judge(expectations, runs)
    assert findings
    assert [(f.claim, f.figure, f.wanted) for f in findings if not f.as_declared] == []
