"""The default policy is measured as users have it; what was set for the case is said to be so."""

from pathlib import Path

import pytest
import tenants
from judged import trial_as_run
from tenants import FIXED, GRID, HENGE, HENGE_CHOSEN, cases, tenants_of, trial_of

from penstock.config.tenants import TenantsFile
from penstock.governing.comparison import PolicyTurn
from penstock.planning.registry import DEFAULT, policy_named


def test_the_default_policy_has_default_settings_rounds_and_windows_and_governs_from_the_start() -> None:
    fields = TenantsFile.model_fields
    expected = PolicyTurn(DEFAULT, 120.0, 10.0, fields["interval"].default, fields["window"].default, 0.0, {})
    assert trial_of(DEFAULT, 120.0) == expected
    assert trial_as_run(DEFAULT, 120.0, 10.0) == expected


def test_settings_that_were_chosen_are_told_of() -> None:
    trial = trial_of(HENGE_CHOSEN, 120.0)
    assert (trial.policy, trial.settings) == ("henge", HENGE)
    assert policy_named(trial.policy, trial.settings).name == "henge"


@pytest.mark.parametrize("name", FIXED)
def test_shares_by_hand_are_within_the_tenants_limits_and_never_change(name: str) -> None:
    jobs = {job.name: job for job in tenants_of(cases(120.0)["constrained"], name).jobs(Path("checkpoints"))}
    assert {job: jobs[job].slots for job in FIXED[name]} == FIXED[name]
    assert all(1 <= FIXED[name][job] <= (jobs[job].limits.max_slots or 8) for job in jobs)
    assert trial_of(name, 120.0).policy == "static"


def test_the_grid_has_shares_beside_those_by_hand() -> None:
    assert tenants.BY_HAND not in GRID.values()
    assert len(GRID) == 9
