"""The file of models that profiling fills and planning reads."""

from pathlib import Path

import pytest

from penstock.config.plan_job import read_models
from penstock.core.known.performance import PerformanceModel
from penstock.errors import ConfigError
from penstock.profiling.tasks.models_file import add_model

PI = PerformanceModel([(1, 380.0, 0.9, 0.01)], {"machine": "this"})
BLOB = PerformanceModel([(1, 2.0, 0.01, 0.01), (18, 29.0, 0.05, 0.2)])


def test_what_was_profiled_can_be_planned_with(tmp_path: Path) -> None:
    path = tmp_path / "new" / "models.yaml"
    add_model(path, "pi", PI)
    add_model(path, "blob", BLOB)
    assert read_models(str(path), Path()) == {"pi": PI, "blob": BLOB}


def test_a_model_takes_the_place_of_the_older_one_of_its_task(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    for model in (PI, BLOB):
        add_model(path, "pi", model)
    assert read_models(str(path), Path()) == {"pi": BLOB}


def test_a_file_that_holds_something_else_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "notes.yaml"
    path.write_text("buy milk\n")
    with pytest.raises(ConfigError, match="no file of models"):
        add_model(path, "pi", PI)
    assert path.read_text() == "buy milk\n"


@pytest.mark.parametrize("text", ["2020-99-99", "!!int soon", "!!binary ä", "[" * 2_000, "\0"])
def test_a_file_that_yaml_cannot_read_is_refused_and_not_written_over(tmp_path: Path, text: str) -> None:
    path = tmp_path / "models.yaml"
    path.write_text(f"tasks: {text}\n")
    with pytest.raises(ConfigError, match="it cannot be read as a file of models"):
        add_model(path, "pi", PI)
    assert path.read_text() == f"tasks: {text}\n"
