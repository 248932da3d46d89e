"""What a rehearsal is asked for: the same of the command's words as of a call's."""

import pytest

from penstock.errors import ConfigError
from penstock.planning.profiling.jobs import CopySearchSettings
from penstock.profiling.jobs.rehearse import RehearsalSettings, RehearsalSpans, rehearsal_settings

SPANS = RehearsalSpans("5m", "20s", 30)


@pytest.mark.parametrize(("step_rps", "faster_by"), [(None, 500.0), (100.0, 100.0)])
def test_a_round_is_faster_by_the_first_rate_unless_a_step_is_said(step_rps: float | None, faster_by: float) -> None:
    search = CopySearchSettings(500.0, faster_by, settle_s=20.0, measure_s=30.0, most_rounds=40)
    assert rehearsal_settings([1, 2], 500.0, step_rps, 40, SPANS) == RehearsalSettings((1, 2), search, record_s=300.0)


def test_a_step_of_zero_is_refused_and_not_taken_for_none() -> None:
    with pytest.raises(ConfigError, match="step_rps"):
        rehearsal_settings([1], 500.0, 0.0, 40, SPANS)


@pytest.mark.parametrize("name", ["record", "settle", "measure"])
@pytest.mark.parametrize("prefix", ["", "--"])
def test_a_duration_that_is_none_is_told_by_the_name_under_which_it_was_given(name: str, prefix: str) -> None:
    spans = RehearsalSpans(**{"record": "5m", "settle": "5m", "measure": "5m", name: "0s", "prefix": prefix})
    with pytest.raises(ConfigError) as refused:
        rehearsal_settings([1], 500.0, None, 40, spans)
    assert refused.value.field == f"{prefix}{name}"
