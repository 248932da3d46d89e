"""Reading YAML into checked values: the first thing wrong becomes one ConfigError with field, value and remedy."""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from penstock.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)


def read_yaml(path: Path, what: str) -> dict[str, Any]:
    """The mapping in a YAML file."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(what, str(path), f"give a file that can be read ({error.strerror})") from None
    except yaml.YAMLError as error:
        raise ConfigError(what, str(path), f"it must be YAML: {' '.join(str(error).split())}") from None
    if not isinstance(raw, dict):
        raise ConfigError(what, str(path), "write fields with their values in it")
    return raw


def checked(model: type[Model], raw: object, what: str) -> Model:
    """The model filled from raw values."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        raise _first_problem(error, model, what) from None


def _first_problem(error: ValidationError, model: type[BaseModel], what: str) -> ConfigError:
    problem = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in problem["loc"]) or what
    if problem["type"] == "extra_forbidden":
        return ConfigError(field, problem["input"], "there is no such field; check its spelling and its place")
    if problem["type"] == "missing":
        return ConfigError(field, None, "this field is needed")
    return ConfigError(field, problem["input"], problem["msg"].removeprefix("Value error, ").removeprefix("Input "))
