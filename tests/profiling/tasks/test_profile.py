"""A profile from its first trial to its model, on a worker that is simulated."""

import json
from pathlib import Path

import pytest

from penstock.core.seen.trial import Measured, Trial
from penstock.errors import ConfigError, EngineError
from penstock.planning.profiling.tasks.settings import SearchSettings
from penstock.profiling.tasks.catalog import task_named
from penstock.profiling.tasks.on_spark import TrialSettings, profile_on_spark
from penstock.profiling.tasks.profile import ProfileSettings, Progress, model_of, profile
from penstock.profiling.tasks.record import TrialRecord

SETTINGS = ProfileSettings("bisect", SearchSettings(max_threads=4, first_rate_rps=10.0))


class Worker:
    """Can do 50 rows per second, however many threads it has; somebody may disturb its first trials."""

    def __init__(self, disturbed: int = 0) -> None:
        self.trials: list[Trial] = []
        self._disturbed = disturbed

    def __call__(self, trial: Trial) -> Measured:
        self.trials.append(trial)
        disturbed = len(self.trials) <= self._disturbed
        most = 1.0 if disturbed else 50.0
        slope = max(0.0, 1.0 - most / trial.rate_rps)
        latency = tuple((float(at), slope * at) for at in range(1, 6))
        return Measured(trial, latency, min(most, trial.rate_rps), 0.9, 0.1, others_share=0.5 if disturbed else 0.0)


def record(tmp_path: Path, head: str = "pi") -> TrialRecord:
    return TrialRecord(tmp_path / "pi.trials.jsonl", {"task": head})


def quiet(progress: Progress) -> None:
    assert progress.at_most_left > 0


def test_the_model_has_the_peak_of_each_thread_count(tmp_path: Path) -> None:
    peaks = profile(Worker(), SETTINGS, record(tmp_path), False, quiet)
    model = model_of("pi", peaks, {"machine": "this"}, SETTINGS)
    assert [point.threads for point in model.points] == [1, 2, 3]
    assert all(47.5 <= point.rate_rps <= 51.1 for point in model.points)
    assert model.provenance["machine"] == "this"
    assert model.resolution == SETTINGS.search.tolerance


def test_a_sweep_in_large_steps_has_a_resolution_that_a_model_takes() -> None:
    assert ProfileSettings("sweep", SearchSettings(rate_growth=4.0)).resolution == 0.75
    with pytest.raises(ConfigError, match=r"tolerance: 1\.5 cannot be used"):
        SearchSettings(tolerance=1.5)


def test_a_search_that_was_stopped_goes_on_without_doing_a_trial_twice(tmp_path: Path) -> None:
    first = Worker()

    def stop_at_the_third(trial: Trial) -> Measured:
        if len(first.trials) == 3:
            raise KeyboardInterrupt
        return first(trial)

    with pytest.raises(KeyboardInterrupt):
        profile(stop_at_the_third, SETTINGS, record(tmp_path), False, quiet)
    second, whole = Worker(), Worker()
    peaks = profile(second, SETTINGS, record(tmp_path), False, quiet)
    assert peaks == profile(whole, SETTINGS, record(tmp_path / "other"), False, quiet)
    assert first.trials + second.trials == whole.trials


def test_a_line_that_was_cut_short_is_done_again(tmp_path: Path) -> None:
    profile(Worker(), SETTINGS, record(tmp_path), False, quiet)
    path = tmp_path / "pi.trials.jsonl"
    path.write_text(path.read_text()[:-20])
    again = Worker()
    profile(again, SETTINGS, record(tmp_path), False, quiet)
    assert len(again.trials) == 1
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_record_made_with_other_settings_is_refused_and_fresh_forgets_it(tmp_path: Path) -> None:
    profile(Worker(), SETTINGS, record(tmp_path), False, quiet)
    with pytest.raises(ConfigError, match="made with other settings"):
        profile(Worker(), SETTINGS, record(tmp_path, "xml"), False, quiet)
    worker = Worker()
    profile(worker, SETTINGS, record(tmp_path, "xml"), True, quiet)
    assert worker.trials


@pytest.mark.parametrize("said", [b"buy milk\n", b"\xff\xfe", b"[" * 100_000 + b"\n"], ids=lambda said: said[:3])
def test_a_file_that_is_no_record_is_refused(tmp_path: Path, said: bytes) -> None:
    (tmp_path / "pi.trials.jsonl").write_bytes(said)
    with pytest.raises(ConfigError, match="it is no record of trials"):
        record(tmp_path).begin(fresh=False)


def test_an_unstable_trial_that_others_disturbed_is_done_again(tmp_path: Path) -> None:
    worker = Worker(disturbed=2)
    peaks = profile(worker, SETTINGS, record(tmp_path), False, quiet)
    assert worker.trials[:3] == [Trial(1, 10.0)] * 3
    assert peaks[0].trial.rate_rps > 45


def test_a_task_of_which_no_rate_is_stable_is_an_error_with_a_remedy() -> None:
    with pytest.raises(EngineError, match="no rate was stable"):
        model_of("pi", (), {}, SETTINGS)


def test_a_task_nobody_knows_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ConfigError, match="choose one of parse, pi, file, blob, table"), task_named("magic"):
        pass
    with pytest.raises(ConfigError, match="module:function"), task_named("no_such_module:make"):
        pass


def test_a_users_own_task_is_found_by_module_and_function() -> None:
    with task_named("penstock.workloads.tasks.pi_viete:PiViete") as task:
        assert task.name == "pi"


def test_a_first_rate_at_which_a_trial_sees_too_few_rows_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"first_rate: 1.0 cannot be used; 3 s of a trial see fewer than 4 rows then"):
        profile_on_spark("pi", ProfileSettings(), TrialSettings(4.0, 1.0), tmp_path / "m.yaml", False, quiet)


def test_others_may_take_a_share_of_the_core() -> None:
    with pytest.raises(ConfigError, match="max_others: 2 cannot be used; write a share of the core"):
        ProfileSettings(max_others=2)
