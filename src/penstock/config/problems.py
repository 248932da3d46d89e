"""Reading YAML into checked values: whatever is wrong becomes a ConfigError with place, field, value and remedy."""

from collections.abc import Hashable
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from penstock.config.document import Document
from penstock.config.fields import OURS
from penstock.config.words import FieldError, field_meant, no_such_field, remedy_of
from penstock.errors import ABSENT, ConfigError, refuse

Model = TypeVar("Model", bound=BaseModel)

Place = tuple[Hashable, ...]
Placed = tuple[Place, FieldError]

_KEY = "[key]"  # pydantic's last part of a place that is a key
_OF_WHOLES = ("_type", "too_short")
_LOOKED_AT = 200  # findings of one file; many more than are told at once


def checked(model: type[Model], raw: object, what: str, document: Document | None = None) -> Model:
    """The model filled from raw values; all that is wrong is raised at once. With a document places are told."""
    found, errors = tried(model, raw, document or Document(what, raw if isinstance(raw, dict) else {}))
    refuse(errors)
    assert found is not None  # nothing was wrong
    return found


def tried(model: type[Model], raw: object, document: Document) -> tuple[Model | None, list[ConfigError]]:
    """The model filled from raw values, and what is wrong with them."""
    twice = list(document.errors)
    try:
        return model.model_validate(raw), twice
    except ValidationError as error:
        findings = error.errors(include_url=False)[:_LOOKED_AT]
    except RecursionError:
        return None, [*twice, document.error((), ABSENT, "nest its values less deeply")]
    found = _of_parts([(_path(one, document), one) for one in findings])
    return None, twice + _told(_without_meant(found, model), model, document)


def _path(finding: FieldError, document: Document) -> Place:
    parts = [part for part in finding["loc"] if part != _KEY]
    return document.path_of(parts, absent=finding["type"] == "missing")


def _of_parts(found: list[Placed]) -> list[Placed]:
    """Without what is said of a whole, by an alternative or for want of right members, where a value within is told."""
    paths = [path for path, _ in found]

    def told_within(path: Place) -> bool:
        return any(len(other) > len(path) and other[: len(path)] == path for other in paths)

    return [(path, one) for path, one in found if not (one["type"].endswith(_OF_WHOLES) and told_within(path))]


def _without_meant(found: list[Placed], model: type[BaseModel]) -> list[Placed]:
    """Without needed fields that are there, misspelt: that is told of the name that stands there."""
    misspelt = [path for path, one in found if one["type"] == "extra_forbidden" and path]
    meant = {(*path[:-1], field_meant(model, path[:-1], path[-1])) for path in misspelt}
    return [(path, one) for path, one in found if not (one["type"] == "missing" and path in meant)]


def _told(found: list[Placed], model: type[BaseModel], document: Document) -> list[ConfigError]:
    """One error for each place; where alternatives want different things there, both are said."""
    told: dict[tuple[str, str | None], ConfigError] = {}
    for path, finding in found:
        error = _problem(path, finding, model, document)
        before = told.get((error.field, error.place))
        if before is not None and finding["type"] != OURS:
            remedies = before.remedy.split("; or ")
            remedy = before.remedy if error.remedy in remedies else f"{before.remedy}; or {error.remedy}"
            error = ConfigError(before.field, before.value, remedy, before.place)
        told[error.field, error.place] = error
    return list(told.values())


def _problem(path: Place, finding: FieldError, model: type[BaseModel], document: Document) -> ConfigError:
    if finding["type"] == OURS:
        return _ours(finding["loc"], finding["ctx"]["error"], document)
    if finding["type"] == "extra_forbidden":
        remedy = no_such_field(model, path[:-1], path[-1] if path else None)
        return document.error(path, finding["input"], remedy, at_key=True)
    value = ABSENT if finding["type"] == "missing" else finding["input"]
    return document.error(
        path, value, remedy_of(finding), at_key=_KEY in finding["loc"] or finding["type"] == "invalid_key"
    )


def _ours(place: tuple[Hashable, ...], error: ConfigError, document: Document) -> ConfigError:
    path = document.path_of((*place, *error.field.split(".")))
    written = document.value_at(path)
    plain = written is not ABSENT and not isinstance(written, dict | list) and not isinstance(error.value, list | tuple)
    return document.error(path, written if plain else error.value, error.remedy)
