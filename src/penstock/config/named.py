"""What a tenants file names in modules: the functions of jobs, with the parameters that they take, and routes."""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from penstock.core.seen.routes import NamedRoute
from penstock.errors import ABSENT, ConfigError, did_you_mean, most_like, told

R = TypeVar("R", bound=NamedRoute)

# Within it, whoever starts the engine gets that error instead.
Unstarted = Callable[[type[Exception]], AbstractContextManager[None]]


class TooSoonError(Exception):
    """A module starts its engine while it is imported: what is in it is known once that is there."""


def function_named(field: str, place: str) -> Callable[..., Any]:
    """The function at `module:name`; `field` is where that is written, for errors."""
    found = _in_module(field, place)
    if not callable(found):
        raise ConfigError(field, place, "name a function (spark, **params) -> DataStreamWriter")
    return found  # type: ignore[no-any-return]


def route_named(field: str, place: str, kind: type[R]) -> R:
    """The route of that kind at `module:name`."""
    found = _in_module(field, place)
    if not isinstance(found, kind):
        raise ConfigError(field, place, "name a penstock.Routing of that module")
    return found


def wrong_params(function: Callable[..., Any], place: str, params: Mapping[str, Any]) -> list[ConfigError]:
    """Which of these parameters the function at that place does not take, and which it needs besides."""
    try:
        takes = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # it is written in C, or hides what it takes
        return []
    if not takes or takes[0].kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD):
        return [ConfigError("job", place, "let the function take the SparkSession first")]
    return [*_unknown(takes, place, params), *_missing(takes, place, params)]


@contextmanager
def modules_beside(code: Path, unstarted: Unstarted) -> Iterator[None]:
    """Modules in that directory are found meanwhile, before others of their name; none of them starts the engine."""
    place = str(code.resolve())
    there = place in sys.path
    if not there:
        sys.path.insert(0, place)
    try:
        with unstarted(TooSoonError):
            yield
    finally:
        if not there:
            sys.path.remove(place)


def _in_module(field: str, place: str) -> Any:
    module, name = place.split(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or module
        meant = did_you_mean(module, _beside()) if missing == module else ""
        raise ConfigError(field, place, f"the module cannot be imported: {error}; {meant}".rstrip("; ")) from None
    except TooSoonError:
        raise
    except (Exception, SystemExit) as error:  # whatever the module does while it is imported
        why = told(error) if isinstance(error, Exception) else "it ends the program"
        raise ConfigError(field, place, f"the module cannot be imported: {why}") from None
    if not hasattr(found, name):
        names = [known for known in vars(found) if not known.startswith("_")]
        remedy = f"module {module} has nothing named {name}; {did_you_mean(name, names)}"
        raise ConfigError(field, place, remedy.rstrip("; "))
    return getattr(found, name)


def _beside() -> Iterator[str]:
    """The modules in the first place where they are looked for, which is that of the tenants file."""
    return (module.name for module in pkgutil.iter_modules(sys.path[:1]))


def _unknown(takes: list[inspect.Parameter], place: str, params: Mapping[str, Any]) -> Iterator[ConfigError]:
    known = _by_name(takes)
    for name in _unheard_of(takes, params):
        meant = did_you_mean(name, known) or (f"it takes {', '.join(known)}" if known else "it takes none")
        yield ConfigError(f"params.{name}", params[name], f"{place} has no such parameter; {meant}")


def _missing(takes: list[inspect.Parameter], place: str, params: Mapping[str, Any]) -> Iterator[ConfigError]:
    """Those that are needed; one that is there, misspelt, is told by the name that stands there."""
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    there = {*params, *(most_like(name, _by_name(takes)) for name in _unheard_of(takes, params))}
    for one in takes[1:]:
        if one.kind not in several and one.default is inspect.Parameter.empty and one.name not in there:
            yield ConfigError(f"params.{one.name}", ABSENT, f"{place} needs this parameter")


def _unheard_of(takes: list[inspect.Parameter], params: Mapping[str, Any]) -> list[str]:
    """Those of the file that the function does not take; none where it takes any."""
    if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in takes):
        return []
    known = _by_name(takes)
    return [name for name in params if name not in known]


def _by_name(takes: list[inspect.Parameter]) -> list[str]:
    """The parameters that a file can give."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in takes[1:] if one.kind in by_name]
