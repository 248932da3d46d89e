"""pydantic's findings in our words: what to write instead, and which field was probably meant."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from penstock.errors import did_you_mean, most_like

FieldError = Mapping[str, Any]  # type, loc, ctx, input and msg of one error

_MANY = 12  # fields of a part that are all named; of more only those that look alike

_REMEDIES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda told: "this field is needed",
    "greater_than": lambda told: f"write a number above {_plain(told['gt'])}",
    "greater_than_equal": lambda told: f"write {_plain(told['ge'])} or more",
    "less_than": lambda told: f"write a number below {_plain(told['lt'])}",
    "less_than_equal": lambda told: f"write {_plain(told['le'])} or less",
    "finite_number": lambda told: "write a number that is finite",
    "literal_error": lambda told: f"write {told['expected']}",
    "enum": lambda told: f"write {told['expected']}",
    "too_short": lambda told: f"give at least {_counted(told['min_length'])}",
    "too_long": lambda told: f"give at most {_counted(told['max_length'])}",
    "string_too_short": lambda told: "write a word",
    "string_too_long": lambda told: f"write at most {told['max_length']} letters",
    "none_required": lambda told: "leave it out",
}
_KINDS = (  # the beginning of an error's type, and what should stand there
    (("int", "is_instance"), "write a whole number"),
    (("float", "decimal"), "write a number"),
    (("string",), "write a word; in quotes if YAML takes it for something else"),
    (("bool",), "write true or false"),
    (("dict", "mapping", "model", "dataclass"), "write fields with their values"),
    (("list", "tuple", "set", "iterable"), "write a list"),
    (("invalid_key",), "write a word as the key"),
)


def remedy_of(finding: FieldError) -> str:
    """What to write instead.

    >>> remedy_of({"type": "greater_than_equal", "ctx": {"ge": 1}, "msg": "Input should be ..."})
    'write 1 or more'
    """
    kind = finding["type"]
    if kind in _REMEDIES:
        return _REMEDIES[kind](finding.get("ctx") or {})
    if kind == "value_error":
        return str(finding["msg"]).removeprefix("Value error, ")
    for beginnings, remedy in _KINDS:
        if kind.startswith(beginnings):
            return remedy
    return str(finding["msg"]).removeprefix("Input ")


def no_such_field(model: type[BaseModel], path: Iterable[Hashable], name: object) -> str:
    """What to do about a field that is not there: which was meant, or where it belongs, or which there are."""
    known = list(_fields(_model_at(model, path)))
    meant = did_you_mean(name, known)
    if meant:
        return f"there is no such field; {meant}"
    elsewhere = [place for place, there in _homes(model) if name in there]
    if elsewhere:
        return f"there is no such field here; it belongs {' or '.join(elsewhere)}"
    named = f"; write one of {', '.join(known)}" if 0 < len(known) <= _MANY else ""
    return f"there is no such field{named or '; check its spelling and its place'}"


def field_meant(model: type[BaseModel], path: Iterable[Hashable], name: object) -> str | None:
    """The field that somebody who wrote that name there probably meant."""
    return most_like(name, _fields(_model_at(model, path)))


def _plain(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:g}"


def _counted(number: int) -> str:
    return "one" if number == 1 else str(number)


def _fields(model: type[BaseModel] | None) -> dict[str, Any]:
    """The annotation of each field, by the name that stands in a file."""
    if model is None:
        return {}
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _model_at(model: type[BaseModel], path: Iterable[Hashable]) -> type[BaseModel] | None:
    """The model of what stands at a path; numbers and keys of mappings lead into what their holders hold."""
    found: Any = model
    for part in path:
        held = _inner(found)
        fields = _fields(held)
        if part in fields:
            found = fields[str(part)]
    return _inner(found)


def _inner(annotation: Any) -> type[BaseModel] | None:
    """The model that an annotation is about: itself, or what its list, mapping or alternative holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    arguments = get_args(annotation)[:1] if get_origin(annotation) is Annotated else get_args(annotation)
    return next((found for found in map(_inner, arguments) if found is not None), None)


def _homes(model: type[BaseModel], place: str = "at the top", seen: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The parts of a file in words, each with its fields."""
    fields = _fields(model)
    yield place, fields
    for name, annotation in fields.items():
        held = _inner(annotation)
        if held is not None and held not in seen:
            yield from _homes(held, f"below {name}", (*seen, model))
