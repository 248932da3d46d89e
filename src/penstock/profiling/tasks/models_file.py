"""A file of models, as `penstock plan --models` reads it: what was profiled is added to what is there."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import yaml

from penstock.core.known.performance import PerformanceModel
from penstock.errors import ConfigError, first_line


@dataclass(frozen=True, slots=True)
class Profiled:
    """A model and the file that holds it."""

    task: str
    model: PerformanceModel
    path: Path


def check_models(path: Path) -> None:
    """A ConfigError where no model could be added there: after a search of minutes it would be too late."""
    _read(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=path.parent).close()  # tried, and not asked for: root may do what a file system cannot
    except OSError as error:
        raise ConfigError("--out", str(path), f"give a path that can be written ({error.strerror})") from None


def add_model(path: Path, task: str, model: PerformanceModel) -> None:
    """Put the model there; an older one of the same task goes, all others stay."""
    document = _read(path)
    document["tasks"] = {**document["tasks"], task: model.to_dict()}
    path.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)
    # Written beside and moved into its place: whoever reads meanwhile finds the old file or the new one.
    beside = path.with_name(f"{path.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"name": path.stem, "tasks": {}}
    # Of days and numbers that are none, of tags and of nesting without end YAML's own reader raises what comes to it.
    except (OSError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError, yaml.YAMLError) as error:
        why = getattr(error, "strerror", None) or first_line(error)
        raise ConfigError("--out", str(path), f"it cannot be read as a file of models ({why})") from None
    if not isinstance(document, dict) or not isinstance(document.get("tasks"), dict):
        raise ConfigError("--out", str(path), "it is no file of models: write `tasks`, or name another")
    return document
