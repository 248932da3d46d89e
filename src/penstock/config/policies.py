"""Policies and their settings as they stand in a file: those that there are none of, and values that cannot be used."""

from collections.abc import Iterator
from typing import Any

from penstock.config.document import Document
from penstock.errors import ConfigError, choose
from penstock.planning.registry import policies, wrong_settings


def wrong_policies(document: Document, field: str, chosen: str | None = None) -> list[ConfigError]:
    """Policies that there are none of, in `field` and among the settings; and settings that cannot be used."""
    errors, known = [], policies()
    for path, name in _policies(document, field):
        if isinstance(name, str) and name not in known:
            errors.append(document.error(path, name, choose(name, known)))
    if chosen is not None and chosen not in known:
        errors.append(ConfigError("--policy", chosen, choose(chosen, known)))
    settings = document.values.get("settings")
    for name, given in settings.items() if isinstance(settings, dict) else ():
        if name not in known:
            errors.append(document.error(("settings", name), name, choose(name, known), at_key=True))
        elif isinstance(given, dict):
            errors += [_at_setting(document, error) for error in wrong_settings(name, _as_settings(given))]
    return errors


def _policies(document: Document, field: str) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    written = document.values.get(field)
    if isinstance(written, list):
        yield from (((field, number), name) for number, name in enumerate(written))
    else:
        yield (field,), written


def _as_settings(given: dict[Any, Any]) -> dict[str, Any]:
    """As pydantic would hand them on: YAML reads a bare off as false."""
    return {str(name): "off" if value is False else value for name, value in given.items()}


def _at_setting(document: Document, error: ConfigError) -> ConfigError:
    path = document.path_of(error.field.split("."))
    return document.error(path, error.value, error.remedy, at_key="no such setting" in error.remedy)
