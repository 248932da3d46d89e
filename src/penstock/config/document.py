"""A YAML file as it was written: its values, and for the path of each the line and column where it stands."""

import codecs
import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penstock.config.composing import Node, compose, mark_at, walk
from penstock.config.scalars import Mark, NotYamlError
from penstock.errors import ABSENT, ConfigError, WrongFileError, refuse

_COMPARED = 1000  # members of a list, to see whether a name is of one alone
MOST_BYTES = 1 << 20  # of a file; ours have two thousand
Path_ = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds. `name` is its path as the user gave it; without a `root` no places are known.

    `values` may hold more than the file itself: what it includes, or varies. `errors` are keys that stand twice.
    """

    name: str
    values: dict[str, Any]
    root: Node | None = None
    errors: tuple[ConfigError, ...] = ()

    def error(self, path: Sequence[Hashable], value: object, remedy: str, at_key: bool = False) -> ConfigError:
        """What is wrong at that path; `at_key` where it is the key itself."""
        mark = self._mark(tuple(path), at_key)
        return ConfigError(self.text_of(path), value, remedy, None if mark is None else self._place(mark))

    def text_of(self, path: Sequence[Hashable]) -> str:
        """The path as errors name it; what a list holds goes by its name where it has one.

        >>> Document("shop.yaml", {"jobs": [{"name": "ads"}, {}]}).text_of(("jobs", 0, "slots"))
        'jobs.ads.slots'
        >>> Document("shop.yaml", {"jobs": [{"name": "ads"}, {}]}).text_of(("jobs", 1, "slots"))
        'jobs.1.slots'
        """
        parts: list[str] = []
        value: Any = self.values
        for part in path:
            inner = _stepped(value, part)
            parts.append(_name_of(value, part, inner))
            value = inner
        return ".".join(parts) or self.name

    def value_at(self, path: Sequence[Hashable]) -> Any:
        """The value at that path, ABSENT where there is none."""
        value: Any = self.values
        for part in path:
            value = _stepped(value, part)
        return value

    def path_of(self, parts: Sequence[Hashable], absent: bool = False) -> Path_:
        """The path in the file that these parts are about; what the file does not have is left out.

        Numbers may be written as text, and members of a list by name. With `absent` the last part may be a field that
        should be there.
        """
        path: list[Hashable] = []
        value: Any = self.values
        for number, part in enumerate(parts):
            key = _key_in(value, part)
            if key is not ABSENT:
                path.append(key)
                value = _stepped(value, key)
            elif absent and number == len(parts) - 1 and isinstance(value, dict) and isinstance(part, str):
                path.append(part)
        return tuple(path)

    @contextmanager
    def located(self) -> Iterator[None]:
        """Errors about fields of this file get their places."""
        try:
            yield
        except WrongFileError as errors:
            refuse([self.placed(error) for error in errors.errors])
        except ConfigError as error:
            raise self.placed(error) from None

    def placed(self, error: ConfigError) -> ConfigError:
        """The error with its place, where it is about a field of this file."""
        parts = error.field.split(".")
        path = self.path_of(parts, absent=len(parts) > 1)
        if error.place is not None or len(path) < len(parts):
            return error
        return self.error(path, error.value, error.remedy)

    def _mark(self, path: Path_, at_key: bool) -> Mark | None:
        if self.root is None:
            return None
        nodes = list(walk(self.root, path))
        if len(nodes) == 1 < len(path):
            return None  # it came from another file
        if path and len(nodes) >= len(path):
            keys = nodes[len(path) - 1].keys
            if path[-1] in keys and (at_key or isinstance(nodes[-1].value, dict | list)):
                return keys[path[-1]]
        return nodes[-1].mark  # of a field that is not there: what should hold it

    def _place(self, mark: Mark) -> str:
        return f"{self.name}:{mark.line}:{mark.column}"


def read_document(path: Path, what: str) -> Document:
    """The mapping in a YAML file; `what` names the file in errors where it has no lines."""
    return document_in(read_text(path, what), path, what)


def document_in(text: str, path: Path, what: str) -> Document:
    """The same of a file that was read: a pipe gives its text once."""
    if is_openslo(text):
        remedy = "give one that says how jobs start; OpenSLO documents have intents alone: see `penstock intents FILE`"
        raise ConfigError(what, str(path), remedy)
    try:
        root, twice = compose(text)
    except NotYamlError as error:
        raise wrong_yaml(path, what, error) from None
    if root is None or not isinstance(root.value, dict):
        raise ConfigError(what, str(path), "write fields with their values in it")
    document = Document(str(path), root.value, root)
    return replace(document, errors=tuple(wrong_yaml(path, document.text_of(error.path), error) for error in twice))


def is_openslo(text: str) -> bool:
    """Whether a file says that it is of that kind.

    >>> is_openslo("apiVersion: openslo/v1\\nkind: SLO"), is_openslo("jobs: []")
    (True, False)
    """
    return re.search(r"^apiVersion:\s*['\"]?openslo/", text, re.MULTILINE) is not None


def read_text(path: Path, what: str, most_bytes: int = MOST_BYTES) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark."""
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise ConfigError(what, str(path), f"give a file that can be read ({error.strerror})") from None
    except ValueError as error:  # of a path with a zero byte
        raise ConfigError(what, str(path), f"give a file that can be read ({error})") from None
    if len(data) > most_bytes:
        raise ConfigError(what, str(path), f"give a file of at most {most_bytes >> 10:,} KiB")
    return _decoded(data, path, what)


def _decoded(data: bytes, path: Path, what: str) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise ConfigError(what, str(path), "save the file as UTF-8; it is UTF-16", f"{path}:1:1")
    if b"\0" in data:
        raise ConfigError(what, str(path), "give a file of text in UTF-8; this one holds zero bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", "replace")
        mark = mark_at(before, len(before))
        remedy = "save the file as UTF-8; this byte is of another encoding, such as Latin-1"
        raise ConfigError(what, data[error.start : error.end], remedy, f"{path}:{mark.line}:{mark.column}") from None


def wrong_yaml(path: Path, field: str, error: NotYamlError) -> ConfigError:
    """What is no YAML, or stands twice, with its place."""
    return ConfigError(field, error.value, error.remedy, f"{path}:{error.mark.line}:{error.mark.column}")


def _stepped(value: Any, part: Hashable) -> Any:
    if isinstance(value, dict):
        return value.get(part, ABSENT)
    if isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value):
        return value[part]
    return ABSENT


def _key_in(value: Any, part: Hashable) -> Hashable:
    """The key or number by which a part is found in a value, ABSENT when it is not."""
    if isinstance(value, dict):
        return part if part in value else next((key for key in value if str(key) == str(part)), ABSENT)
    if not isinstance(value, list):
        return ABSENT
    if isinstance(part, int):
        return part if 0 <= part < len(value) else ABSENT
    numbers = (number for number, inner in enumerate(value) if str(number) == str(part) or _named(inner) == part)
    return next(numbers, ABSENT)


def _name_of(holder: Any, part: Hashable, inner: Any) -> str:
    name = _named(inner) if isinstance(holder, list) else None
    if name is not None and [_named(one) for one in holder[:_COMPARED]].count(name) <= 1:
        return name
    return str(part)


def _named(value: Any) -> str | None:
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) and name else None
